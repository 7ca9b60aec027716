/** A grid in the spot market, and a short leg in the perpetual that is as large as what the grid holds. */
export function hedgeText(...changes: [string, string][]): string {
  let text = `version: 1
name: hedge
needs: [bulk, history, balance, cancel]
markets:
  spot: BTC_USDT
  perp: BTC_PERP
feeds:
  s: { source: book, market: spot }
  p: { source: book, market: perp }
ladder:
  long:
    market: spot
    side: buy
    anchor: 60000
    levels: 2
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 0.2 base }
  short:
    market: perp
    side: sell
    anchor: bid(p)
    rebase: on_fill
    levels: 1
    spacing: { kind: offsets, at: [0%] }
    size: { total: '(position(spot) + position(perp)) base' }
rules:
  - { id: run, when: 'position(spot) > -1', do: [ensure: long, ensure: short] }
risk:
  max_notional: { spot: 20000, perp: 20000 }
  worst_case: { move: 20%, max_loss: 20000 }
  drawdown: { pause: 30%, halt: 50% }
`
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the text has no ${from}`)
    text = text.replace(from, to)
  }
  return text
}
