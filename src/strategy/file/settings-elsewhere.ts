import { conditionsElsewhere, hintFor } from '#src/strategy/expressions/functions-elsewhere.ts'

const stop = 'a stop is part of a ladder: exit: { stop: { pct: 5% } }'
const takeProfit = 'a take profit is part of a ladder: exit: { tp: { pct: 2% } }'
const venueFile = 'the account and its key are in the venue file: rungs run FILE --venue VENUE.yaml'
const days = 'days are part of a schedule: schedule: Mon,Tue,Wed,Thu,Fri 09:00 UTC'
const expiry =
  'rungs do not expire, but a rule can cancel them: { id: expire, when: open_hours(dip) > 24, do: [retire: dip] }'
const cancel = 'retire cancels the open rungs of a ladder: do: [retire: dip]'

/** Keys of the strategies of other bots, and where a strategy of Rungs has the same setting. */
export const settingsElsewhere: ReadonlyMap<string, string> = new Map([
  ['leverage', 'leverage holds for the whole account: write it at the top of the file, beside markets'],
  ...hintFor(stop, 'stoploss', 'stop_loss'),
  ...hintFor(takeProfit, 'take_profit', 'minimal_roi'),
  ['timeframe', 'candles are feeds: px: { source: candles, market: btc, interval: 1h }'],
  ...hintFor(venueFile, 'exchange', 'api_key'),
  ...hintFor(days, 'days', 'weekdays'),
  ...hintFor(expiry, 'expires', 'expiry', 'ttl', 'valid_until', 'time_in_force'),
  ...hintFor(cancel, 'cancel', 'cancel_orders', 'cancel_all'),
  ...conditionsElsewhere,
])
