/** The two servers of the benchmark in exchange.ts, one per process: argv says which. */
import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { fileURLToPath } from 'node:url'
import { payloadHeader, keyHeader, Secret, signatureHeader } from '#src/contract/signing.ts'
import { startExchange } from '#src/exchange/server.ts'
import { worldSchema } from '#src/exchange/world.ts'
import { readYaml } from '#src/settings/yaml.ts'
import { systemClock } from '#src/time/clock.ts'

// As src/main.ts does; for both, so that the comparison is of the servers alone.
setFlagsFromString('--no-parallel-scavenge')

const url = process.argv[2] === 'exchange' ? await exchange() : await bare()
process.send?.(url)
let begun = process.cpuUsage()
process.on('message', (message) => {
  if (message === 'begin') {
    begun = process.cpuUsage()
    process.send?.('ready')
    return
  }
  const { user, system } = process.cpuUsage(begun)
  process.send?.(user + system)
})

async function exchange(): Promise<string> {
  const world = readYaml(fileURLToPath(new URL('../../config/exchange.yaml', import.meta.url)), worldSchema)
  world.switches.rateLimits = 'off'
  const paper = world.accounts['paper']
  if (paper === undefined) throw new Error('the world has an account named paper')
  for (let lane = 0; lane < 10; lane++) {
    world.accounts[`bench-${lane}`] = {
      ...paper,
      collateral: { USDT: 10n ** 30n },
      mining: [],
      deposits: [],
      subAccounts: [],
      keys: [{ key: `bench-${lane}`, secret: `bench-secret-${lane}`, permissions: ['trade', 'read'] }],
    }
  }
  return (await startExchange({ world, clock: systemClock, profile: 'spec' })).url
}

/** Reads, verifies, parses and sends the same bytes back: the least that any venue must do. */
function bare(): Promise<string> {
  const secrets = new Map(
    Array.from({ length: 10 }, (_, lane) => [`bench-${lane}`, new Secret(`bench-secret-${lane}`)]),
  )
  const server = createServer({ maxHeaderSize: 131_072 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const payload = String(request.headers[payloadHeader])
      const secret = secrets.get(String(request.headers[keyHeader]))
      const right =
        body.toString('base64') === payload &&
        secret?.verifies(payload, String(request.headers[signatureHeader]))
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
