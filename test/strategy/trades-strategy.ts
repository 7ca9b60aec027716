/** A ladder that is placed while takers buy more than they sell, and rules about other windows. */
export function tradesStrategy(about: {
  feed?: string
  bought?: string
  between?: string
  tests?: string
}): string {
  const {
    feed = '',
    bought = 'buy_volume(flow, "5s") > sell_volume(flow, "5s")',
    between = 'volume_between(flow, 60000, 60001, "1m") > 1',
  } = about
  return `version: 1
name: flow
markets: { btc: BTC_PERP }
feeds:
  flow: { source: trades, market: btc${feed} }
ladder:
  entry:
    market: btc
    side: buy
    anchor: 60000
    levels: 2
    spacing: { kind: geometric, first: 0.01%, step: 0.01% }
    size: { first: 100 quote }
rules:
  - { id: bought, when: '${bought}', do: [ensure: entry] }
  - { id: many, when: 'trade_count(flow, "20s") > 30', do: [alert: many trades] }
  - { id: between, when: '${between}', do: [alert: much between these prices] }
risk:
  max_notional: { total: 1000 }
  worst_case: { move: -10%, max_loss: 500 }
  drawdown: { pause: 50%, halt: 60% }
${about.tests ?? ''}`
}
