/** A ladder that is placed while short positions pay, and a rule about the time of the payment. */
export function futuresStrategy(about: {
  market?: string
  feed?: string
  cheap?: string
  soon?: string
  tests?: string
}): string {
  const {
    market = 'BTC_PERP',
    feed = '',
    cheap = 'funding(fut) < 0',
    soon = 'funding_hours(fut) < 1',
  } = about
  return `version: 1
name: futent
markets: { btc: ${market} }
feeds:
  px: { source: candles, market: btc, interval: 1m, stale_after: 10m }
  fut: { source: futures, market: btc${feed} }
ladder:
  entry:
    market: btc
    side: buy
    anchor: 60000
    levels: 2
    spacing: { kind: geometric, first: 1%, step: 1% }
    size: { first: 100 quote }
rules:
  - { id: cheap, when: '${cheap}', do: [ensure: entry] }
  - { id: soon, when: '${soon}', do: [alert: a payment comes] }
risk:
  max_notional: { total: 1000 }
  worst_case: { move: -10%, max_loss: 500 }
  drawdown: { pause: 50%, halt: 60% }
${about.tests ?? ''}`
}
