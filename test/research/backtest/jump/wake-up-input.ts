import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { times } from '#test/properties/runs.ts'
import { madeBars, monday } from '#test/research/backtest/market/generated-market.ts'

/** The slow run looks at an hour or more. */
export const walk = { seed: 4, minutes: times(60, 180, 40), price: 60_000, pace: 0.0015, from: monday }

export type WakeUpParts = {
  feeds?: string
  lets?: string
  ladder?: string
  rules: string[]
  risk?: string
  chunk?: number
  rate?: string
  stopOnFail?: boolean
  balance?: string
  market?: HistoricalMarket
  /** Whether it reads candles of a minute, besides. */
  minutes?: boolean
  from?: number
  /** Seconds from the start, name and value. */
  signals?: [number, string, string][]
}

export const dip =
  '{ market: btc, side: buy, anchor: 60000, levels: 6, spacing: { kind: geometric, first: 0.03%, step: 0.1% },' +
  ' size: { first: 300 quote }, exit: { tp: { pct: 0.1% } } }'

export function inputOf(parts: WakeUpParts): BacktestInput {
  const { rules, feeds = '', lets = '', ladder = dip, risk = '', rate = '{ requests: 8, per: 1s }' } = parts
  const { chunk = 8, market = madeBars(walk), from = market.beginsAt } = parts
  const minutes =
    parts.minutes === false ? '' : '  px: { source: candles, market: btc, interval: 1m, stale_after: 600s }\n'
  const text = `
version: 1
name: look
needs: [bulk, history, balance, cancel]
markets: { btc: { symbol: BTC_USDT } }
feeds:${minutes || feeds ? '' : ' {}'}
${minutes}${feeds}
${lets && `let:\n  ${lets}`}
ladder:
  l0: ${ladder}
rules:
${rules.map((rule, index) => `  - { id: r${index}, ${rule} }`).join('\n')}
risk:
  max_notional: { total: 100000 }
  max_open_orders: 60
  worst_case: { move: -5%, max_loss: 20000 }
  drawdown: { pause: 50%, halt: 70% }
${risk}
  in_doubt: { block: level, halt_after: 60s }
submit:
  chunk: ${chunk}
  order: nearest_first
  stopOnFail: ${parts.stopOnFail === true}
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: ${rate}
`
  const strategies = [{ path: 'look.yaml', text }]
  const markets = new Map([['BTC_USDT', market]])
  const { balance, signals } = parts
  const rows = (signals ?? []).map(([after, name, value], index) => ({
    at: from + after * 1000,
    name,
    value,
    line: index + 1,
  }))
  return {
    strategies,
    markets,
    from,
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    ...(balance !== undefined && { balance }),
    ...(signals && { signals: { file: 'signals.csv', rows } }),
  }
}
