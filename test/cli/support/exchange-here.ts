import { parseArgs } from 'node:util'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { z } from 'zod'

const options = {
  profile: { type: 'string', default: 'spec' },
  market: { type: 'string', default: 'still' },
  speed: { type: 'string', default: '1' },
  seed: { type: 'string' },
  spelling: { type: 'string', default: 'spec' },
} as const
const flagsSchema = z.object({
  profile: z.enum(['spec', 'full']),
  market: z.enum(['still', 'seeded']),
  speed: z.coerce.number(),
  seed: z.string().optional(),
  spelling: z.enum(['spec', 'camel']),
})

export type ExchangeHere = {
  url: string
  euUrl: string
  /** Turns the clock of the exchange. */
  adminUrl: string
  end(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * `rungs exchange WORDS` in this process, for tests of calls. A test with a bot needs a separate process: on a busy machine
 * the exchange would have too little time to answer.
 */
export async function exchangeHere(words: readonly string[] = []): Promise<ExchangeHere> {
  const { values } = parseArgs({ args: [...words], options })
  const { profile, market, speed, seed, spelling } = flagsSchema.parse(values)
  const running = await startExchange({
    world: readYaml(packagedWorld, worldSchema, { confidential: true }),
    clock: systemClock,
    profile,
    speed,
    spelling,
    adminPort: 0,
    ...(market === 'seeded' && { sources: { seeded: true } }),
    ...(seed !== undefined && { seed }),
  })
  const end = async () => {
    await running.close()
  }
  const { url, euUrl, adminUrl = '' } = running
  return { url, euUrl, adminUrl, end, [Symbol.asyncDispose]: end }
}
