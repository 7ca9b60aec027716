import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { guards } from '#test/strategy/required-limits.ts'

/** Lines around 60,000, of which the middle one has no order at first. */
export type GridLines = { levels: number; step: number }

/** Files with one job for all contenders. */
export type GridJob = { market: string; strategy: string; job: string }

/** Prices of the files are multiples of 0.1, so no line is only touched: a price at a line counts in other ways elsewhere. */
const middle = 60_000.05
/** All rungs together, in the base currency: the account of the packaged world pays for them. */
const total = 0.5
/** The maker fee of the packaged market. */
const fee = '0.001'

export function writeJob(folder: string, name: string, lines: GridLines, market: HistoricalMarket): GridJob {
  const pathOf = (ending: string) => join(folder, `${name}.${ending}`)
  const files: GridJob = { market: pathOf('csv'), strategy: pathOf('yaml'), job: pathOf('json') }
  const isBars = market.kind === 'bars'
  writeFileSync(files.market, isBars ? barsText(market) : tradesText(market))
  writeFileSync(files.strategy, strategyOf(lines, isBars))
  writeFileSync(files.job, JSON.stringify({ market: files.market, fee, rungs: rungsOf(lines) }))
  return files
}

type Order = [side: 'buy' | 'sell', price: string]
type Rung = [amount: string, orders: [entry: Order, exit: Order]]

/** The order of each rung, and the one that replaces it when it is filled, one line nearer to the middle. */
function rungsOf({ levels, step }: GridLines): Rung[] {
  const half = (levels - 1) / 2
  const priceOf = (line: number) => (middle + line * step).toFixed(2)
  const amount = (total / (levels - 1)).toFixed(6)
  return Array.from({ length: half }, (_, index) => index + 1).flatMap((line): Rung[] => [
    [
      amount,
      [
        ['buy', priceOf(-line)],
        ['sell', priceOf(1 - line)],
      ],
    ],
    [
      amount,
      [
        ['sell', priceOf(line)],
        ['buy', priceOf(line - 1)],
      ],
    ],
  ])
}

/** With trades, a rule reads the close of each minute. */
function strategyOf({ levels, step }: GridLines, isBars: boolean): string {
  const [from, to] = [-1, 1].map((side) => (middle + (side * step * (levels - 1)) / 2).toFixed(2))
  return `
version: 1
name: grid
needs: [bulk, history, balance]
markets:
  btc: { symbol: BTC_USDT }
feeds: ${isBars ? '{}' : '{ px: { source: candles, market: btc, interval: 1m, stale_after: 90s } }'}
ladder:
  lines:
    market: btc
    side: both
    anchor: ${middle}
    levels: ${levels}
    spacing: { kind: range, from: ${from}, to: ${to} }
    size: { total: ${total} base }
    exit: { mirror: 1 }
    flags: { postOnly: true }
rules:
  - { id: place, when: '${isBars ? 'position(btc) < 1000' : 'last(px) > 0'}', do: [ensure: lines] }
${guards.replace('max_open_orders: 120', 'max_open_orders: 300')}`
}

const priceOf = (units = 0) => units / 1e9

function barsText(market: HistoricalMarket): string {
  const rows = ['timestamp,open,high,low,close,volume']
  for (const { at, units, count } of market.blocks()) {
    for (let place = 0; place < count; place += 4) {
      const [open = 0, one = 0, other = 0, close = 0] = units.subarray(place, place + 4)
      const prices = [open, Math.max(one, other), Math.min(one, other), close].map(priceOf)
      rows.push([at[place], ...prices, 100].join(','))
    }
  }
  return `${rows.join('\n')}\n`
}

function tradesText(market: HistoricalMarket): string {
  const rows = ['timestamp,price,amount,side']
  for (const { at, units, count } of market.blocks())
    for (let place = 0; place < count; place++) rows.push(`${at[place]},${priceOf(units[place])},25,buy`)
  return `${rows.join('\n')}\n`
}
