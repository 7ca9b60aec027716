/** The meaning of each field, the same in every event. Money, prices and amounts are decimal text. */
export type Fields = {
  strategy: string
  /** A strategy file. */
  file: string
  /** The name of the market at the venue. */
  market: string
  ladder: string
  /** The label of a rung or of an exit. */
  rung: string
  /** The client_order_id. */
  order: string
  rule: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  /** The amount of an order that has filled so far. */
  filled: string
  /** What a fill cost or earned, before the fee. */
  money: string
  fee: string
  goal: string
  anchor: string
  episode: number
  chunk: number
  orders: number
  leverage: number
  rungs: number
  fills: number
  accepted: number
  refused: number
  unknown: number
  /** Resolved orders with unknown outcome: orders that the venue had, and orders that it did not have. */
  placed: number
  absent: number
  /** Orders whose outcome is still unknown. */
  doubtful: number
  /** Profit or loss, with fees. */
  result: string
  fees: string
  currency: string
  outcome: string
  /** A code of the venue or of an error. */
  code: string | number | null
  /** The kind of an exit, of a limit that blocks an order, or of an error. */
  kind: string
  message: string
  /** The exits during a halt or a stop: they work, only reduce what the venue's position shows, or are frozen. */
  exits: 'work' | 'reduce' | 'frozen'
  /** The reason, as text for people. */
  reason: string
  /** The smallest change that would have made the condition true. */
  change: string
  /** The feed of a strategy, or the channel of a stream. */
  feed: string
  /** The name of a signal, and its value: a number as decimal text, or a state. */
  signal: string
  value: string
  ageMs: number
  tookMs: number
  capabilities: readonly string[]
  strategies: readonly string[]
  problems: number
  /** A process of a fleet, with its machine. */
  holder: string
  /** Number of a lease of a fleet: the next one is higher. */
  epoch: number
  records: number
  bytes: number
  alerts: number
  /** The receiver of an alert. */
  target: string
  /** The end of a time span, Unix milliseconds. */
  until: number
  version: string
  /** The address of the venue. */
  url: string
  /** Whether the state of the bot agrees with the venue. */
  agrees: boolean
  /** How the state of the bot and the venue disagree. */
  difference: string
  /** Age of the last complete reading of the account. */
  readAgeMs: number
  /** The line of the program that threw the error. */
  where: string
}
