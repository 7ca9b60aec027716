import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startExchange } from '#test/cli/support/process.ts'
import { sharesOf, warmUp } from '#test/bench/tick/tick-stages.ts'
import { medianOf } from './runner/median.ts'
import { note, report } from './runner/report.ts'

/**
 * P3: from the moment at which a price is written to a stream until the first byte of the bulk of twenty orders that
 * follows from it. Between every trader and the real exchange stands a line that passes everything on, writes the prices,
 * and takes the time. The traders are processes of their own and take turns. With `--stages` ours say where they spend it.
 */
const names = ['rungs', 'rungs, durable', 'ccxt.pro', 'bare'] as const
const rounds = 8
const ticksPerRound = 20
const patienceMs = 500
const triesMax = 40
/** So that everybody has read the answer to the last one. */
const paces = { busy: 4, apart: 20 } as const

type Line = {
  port: number
  /** Milliseconds from the price to the first byte of the bulk. */
  tick(): Promise<number>
}

/** A line to the exchange for one trader. */
async function lineTo(exchangePort: number, channel: 'trades' | 'bookTicker'): Promise<Line> {
  let stream: Socket | undefined
  let heard: ((at: number) => void) | undefined
  let answered: (() => void) | undefined
  const server = createServer((near) => {
    const far = connect(exchangePort, '127.0.0.1')
    near.setNoDelay(true)
    far.setNoDelay(true)
    let isBulk = false
    near.on('data', (chunk: Buffer) => {
      const at = performance.now()
      const start = chunk.toString('latin1', 0, 80)
      if (start.startsWith('GET /ws')) stream = near
      if (start.startsWith('POST /api/v4/order/collateral/bulk')) {
        isBulk = true
        heard?.(at)
      }
      far.write(chunk)
    })
    far.on('data', (chunk: Buffer) => {
      near.write(chunk)
      if (isBulk) answered?.()
      isBulk = false
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  let number = 1_000_000
  return {
    port: address === null || typeof address === 'string' ? 0 : address.port,
    async tick() {
      const arrived = new Promise<number>((resolve) => (heard = resolve))
      const done = new Promise<void>((resolve) => (answered = resolve))
      // One that comes before the answer to the last orders was read leads to none: then there is another.
      for (let tries = 0; tries < triesMax; tries++) {
        const frame = frameOf(JSON.stringify(priceIn(channel, (number += 1))))
        const since = performance.now()
        stream?.write(frame)
        const at = await Promise.race([arrived, sleep(patienceMs, Infinity, { ref: false })])
        if (at === Infinity) continue
        await done
        return at - since
      }
      throw new Error(`${channel}: a trader did not answer a price`)
    },
  }
}

/** The library has no best prices for this venue, so that it is told a trade. */
function priceIn(channel: 'trades' | 'bookTicker', number: number) {
  const [now, bid] = [Date.now() / 1000, 60_000 + (number % 500)]
  const trade = { id: number, time: now, price: String(bid), amount: '1', type: 'buy' }
  const best = [now, now, 'BTC_PERP', number, String(bid), '1', String(bid + 1), '1']
  const params = channel === 'trades' ? ['BTC_PERP', [trade]] : [best]
  return { method: `${channel}_update`, params, id: null }
}

function frameOf(text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = Buffer.from([0x81, 126, bytes.length >> 8, bytes.length & 0xff])
  return Buffer.concat([head, bytes])
}

/** Each has an account of its own, so that nobody's nonces, money or limits are in the way of the others. */
function worldFile(): string {
  const usual = readFileSync(new URL('../../config/exchange.yaml', import.meta.url), 'utf8')
  const accounts = names.map(
    (_, index) =>
      `  trader-${index}:\n    keys: [{ key: key-${index}, secret: secret-${index}, permissions: [read, trade] }]\n` +
      '    collateral: { USDT: 1000000000 }\n    leverage: 1\n',
  )
  const file = join(mkdtempSync(join(tmpdir(), 'rungs-tick-')), 'exchange.yaml')
  const before = usual.slice(0, usual.indexOf('\naccounts:')).replace('rateLimits: on', 'rateLimits: off')
  writeFileSync(file, `${before}\naccounts:\n${accounts.join('')}`)
  return file
}

await using exchange = await startExchange(['--profile', 'full', '--world', worldFile()])
const children: ChildProcess[] = []
// However this ends, and before the exchange does: the library does not survive the end of a connection.
using ending = {
  [Symbol.dispose]() {
    for (const child of children) child.kill('SIGKILL')
  },
}
const trader = fileURLToPath(new URL('tick/tick-trader.ts', import.meta.url))
const traders = await Promise.all(
  names.map(async (name, index) => {
    const line = await lineTo(
      Number(new URL(exchange.url).port),
      name === 'ccxt.pro' ? 'trades' : 'bookTicker',
    )
    const words = [trader, name, `http://127.0.0.1:${line.port}`, String(index), ...process.argv.slice(2)]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    for await (const text of createInterface({ input: child.stdout })) if (text === 'ready') break
    return { name, line, times: { busy: [] as number[], apart: [] as number[] } }
  }),
)
// Until the last of them is subscribed, and its code is warm.
await sleep(2000)
for (let tick = 0; tick < warmUp; tick++) {
  await Promise.all(traders.map(({ line }) => line.tick()))
  await sleep(paces.busy)
}
for (let round = 0; round < rounds; round++) {
  for (const pace of ['busy', 'apart'] as const) {
    for (const { line, times } of traders) {
      for (let tick = 0; tick < ticksPerRound; tick++) {
        await sleep(paces[pace])
        times[pace].push(await line.tick())
      }
    }
  }
}

for (const [pace, when] of [
  ['busy', 'one after the other'],
  ['apart', '20 ms apart'],
] as const) {
  const microseconds = traders.map(({ times }) => times[pace].map((ms) => 1000 * ms))
  const [, , peer = 0, floor = 0] = microseconds.map(medianOf)
  for (const [index, spans] of microseconds.entries()) {
    const name = names[index]
    if (name === 'ccxt.pro' || name === 'bare') {
      note(`${name}, ${when}: ${sharesOf(spans)}`)
      continue
    }
    const ours = medianOf(spans)
    const limits = { atMost: name === 'rungs' ? 0.8 : 1.5, wanted: 0.35 }
    const values = { ours, peer, floor, ratio: ours / peer, unit: 'µs', ...limits }
    report({ goal: 'P3', what: `price to orders, ${when}: ${name}`, ...values, detail: sharesOf(spans) })
  }
}
for (const child of children) child.kill()
// So that they have told their stages; then they end before the exchange does.
await sleep(300)
ending[Symbol.dispose]()
// The end of the process comes before that of the block, and the lines are still open.
await exchange[Symbol.asyncDispose]()
process.exit()
