import { Engine } from '#src/engine/engine.ts'
import type { Event, MarketFacts } from '#src/engine/events.ts'
import { readFileSync } from 'node:fs'
import { guards } from '#test/strategy/required-limits.ts'
import { ratioText, report } from './runner/report.ts'

/**
 * How many steps a second the engine makes on events that lead to nothing, beside a loop that only remembers the price
 * of the same events.
 */
const rounds = 5
const events = 300_000
const start = Date.UTC(2026, 0, 1)

const facts: MarketFacts = {
  money: 'USDT',
  priceDigits: 2,
  amountDigits: 6,
  minAmount: '0.000001',
  minTotal: '5',
  maxTotal: '1000000',
  makerFee: '0.0001',
  takerFee: '0.00035',
}

const ladder = `
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    levels: 20
    spacing: { kind: arithmetic, first: 1%, step: 0.5% }
    size: { total: 2000 quote }
`
const onCandles = `
version: 1
name: reads
needs: [bulk, history, balance]
markets: { btc: { symbol: BTC_USDT } }
feeds: { px: { source: candles, market: btc, interval: 1m, stale_after: 1000w } }
let: { price: last(px) }
${ladder}
rules:
  - { id: one, when: 'price < 0.9 * ema(px, 20)', do: [ensure: dip] }
  - { id: two, when: 'rsi(px, 14) < 5 && price < 50000', do: [freeze: dip] }
  - { id: three, when: 'price > 2 * ema(px, 20)', do: [freeze: dip] }
${guards}`
const onBook = `
version: 1
name: reads
needs: [bulk, history, balance]
markets: { btc: { symbol: BTC_USDT } }
feeds:
  book: { source: book, market: btc, stale_after: 1000w }
  px: { source: candles, market: btc, interval: 1m, stale_after: 1000w }
let: { middle: mid(book) }
${ladder}
rules:
  - { id: one, when: 'middle < 0.9 * ema(px, 20)', do: [ensure: dip] }
  - { id: two, when: 'rsi(px, 14) < 5 && middle < 50000', do: [freeze: dip] }
  - { id: three, when: 'middle > 2 * ema(px, 20)', do: [freeze: dip] }
${guards}`

function began(...texts: string[]): Engine {
  const engine = new Engine(null)
  engine.step({
    kind: 'began',
    at: start,
    venue: {
      capabilities: ['bulk', 'history', 'balance', 'cancel'],
      batchMax: 20,
      clientIds: 'forever',
      speed: 1,
      leverage: 10,
      markets: { BTC_USDT: facts, ETH_USDT: facts },
    },
    strategies: texts.map((text) => ({ name: /^name: (\w+)$/m.exec(text)?.[1] ?? '', text })),
  })
  return engine
}

function priceAt(index: number): number {
  return 60_000 + 100 * Math.sin(index / 50)
}

function quotes(market: string): Event[] {
  return Array.from({ length: events }, (_, index) => {
    const price = priceAt(index)
    return { kind: 'quote', at: start + index, market, bid: price - 1, ask: price + 1, last: price }
  })
}

function candles(): Event[] {
  return Array.from({ length: events }, (_, index) => {
    const [close, opened] = [priceAt(index), start + index * 60_000]
    const bar = { open: close, high: close + 5, low: close - 5, close, volume: 1 }
    return { kind: 'candle', at: opened + 60_000, market: 'BTC_USDT', interval: '1m', opened, ...bar }
  })
}

/** Steps a second, of the best of some rounds. */
function measure(make: () => { step(event: Event): unknown }, all: readonly Event[]): number {
  let best = Infinity
  for (let round = 0; round < rounds; round++) {
    const machine = make()
    const begun = process.hrtime.bigint()
    for (const event of all) machine.step(event)
    best = Math.min(best, Number(process.hrtime.bigint() - begun))
  }
  return (all.length * 1e9) / best
}

class Bare {
  price = 0
  step(event: Event): undefined {
    if (event.kind === 'quote') this.price = event.last ?? 0
    else if (event.kind === 'candle') this.price = event.close
  }
}

const grid = readFileSync(new URL('../../strategies/01-static-grid.yaml', import.meta.url), 'utf8')
const rows = [
  ['prices of a market that no strategy trades', () => began(grid), quotes('ETH_USDT'), 1],
  ['prices of a market whose grid waits', () => began(grid), quotes('BTC_USDT'), 1],
  ['candles, three rules, two indicators', () => began(onCandles), candles(), 0.3],
  ['the book, three rules, two indicators', () => warm(began(onBook)), quotes('BTC_USDT'), 0.3],
] as const

function warm(engine: Engine): Engine {
  for (const event of candles().slice(0, 100)) engine.step({ ...event, at: start })
  return engine
}

for (const [what, make, all, atLeast] of rows) {
  const [floor, ours] = [measure(() => new Bare(), all) / 1e6, measure(make, all) / 1e6]
  const detail = `${ratioText(ours / floor)} of the loop`
  report({ goal: 'P17', what, ours, floor, unit: 'M steps/s', atLeast, detail })
}
