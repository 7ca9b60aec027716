/** The begin of a strategy file: a ladder with one order, which buys 0.05 at 60000. Its exits, rules and limits follow. */
export const oneBuy = `
version: 1
name: dips
markets:
  btc: { symbol: BTC_PERP }
feeds:
  px: { source: candles, market: btc, interval: 1m, stale_after: 1d }
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    levels: 1
    spacing: { kind: offsets, at: [0%] }
    size: { total: 3000 quote }`
