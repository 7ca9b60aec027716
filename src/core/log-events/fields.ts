/** What a field means, wherever it stands. Money, prices and amounts are decimal text. */
export type Fields = {
  strategy: string
  /** A file of a strategy. */
  file: string
  /** The name of the market at the venue. */
  market: string
  ladder: string
  /** The label of the rung, or of the exit. */
  rung: string
  /** The client_order_id. */
  order: string
  rule: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  /** Of an order so far. */
  filled: string
  /** What a fill cost or brought, before the fee. */
  money: string
  fee: string
  goal: string
  anchor: string
  episode: number
  chunk: number
  orders: number
  rungs: number
  fills: number
  accepted: number
  refused: number
  unknown: number
  /** Doubts that have ended: the venue had the order, or had it not. */
  placed: number
  absent: number
  /** Orders that are in doubt still. */
  doubtful: number
  /** Profit or loss, fees included. */
  result: string
  fees: string
  currency: string
  outcome: string
  /** Of the venue, or of an error. */
  code: string | number | null
  /** What kind of thing: an exit, an error. */
  kind: string
  message: string
  /** What a halt or a stop leaves of the exits: they work, only reduce what the venue's position shows, or are frozen. */
  exits: 'work' | 'reduce' | 'frozen'
  /** Why, in words for people. */
  reason: string
  /** The smallest change that would have let it pass. */
  change: string
  /** The feed of a strategy, or the channel of a stream. */
  feed: string
  ageMs: number
  tookMs: number
  capabilities: readonly string[]
  strategies: readonly string[]
  problems: number
  records: number
  bytes: number
  alerts: number
  /** Who was to be told of something. */
  target: string
  /** When something ends, in Unix milliseconds. */
  until: number
  version: string
  /** Where the venue is. */
  url: string
  /** Whether the bot's view is that of the venue. */
  agrees: boolean
  /** How old its last whole reading of the account is. */
  readAgeMs: number
  /** The line of our code that an error comes from. */
  where: string
}
