/** What the naive model writes down. Amounts, prices and money are bigints of 10^-18 everywhere, ids are numbers. */

export type Side = 'buy' | 'sell'
type SelfTrade = 'no' | 'cb' | 'cn' | 'co'
type Status =
  | 'OPEN'
  | 'FILLED'
  | 'CANCELED'
  | 'CANCELED_STP'
  | 'CANCELED_TAKER_BAND'
  | 'AUTO_CANCELED_REDUCE_ONLY'
  | 'AUTO_CANCELED_LIQUIDATION'

/** The rules of one market, as the world has them. */
export type Rules = {
  kind: 'spot' | 'futures'
  base: string
  money: string
  priceDigits: number
  amountDigits: number
  minAmount: bigint
  minTotal: bigint
  maxTotal: bigint
  makerFee: bigint
  takerFee: bigint
}

/** What somebody asks for. */
export type Wish = {
  market: string
  side: Side
  amount: bigint
  /** The limit; of a market order the end of the band. */
  price: bigint
  clientId: string
  position: 'LONG' | 'SHORT' | 'BOTH'
  selfTrade: SelfTrade
  postOnly: boolean
  ioc: boolean
  rpi: boolean
  reduceOnly: boolean
  spot: boolean
  atMarket: boolean
  /** Another order waits to come in its place. */
  linked: boolean
}

/** What an order is unless it says otherwise. */
export const offHand = {
  clientId: '',
  position: 'BOTH',
  selfTrade: 'no',
  postOnly: false,
  ioc: false,
  rpi: false,
  reduceOnly: false,
  spot: false,
  atMarket: false,
  linked: false,
} as const satisfies Partial<Wish>

export type NaiveOrder = Wish & {
  id: number
  account: NaiveAccount
  left: bigint
  money: bigint
  fee: bigint
  status: Status
}

/** An order that waits until the last price has come to its own. */
export type NaiveWait = Wish & {
  id: number
  account: NaiveAccount
  activation: bigint
  rises: boolean
  /** The order that it ends when it comes, and that ends it. 0 for none. */
  other: number
}

export type NaivePosition = {
  market: string
  /** 1 for the short positions of hedge mode. */
  bucket: 0 | 1
  /** Above zero for a long position, below for a short one. */
  amount: bigint
  /** What it was bought or sold for. */
  cost: bigint
  realised: bigint
  funding: bigint
}

type NaiveDeal = {
  trade: number
  market: string
  order: number
  other: number
  side: Side
  taker: boolean
  price: bigint
  amount: bigint
  rpi: boolean
}

export type NaiveAccount = {
  name: string
  number: number
  house: boolean
  leverage: bigint
  hedged: boolean
  /** How many order ids it has drawn. */
  drawn: number
  /** Per asset, never below zero; of the house there is one purse for all, in the venue. */
  collateral: Record<string, bigint>
  spot: Record<string, bigint>
  /** Per money: what the insurance has advanced. */
  owed: Record<string, bigint>
  /** In the order in which they were opened. */
  positions: NaivePosition[]
  ended: NaiveOrder[]
  deals: NaiveDeal[]
  usedIds: Set<string>
}

export function beginAccount(
  name: string,
  number: number,
  money: Partial<Pick<NaiveAccount, 'leverage' | 'collateral' | 'spot' | 'house'>>,
): NaiveAccount {
  return {
    name,
    number,
    house: false,
    leverage: 1n,
    hedged: false,
    drawn: 0,
    collateral: {},
    spot: {},
    owed: {},
    positions: [],
    ended: [],
    deals: [],
    usedIds: new Set(),
    ...money,
  }
}

/** All that is going on. The room of files named naive stands on this and on nothing of the exchange. */
export type NaiveVenue = {
  /** What becomes of an order that may only make and would take. */
  crossing: 'refused' | 'canceled'
  /** Whether a client id stays used when its order has ended. */
  idsLast: boolean
  rules: Record<string, Rules>
  accounts: NaiveAccount[]
  /** Who takes over what cannot be sold off; one of the accounts. */
  insurer: NaiveAccount
  /** In the order of their arrival, whatever their market, side and price. */
  resting: NaiveOrder[]
  /** In the order of their arrival. */
  waiting: NaiveWait[]
  /** Per market, absent before the first trade. Positions are valued at the mark. */
  last: Record<string, bigint>
  mark: Record<string, bigint>
  trades: number
  /** Prices have moved since somebody looked at what follows from that. */
  moved: boolean
  /** Per asset: what the venue has taken, what the insurance has left, what the house has. */
  fees: Record<string, bigint>
  insurance: Record<string, bigint>
  house: Record<string, bigint>
}

export function beginVenue(
  rules: Record<string, Rules>,
  accounts: NaiveAccount[],
  insurer: NaiveAccount,
  choices: Pick<NaiveVenue, 'crossing' | 'idsLast'> = { crossing: 'refused', idsLast: true },
): NaiveVenue {
  return {
    ...choices,
    rules,
    accounts,
    insurer,
    resting: [],
    waiting: [],
    last: {},
    mark: {},
    trades: 0,
    moved: false,
    fees: {},
    insurance: {},
    house: {},
  }
}

/** What one lot costs at one tick: every product of a price and an amount is a whole number of them. */
export function quantumOf(venue: NaiveVenue, market: string): bigint {
  const { priceDigits, amountDigits } = rulesOf(venue, market)
  return 10n ** BigInt(18 - priceDigits - amountDigits)
}

export function rulesOf({ rules }: NaiveVenue, market: string): Rules {
  const found = rules[market]
  if (found === undefined) throw new RangeError(`no market ${market}`)
  return found
}
