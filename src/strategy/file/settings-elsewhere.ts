const stop = 'a stop is part of a ladder: exit: { stop: { pct: 5% } }'
const takeProfit = 'a take profit is part of a ladder: exit: { tp: { pct: 2% } }'
const venueFile = 'the account and its key are in the venue file: rungs run FILE --venue VENUE.yaml'

/** Keys of the strategies of other bots, and where a strategy of Rungs has the same setting. */
export const settingsElsewhere: ReadonlyMap<string, string> = new Map([
  ['leverage', 'leverage is a setting of the account: rungs api set-leverage, or --leverage in a backtest'],
  ['stoploss', stop],
  ['stop_loss', stop],
  ['take_profit', takeProfit],
  ['minimal_roi', takeProfit],
  ['timeframe', 'candles are feeds: px: { source: candles, market: btc, interval: 1h }'],
  ['exchange', venueFile],
  ['api_key', venueFile],
])
