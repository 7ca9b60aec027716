const quotes = (name: string, side: string) => `
  ${name}:
    market: btc
    side: ${side}
    anchor: mid(book)
    rebase: { drift: 0.05%, min_gap: 2s, amend: true }
    levels: 1
    spacing: { kind: arithmetic, first: 0.2%, step: 0.2% }
    size: { total: 600 quote }`

/** One bid and one ask on BTC_PERP, which are amended when the price moves. */
export const amendedQuotes = `
version: 1
name: maker
markets: { btc: BTC_PERP }
feeds: { book: { source: book, market: btc, stale_after: 10m } }
ladder:${quotes('bids', 'buy')}${quotes('asks', 'sell')}
rules:
  - { id: go, when: mid(book) > 0, do: [ensure: bids, ensure: asks] }
risk:
  max_notional: { btc: 10000 }
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 50%, halt: 90% }
`
