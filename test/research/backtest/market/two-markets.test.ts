import { expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { madeTrades, monday } from './generated-market.ts'
import { played } from '#test/research/backtest/jump/step-everywhere.ts'

const minuteMs = 60_000
const tick = 0.01
const capital = 3000
const pauseAt = 0.003 * capital

const file = `
version: 1
name: pair
needs: [bulk, history, balance]
markets: { btc: { symbol: BTC_USDT }, eth: { symbol: ETH_USDT } }
feeds:
  px: { source: candles, market: btc, interval: 1m }
ladder:
  b: { market: btc, side: buy, anchor: 60000, levels: 1, spacing: { kind: offsets, at: [0.01%] }, size: { total: 1400 quote } }
  e: { market: eth, side: buy, anchor: 2500, levels: 1, spacing: { kind: offsets, at: [0.01%] }, size: { total: 1400 quote } }
rules:
  - { id: r0, when: 'position(btc) >= 0', do: [ensure: b, ensure: e] }
risk:
  max_notional: { total: ${capital} }
  max_open_orders: 10
  worst_case: { move: -5%, max_loss: 20000 }
  drawdown: { pause: 0.3%, halt: 50% }
  in_doubt: { block: level, halt_after: 60s }
submit:
  chunk: 5
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 8, per: 1s }
`

/** The middle of the book after the last trade up to this time. */
function middle(market: HistoricalMarket, at: number): number {
  let last = 0
  for (const block of market.blocks())
    for (let place = 0; place < block.count; place++)
      if ((block.at[place] ?? 0) <= at) last = (block.units[place] ?? 0) / 1e9
  return last + tick / 2
}

test.each([3, 5, 7, 8, 9])(
  'the common loss of two markets pauses at the price that reaches it, seed %d',
  async (seed) => {
    const walk = { minutes: 12, pace: 0.0004, drift: -0.0002 }
    const markets = new Map([
      ['BTC_USDT', madeTrades({ ...walk, seed, price: 60_000, digits: 2 }, 1700)],
      ['ETH_USDT', madeTrades({ ...walk, seed: seed + 100, price: 2500, digits: 2 }, 2300)],
    ])
    const input: BacktestInput = {
      strategies: [{ path: 'pair.yaml', text: file }],
      markets,
      from: monday,
      latencyMs: 50,
      fill: 'through',
      seed: 'a',
    }
    const { notes, result } = await played(input)
    const paused = notes.find(({ type }) => type === 'paused')?.at
    expect(new Set(result.fills.map(({ market }) => market)).size).toBe(2)
    expect(paused).toBe(lossReached(result.fills, markets))
    expect((paused ?? 0) % minuteMs).not.toBe(0)
  },
)

/** The first price at which the result has this drawdown, computed from the fills and the trades. */
function lossReached(
  fills: readonly { at: number; market: string; price: string; amount: string; fee: string }[],
  markets: ReadonlyMap<string, HistoricalMarket>,
): number | undefined {
  const last = Math.max(...fills.map(({ at }) => at))
  const times = new Set(fills.map((fill) => fill.at))
  for (const market of markets.values())
    for (const { at } of market.blocks()) for (const time of at) times.add(time)
  let best = 0
  for (const at of [...times].toSorted((a, b) => a - b)) {
    let result = 0
    for (const fill of fills) {
      if (fill.at > at) continue
      const price = middle(markets.get(fill.market)!, at)
      result += Number(fill.amount) * (price - Number(fill.price)) - Number(fill.fee)
    }
    best = Math.max(best, result)
    if (at > last && best - result >= pauseAt) return at
  }
  return undefined
}
