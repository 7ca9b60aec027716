import { feesOf } from '#src/cli/backtest/backtest-flags.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'

type Ladder = { side?: 'buy' | 'sell'; money?: number; exit?: string }

/** Levels of 1 % around 60 000: bids at 59400 and 58800, asks at 60600 and 61200. */
export function ladderText({ side = 'buy', money = 1188, exit = '' }: Ladder, name = 'one'): string {
  return `
  ${name}:
    market: btc
    side: ${side}
    anchor: 60000
    levels: 2
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: ${money} quote }
    ${exit}`
}

export function fileOf(ladders: string[], names: string[]): string {
  return `
version: 1
name: g
needs: [bulk, history, balance, cancel]
markets: { btc: { symbol: BTC_PERP } }
feeds: { px: { source: candles, market: btc, interval: 1m, stale_after: 90s } }
ladder:${ladders.join('')}
rules:
  - { id: place, when: last(px) > 0, do: [${names.map((name) => `ensure: ${name}`).join(', ')}] }
${guards}`
}

/** Each price for five minutes, with a trade of this amount each minute. Fees are 0.1 %. */
export function inputOf(text: string, prices: number[], more: { amount?: number } = {}): BacktestInput {
  const trades = prices.flatMap((price, place) =>
    Array.from({ length: 5 }, (_, minute) => ({ at: monday + (place * 5 + minute) * 60_000, price })),
  )
  return {
    strategies: [{ path: 'g.yaml', text }],
    markets: new Map([['', tradesAt(trades, more.amount)]]),
    balance: '10000',
    fees: feesOf('0.1%,0.1%'),
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
  }
}

export const played = (ladder: Ladder, prices: number[], more?: { amount?: number }) =>
  runBacktest(inputOf(fileOf([ladderText(ladder)], ['one']), prices, more))
