/**
 * Cost of the dashboard: a bot with 20 markets and 2000 rungs gets 50 prices and 5 fills a second, without and with an open
 * page. The result is CPU time, because other work on the machine changes elapsed time: node test/bench/dashboard.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dashboard } from '#src/operate/dashboard/dashboard.ts'
import { openDashboardOf } from '#test/operate/dashboard/dashboard-fixture.ts'
import { EngineHarness as EngineDesk, fileOf, venue } from '#test/engine/support/engine-harness.ts'
import { note, report } from './runner/report.ts'

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

/** Milliseconds of CPU time for each second. */
async function work(dashboard?: Dashboard): Promise<number> {
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
    if (notes.length > 0) dashboard?.take(notes, lines)
    engine.steps.length = 0
    const early = from + ((done + 1) * 1000) / pricesPerSecond - performance.now()
    if (early > 0) await sleep(early)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / ((performance.now() - from) / 1000)
}

await work()
const alone = await work()
await using opened = await openDashboardOf(engine)
const open = await work(opened.dashboard)
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
while (!opened.dashboard.subscribers.isWatched) await sleep(50)
const watched = await work(opened.dashboard)
reader.kill('SIGTERM')
await once(reader, 'close')
const looked = performance.now()
for (let count = 0; count < 20; count += 1) opened.dashboard.tables()
const lookMs = (performance.now() - looked) / 20

note(
  `${markets} markets, ${resting} resting orders, ${pricesPerSecond} prices and ${fillsPerSecond} fills a second`,
)
const unit = 'ms of CPU time a second'
report({ what: 'without a dashboard', ours: alone, unit })
report({ what: 'with a dashboard and no open page', ours: open, floor: alone, ratio: open / alone, unit })
const more = `${((watched - alone) / 10).toFixed(1)} % of a core more`
report({ what: 'with an open page', ours: watched, floor: alone, ratio: watched / alone, unit, detail: more })
report({ what: 'one read of the tables', ours: lookMs, unit: 'ms' })
report({ what: 'sent to an open page', ours: Number(said) / seconds / 1000, unit: 'kB/s' })
