/** The records of the naive model. Amounts, prices and money are bigints of 10^-18 everywhere, ids are numbers. */

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

/** The rules of one market, as in the world file. */
export type NaiveMarketRules = {
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

/** A requested order. */
export type Wish = {
  market: string
  side: Side
  amount: bigint
  /** The limit; for a market order the end of the band. */
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
  /** Another order waits to replace it. */
  linked: boolean
}

/** The defaults of an order. */
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

/** An order that waits until the last price reaches its activation price. */
export type NaiveWait = Wish & {
  id: number
  account: NaiveAccount
  activation: bigint
  rises: boolean
  /** The order that it ends when it activates, and vice versa. 0 for none. */
  other: number
}

export type NaivePosition = {
  market: string
  /** 1 for the short positions of hedge mode. */
  bucket: 0 | 1
  /** Positive for a long position, negative for a short one. */
  amount: bigint
  /** The money for which it was bought or sold. */
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
  /** Number of drawn order ids. */
  drawn: number
  /** Per asset, never negative; the house has one balance for all, in the venue. */
  collateral: Record<string, bigint>
  spot: Record<string, bigint>
  /** Per money: what the insurance has advanced. */
  owed: Record<string, bigint>
  /** In the order of opening. */
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

/** The whole state of the model. The files named naive depend on this and on nothing of the exchange. */
export type NaiveVenue = {
  /** What happens to a maker-only order that would take. */
  crossing: 'refused' | 'canceled'
  /** Whether a client id stays used after its order has ended. */
  idsLast: boolean
  rules: Record<string, NaiveMarketRules>
  accounts: NaiveAccount[]
  /** Takes over what cannot be sold; one of the accounts. */
  insurer: NaiveAccount
  /** In the order of arrival, whatever their market, side and price. */
  resting: NaiveOrder[]
  /** In the order of arrival. */
  waiting: NaiveWait[]
  /** Per market, absent before the first trade. Positions are valued at the mark. */
  last: Record<string, bigint>
  mark: Record<string, bigint>
  trades: number
  /** Prices have changed since the last check of the consequences. */
  moved: boolean
  /** Per asset: the fees, the insurance and the balance of the house. */
  fees: Record<string, bigint>
  insurance: Record<string, bigint>
  house: Record<string, bigint>
}

export function beginVenue(
  rules: Record<string, NaiveMarketRules>,
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

/** The cost of one lot at one tick: every product of a price and an amount is a multiple of it. */
export function quantumOf(venue: NaiveVenue, market: string): bigint {
  const { priceDigits, amountDigits } = rulesOf(venue, market)
  return 10n ** BigInt(18 - priceDigits - amountDigits)
}

export function rulesOf({ rules }: NaiveVenue, market: string): NaiveMarketRules {
  const found = rules[market]
  if (found === undefined) throw new RangeError(`no market ${market}`)
  return found
}
