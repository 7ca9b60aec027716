import { guards } from '#test/strategy/required-limits.ts'

/** A strategy with a single order, 0.5 % from 60 000: a buy at 59 700 or a sell at 60 300. */
export function oneOrder({
  side = 'buy',
  money,
  exit = '',
}: {
  side?: 'buy' | 'sell'
  money: number
  exit?: string
}): string {
  return `
version: 1
name: held
needs: [bulk, history, balance]
markets: { btc: { symbol: BTC_PERP } }
feeds: { px: { source: candles, market: btc, interval: 1m, stale_after: 90s } }
ladder:
  one:
    market: btc
    side: ${side}
    anchor: 60000
    levels: 1
    spacing: { kind: arithmetic, first: 0.5%, step: 1% }
    size: { total: ${money} quote }
    ${exit}
rules:
  - { id: place, when: last(px) > 0, do: [ensure: one] }
${guards}`
}
