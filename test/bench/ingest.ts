import { equal } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { WebSocketServer } from 'ws'
import { startExchange } from '#test/cli/support/process.ts'
import { medianOf } from './runner/median.ts'
import { report } from './runner/report.ts'

/**
 * P4: how many trades a second of a stream become events. Each reader is a process of its own, subscribes, and is sent the
 * same frames in one piece, as fast as its socket takes them: whoever is faster than the other side would wait for each frame
 * by itself, and be measured by how often it is woken. It says how many it was told, what their ids come to, and the
 * processor time that this took it. What is not a stream goes to the real exchange.
 */
const names = ['rungs', 'ccxt.pro', 'bare'] as const
const rounds = 5
const framesPerRound = 40_000

await using exchange = await startExchange(['--profile', 'full'])
const exchangeUrl = new URL(exchange.url)

/** The stream of one reader, and a way to everything else. */
async function venueFor(): Promise<{ url: string; reader: Promise<Duplex>; server: Server }> {
  const server = createServer((request, response) => {
    void fetch(new URL(request.url ?? '', exchangeUrl), { method: request.method ?? 'GET' }).then(
      async (found) => response.writeHead(found.status).end(await found.text()),
    )
  })
  const streams = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const reader = new Promise<Duplex>((resolve) => {
    server.on('upgrade', (request, wire, head) =>
      streams.handleUpgrade(request, wire, head, (socket) => {
        socket.on('message', (data: Buffer) => {
          const { id, method } = JSON.parse(data.toString())
          const result = method === 'ping' ? 'pong' : { status: 'success' }
          socket.send(JSON.stringify({ id, result, error: null }))
          if (String(method).startsWith('trades')) resolve(wire)
        })
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, reader, server }
}

/** A text of some hundred bytes as it is on the wire: one frame, not masked, its length in two bytes behind a 126. */
function frameOf(text: string): Buffer {
  const head = Buffer.from([0x81, 126, text.length >> 8, text.length & 255])
  return Buffer.concat([head, Buffer.from(text)])
}

function tradeAt(id: number): string {
  const trade = {
    id,
    time: 1_790_000_000 + id / 1000,
    price: String(60_000 + (id % 500)),
    amount: '0.01',
    type: 'buy',
  }
  return JSON.stringify({ method: 'trades_update', params: ['BTC_PERP', [trade]], id: null })
}

const program = fileURLToPath(new URL('processes/ingest-reader.ts', import.meta.url))
const readers = await Promise.all(
  names.map(async (name) => {
    const venue = await venueFor()
    const child = spawn(process.execPath, [program, name, venue.url, String(framesPerRound)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    // However this ends.
    process.on('exit', () => child.kill('SIGKILL'))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    await lines.next()
    return { name, lines, wire: await venue.reader, perSecond: [] as number[] }
  }),
)
let next = 1
for (let round = 0; round <= rounds; round++) {
  const frames = Array.from({ length: framesPerRound }, (_, index) => frameOf(tradeAt(next + index)))
  const all = Buffer.concat(frames)
  const sum = frames.length * next + (frames.length * (frames.length - 1)) / 2
  next += framesPerRound
  for (const { name, lines, wire, perSecond } of readers) {
    wire.write(all)
    const told: { trades: number; sum: number; cpuUs: number } = JSON.parse(
      (await lines.next()).value ?? '{}',
    )
    equal(told.trades, framesPerRound, `${name} was told of all trades`)
    equal(told.sum, sum, `${name} was told of each trade`)
    // The first round is for getting warm.
    if (round > 0) perSecond.push((framesPerRound * 1e6) / told.cpuUs)
  }
}

const [ours = 0, peer = 0, floor = 0] = readers.map(({ perSecond }) => medianOf(perSecond) / 1000)
const values = { ours, peer, floor, ratio: ours / peer, unit: 'k trades a second of CPU' }
report({ goal: 'P4', what: 'trades of a stream, against ccxt.pro', ...values, atLeast: 4 })
await exchange[Symbol.asyncDispose]()
process.exit()
