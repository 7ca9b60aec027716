/**
 * What watching costs: a bot with twenty markets and two thousand rungs that hears fifty prices and makes five fills a
 * second, alone and with somebody at its page. Counted in time of the processor, since a machine that does something else
 * as well says nothing about spans: node test/bench/desk.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dashboard } from '#src/operate/dashboard/dashboard.ts'
import { openDeskOf } from '#test/operate/dashboard/dashboard-fixture.ts'
import { Desk as EngineDesk, fileOf, venue } from '#test/engine/support/engine-harness.ts'

const markets = 20
const rungsEach = 100
const pricesPerSecond = 50
const fillsPerSecond = 5
const seconds = Number(process.argv[2] ?? 10)

const symbols = Array.from({ length: markets }, (_, index) => `M${index}_USDT`)
const [facts] = Object.values(venue.markets)
assert(facts)
const engine = new EngineDesk(
  symbols.map((symbol, index) =>
    fileOf('01-static-grid')
      .replace('name: sgrid', `name: grid${index}`)
      .replace('symbol: BTC_USDT', `symbol: ${symbol}`)
      .replace('levels: 21', `levels: ${rungsEach + 1}`)
      .replace('size: { total: 2100 quote }', 'size: { total: 21000 quote }')
      .replace('resting: { max: 12, within: 5% }', 'resting: { max: 1000 }')
      .replace('min_edge: 2.2 x fee', 'min_edge: 0.1 x fee')
      .replace('max_notional: { total: 2200 }', 'max_notional: { total: 220000 }')
      .replace('max_open_orders: 24', 'max_open_orders: 2000')
      .replace('max_loss: 350', 'max_loss: 300000')
      .replace(/\ntests:[^]*/, '\n'),
  ),
  { markets: Object.fromEntries(symbols.map((symbol) => [symbol, facts])), batchMax: 100 },
)
engine.account({ USDT: '10000000' }, {}, '10000000')
for (const symbol of symbols) {
  engine.quote(symbol, 60_000)
  engine.settle(engine.past(symbol, '1m', [60_000, 60_000]))
}
for (let round = 0; round < 50; round += 1) engine.settle(engine.wait(1000))
const resting = engine.resting().length

/** Milliseconds of the processor for each second of this. */
async function work(desk?: Dashboard): Promise<number> {
  const before = process.cpuUsage()
  const from = performance.now()
  for (let done = 0; done < seconds * pricesPerSecond; done += 1) {
    const symbol = symbols[done % markets] ?? ''
    engine.at += 1000 / pricesPerSecond
    engine.quote(symbol, 60_000 + (done % 90))
    if (done % pricesPerSecond === 0) engine.settle(engine.wait(0))
    if (done % (pricesPerSecond / fillsPerSecond) === 0) {
      const [order = ''] = engine.resting()
      engine.settle(engine.fill(order))
    }
    const notes = engine.steps.flatMap(({ step }) => step.notes)
    const lines = notes.map((note) => JSON.stringify(note))
    if (notes.length > 0) desk?.take(notes, lines)
    engine.steps.length = 0
    const early = from + ((done + 1) * 1000) / pricesPerSecond - performance.now()
    if (early > 0) await sleep(early)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / ((performance.now() - from) / 1000)
}

await work()
const alone = await work()
await using opened = await openDeskOf(engine)
const open = await work(opened.desk)
const reader = spawn(
  process.execPath,
  [
    '--input-type=module',
    '--eval',
    `let bytes = 0
     const headers = { authorization: ${JSON.stringify(opened.authorization)} }
     const answer = await fetch(${JSON.stringify(`${opened.url}/events`)}, { headers })
     process.on('SIGTERM', () => { console.log(bytes); process.exit() })
     for await (const part of answer.body) bytes += part.length`,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
let said = ''
reader.stdout.on('data', (part: Buffer) => {
  said += part.toString()
})
while (!opened.desk.readers.isWatched) await sleep(50)
const watched = await work(opened.desk)
reader.kill('SIGTERM')
await once(reader, 'close')
const looked = performance.now()
for (let count = 0; count < 20; count += 1) opened.desk.tables()
const lookMs = (performance.now() - looked) / 20

process.stdout.write(
  [
    `${markets} markets, ${resting} orders at rest, ${pricesPerSecond} prices and ${fillsPerSecond} fills a second`,
    `a bot alone: ${alone.toFixed(1)} ms of the processor a second`,
    `with a desk that nobody watches: ${open.toFixed(1)} ms`,
    `watched: ${watched.toFixed(1)} ms, ${((watched - alone) / 10).toFixed(1)} % of a core more`,
    `  which is ${(watched / alone).toFixed(2)} times as much`,
    `one look: ${lookMs.toFixed(2)} ms; told in a second: ${(Number(said) / seconds / 1000).toFixed(0)} kB`,
    '',
  ].join('\n'),
)
