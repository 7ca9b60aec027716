import { expect, test } from 'vitest'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { simulate } from '#src/research/simulate/run-simulation.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'
import { times } from '#test/properties/runs.ts'
import { leftByKills } from './distinct-kills.ts'

const base = readYaml('config/exchange.yaml', worldSchema)
const [busy] = simulatedStrategies()
if (busy === undefined) throw new RangeError('there is no strategy')
const ways = ['killed before', 'killed after'] as const
const run = (only: readonly (readonly [string, (typeof ways)[number]])[]) =>
  simulate({ seed: 1, world: 'usual', file: busy, base, faultyMs: 12_000, only: new Map(only) })

test('kills that leave the same are distinguished by time, requests and writes to the disk alone', () => {
  const left = leftByKills([
    { site: 'append:1', at: 5, turn: 1 },
    { site: 'commit:1', at: 5, turn: 1 },
    { site: 'sleep:1', at: 5, turn: 1 },
    { site: 'answer order/cancel:1', at: 9, turn: 2 },
    { site: 'message:1', at: 9, turn: 3 },
    { site: 'send order/cancel:2', at: 9, turn: 3 },
    { site: 'nonce:1', at: 9, turn: 3 },
  ])
  const before = [0, 1, 2, 3, 4, 5, 6].map((n) => left(n, 'killed before'))
  expect(before).toEqual(['5 ms, 0', '5 ms, 0', '5 ms, 1', '9 ms, 1', '9 ms, 1', '9 ms, 1', '9 ms, 2'])
  const after = [0, 1, 2, 3, 4, 5, 6].map((n) => left(n, 'killed after'))
  expect(after).toEqual(['5 ms, 1', '5 ms, 1', '5 ms, 1', '9 ms, 1', '9 ms, 3', '9 ms, 3', '9 ms, 3'])
})

test('after two kills that leave the same, the exchange gets the same requests', async () => {
  const { operations } = await run([])
  const left = leftByKills(operations)
  const kills = operations.flatMap(({ site }, n) => ways.map((way) => ({ site, way, world: left(n, way) })))
  const groups = [...Map.groupBy(kills, ({ world }) => world).values()].filter(({ length }) => length > 1)
  expect(groups.length).toBeGreaterThan(100)
  const chosen = groups.filter((_, n) => n % Math.ceil(groups.length / times(4, 30, 1)) === 0)
  const other: string[] = []
  for (const group of chosen) {
    const traces = []
    for (const kill of [group[0], group.at(-1)])
      traces.push(kill && (await run([[kill.site, kill.way]])).traceHash)
    if (traces[0] !== traces[1]) other.push(`${group[0]?.site} and ${group.at(-1)?.site}`)
  }
  // The simulation draws the sequence of simultaneous events, by a count of events: a few runs differ for this reason.
  expect(other.length, other.join('; ')).toBeLessThanOrEqual(chosen.length / 5)
})
