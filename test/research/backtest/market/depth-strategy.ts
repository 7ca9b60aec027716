/** A ladder that is placed while more is bid than asked, and rules about other values of order books. */
export function depthStrategy(about: { feed?: string; other?: string; heavy?: string } = {}): string {
  const { feed = 'within: 0.1%', other = 'levels: 2', heavy = 'imbalance(deep) > 0.2' } = about
  return `version: 1
name: books
markets: { btc: BTC_PERP }
feeds:
  deep: { source: depth, market: btc, ${feed} }
  two: { source: depth, market: btc, ${other} }
ladder:
  entry:
    market: btc
    side: buy
    anchor: 60000
    levels: 2
    spacing: { kind: geometric, first: 0.01%, step: 0.01% }
    size: { first: 100 quote }
rules:
  - { id: heavy, when: '${heavy}', do: [ensure: entry] }
  - { id: light, when: 'micro_price(deep) < 60000 && bid_volume(two) < ask_volume(two)', do: [retire: entry] }
risk:
  max_notional: { total: 1000 }
  worst_case: { move: -10%, max_loss: 500 }
  drawdown: { pause: 50%, halt: 60% }
`
}
