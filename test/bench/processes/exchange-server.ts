/**
 * The servers of the benchmarks in exchange.ts and load.ts, one per process: argv says which, and in which folder an
 * exchange keeps its data.
 */
import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { fileURLToPath } from 'node:url'
import {
  payloadHeader,
  keyHeader,
  Secret,
  signatureHeader,
} from '#src/venues/whitebit/contract/wire/signing.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { worldSchema, type World } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { collateral, keysOf } from '#test/bench/load/load-keys.ts'

// As src/main.ts does; for both, so that the comparison is of the servers alone.
setFlagsFromString('--no-parallel-scavenge')

const [, , name, folder = ''] = process.argv
process.send?.(name === 'bare' ? await bare() : name === 'load' ? await durable() : await exchange())
process.on('disconnect', () => process.exit())
let begun = process.cpuUsage()
process.on('message', (message) => {
  if (message === 'begin') {
    begun = process.cpuUsage()
    process.send?.('ready')
    return
  }
  if (message === 'memory') {
    globalThis.gc?.()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    process.send?.({ heapUsed, arrayBuffers })
    return
  }
  const { user, system } = process.cpuUsage(begun)
  process.send?.(user + system)
})

/** Each account with its keys; a secret is `KEY-secret`. */
function worldOf(accounts: Record<string, readonly string[]>): World {
  const world = readYaml(
    fileURLToPath(new URL('../../../config/exchange.yaml', import.meta.url)),
    worldSchema,
  )
  const paper = world.accounts['paper']
  if (paper === undefined) throw new Error('the world has an account named paper')
  for (const [name, keys] of Object.entries(accounts)) {
    world.accounts[name] = {
      ...paper,
      collateral: { USDT: collateral },
      mining: [],
      deposits: [],
      subAccounts: [],
      keys: keys.map((key) => ({ key, secret: `${key}-secret`, permissions: ['trade', 'read', 'funds'] })),
    }
  }
  return world
}

async function exchange(): Promise<string> {
  const lanes = Array.from({ length: 10 }, (_, lane) => [`bench-${lane}`, [`bench-${lane}`]])
  const world = worldOf(Object.fromEntries(lanes))
  world.switches.rateLimits = 'off'
  return (await startExchange({ world, clock: systemClock, profile: 'spec' })).url
}

/** With rate limits and data on disk. Ids of ended orders are forgotten, so that what grows is no id. */
async function durable(): Promise<{ url: string; adminUrl: string | undefined }> {
  const world = worldOf(keysOf)
  world.switches.clientIds = 'live'
  const about = { clock: systemClock, profile: 'full', adminPort: 0, dataDirectory: folder } as const
  const { url, adminUrl } = await startExchange({ world, ...about })
  return { url, adminUrl }
}

/** Reads, verifies, parses and sends the same bytes back: the least that any venue must do. */
function bare(): Promise<string> {
  const secrets = new Map<string, Secret>()
  const server = createServer({ maxHeaderSize: 131_072 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const payload = String(request.headers[payloadHeader])
      const key = String(request.headers[keyHeader])
      const secret = secrets.get(key) ?? new Secret(`${key}-secret`)
      secrets.set(key, secret)
      const right =
        body.toString('base64') === payload &&
        secret.verifies(payload, String(request.headers[signatureHeader]))
      response.writeHead(right ? 200 : 401, { 'content-type': 'application/json' })
      response.end(right ? body : '{}')
    })
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '')
    })
  })
}
