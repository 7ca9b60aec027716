import { guards } from '#test/strategy/required-limits.ts'

export type Grid = {
  levels: number
  from: number
  to: number
  /** What all lines cost together. */
  total: number
  when?: string
  feeds?: string
  side?: 'both' | 'buy'
  exit?: string
  /** The last sections of the file. */
  limits?: string
}

/** A feed of closes of a minute. */
export const closes = '{ px: { source: candles, market: btc, interval: 1m, stale_after: 90s } }'
const filled = guards.replace('max_open_orders: 120', 'max_open_orders: 1000')

/** The strategy file of a grid around 60,000. Its rule is true as long as the bot runs. */
export function gridFile({ levels, from, to, total, ...about }: Grid): string {
  const { when = 'position(btc) < 1000', feeds = '{}', side = 'both' } = about
  const { exit = '{ mirror: 1 }', limits = filled } = about
  return `
version: 1
name: grid
needs: [bulk, history, balance]
markets: { btc: { symbol: BTC_USDT } }
feeds: ${feeds}
ladder:
  lines:
    market: btc
    side: ${side}
    anchor: 60000
    levels: ${levels}
    spacing: { kind: range, from: ${from}, to: ${to} }
    size: { total: ${total} quote }
    exit: ${exit}
    flags: { postOnly: true }
rules:
  - { id: place, when: '${when}', do: [ensure: lines] }
${limits}`
}
