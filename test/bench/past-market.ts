import { deepEqual, equal } from 'node:assert/strict'
import { Exchange } from '#src/exchange/exchange.ts'
import type {
  RecordedBlock,
  FillRule,
  RecordedMarket,
} from '#src/exchange/simulation/recorded/recorded-market.ts'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { fileURLToPath } from 'node:url'
import { factsTextOf } from '#test/properties/recorded/recorded-facts.ts'
import { medianOf } from './runner/median.ts'
import { note, report } from './runner/report.ts'

/**
 * The venue in a market of the past (P9, at its level): a grid of 100 orders that follows its fills, with queues, partial
 * fills, margin, fees and funding. First the walk that skips what does not matter is shown to come to the same state as the
 * one that runs every point; then points are counted.
 */
const points = Number(process.argv[2] ?? 10_000_000)
const rounds = 3
const begin = 1_700_000_000_000
const perBlock = 65_536
const [middle, tick] = [700_000, 1e8]

const world = readYaml(fileURLToPath(new URL('../../config/exchange.yaml', import.meta.url)), worldSchema)

let word = 88_675_123
function draw(limit: number): number {
  word ^= word << 13
  word ^= word >>> 17
  word ^= word << 5
  return (word >>> 0) % limit
}

type Columns = { at: Float64Array; units: Float64Array; amounts: Float64Array }

/** Trades three a second, each a tick from the one before or at its price, pulled back to the middle. */
function walk(count: number): Columns {
  const [at, units, amounts] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)]
  let [time, price] = [begin, middle]
  for (let index = 0; index < count; index++) {
    price += draw(5) - 2 + (draw(60_000) < Math.abs(price - middle) ? Math.sign(middle - price) : 0)
    at[index] = time += draw(667)
    units[index] = price * tick
    amounts[index] = (1 + draw(30)) * 1e5
  }
  return { at, units, amounts }
}

function marketOf({ at, units, amounts }: Columns, size: number): RecordedMarket {
  const blocks: RecordedBlock[] = []
  for (let first = 0; first < at.length; first += size) {
    const end = first + size
    const prices = units.subarray(first, end)
    let [low, high] = [Infinity, 0]
    for (const price of prices) {
      if (price < low) low = price
      if (price > high) high = price
    }
    blocks.push({
      count: prices.length,
      at: at.subarray(first, end),
      units: prices,
      amounts: amounts.subarray(first, end),
      low,
      high,
    })
  }
  return { print: '', kind: 'trades', beginsAt: begin, blocks: () => blocks.values() }
}

function open(market: RecordedMarket, fill: FillRule): Exchange {
  const recorded = { files: [{ markets: ['BTC_PERP'], market }], fill, moved: false }
  return new Exchange({ world, seed: 'bench', begin, sources: { seeded: false, recorded } })
}

function lay(exchange: Exchange, at: number, sells: boolean, ticks: number): void {
  const order = {
    market: 'BTC_PERP',
    side: sells ? 'sell' : 'buy',
    amount: '0.010',
    price: (ticks / 10).toFixed(1),
  }
  const parameters = { orders: [{ ...order, postOnly: true }] }
  exchange.redo({ kind: 'write', at, account: 'paper', endpoint: 'collateralBulk', parameters })
}

/** Fifty orders on each side; where one has been filled, one comes on the other side, a gap away. */
function trade(exchange: Exchange, until: number, gap: number): { fills: number; stops: number } {
  const { accounts } = exchange.state
  const account = accounts.get('paper')
  if (account === undefined) throw new Error('the world has paper')
  exchange.advance(begin)
  for (let level = 1; level <= 50; level++) {
    lay(exchange, begin, false, middle - level * gap)
    lay(exchange, begin, true, middle + level * gap)
  }
  let stops = 0
  let ended = account.finished.count
  for (let at = exchange.nextAt(); at <= until; at = exchange.nextAt()) {
    exchange.pass(at)
    stops += 1
    for (; ended < account.finished.count; ended++) {
      const place = ended % 65_536
      if (account.finished.status[place] !== 1) continue
      const sells = account.finished.sells[place] === 1
      lay(exchange, at, !sells, (account.finished.ticks[place] ?? 0) + (sells ? -gap : gap))
    }
  }
  exchange.advance(until)
  return { fills: account.deals.count, stops }
}

for (const fill of ['touch', 'through', 'queue'] as const) {
  const columns = walk(100_000)
  const until = (columns.at.at(-1) ?? 0) + 1
  const [some, all] = [perBlock, 1].map((size) => {
    const exchange = open(marketOf(columns, size), fill)
    return { exchange, about: trade(exchange, until, 40) }
  })
  if (some === undefined || all === undefined) throw new Error('two walks')
  deepEqual(factsTextOf(some.exchange), factsTextOf(all.exchange), `${fill}: the walks differ`)
  equal(some.about.fills > 100 && some.about.stops < all.about.stops / 2, true, JSON.stringify(some.about))
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const columns = walk(points)
const until = (columns.at.at(-1) ?? 0) + 1
const market = marketOf(columns, perBlock)
note(`${points / 1e6} M points, ${rounds} rounds; the skipping walk equals the naive one`)
for (const [what, fill, gap] of [
  ['search, few fills', 'through', 600],
  ['grid, touch', 'touch', 100],
  ['full model, queue', 'queue', 40],
] as const) {
  const times: number[] = []
  let about = { fills: 0, stops: 0 }
  for (let round = 0; round < rounds; round++) {
    const exchange = open(market, fill)
    times.push(cpuMs(() => (about = trade(exchange, until, gap))))
  }
  const ms = medianOf(times)
  const cost = ((ms * 1000) / Math.max(1, about.fills)).toFixed(1)
  const detail = `${about.fills} fills, ${about.stops} stops, ${cost} µs a fill`
  const limits = { atLeast: 2, wanted: 50 }
  report({ goal: 'P9', what, ours: points / ms / 1000, unit: 'M points/s', ...limits, detail })
}
