import { atLeastZero, least, positive, sum, times, up } from './naive-arithmetic.ts'
import {
  quantumOf,
  rulesOf,
  type NaiveAccount,
  type NaiveOrder,
  type NaivePosition,
  type NaiveVenue,
  type Side,
  type Wish,
} from './naive-records.ts'

/** Equity, margin and free amount of an account, all summed anew at every request. */

/** An order trades for the short position only in hedge mode, and only if it says so. */
export function bucketOf(account: NaiveAccount, { position }: Pick<Wish, 'position'>): 0 | 1 {
  return account.hedged && position === 'SHORT' ? 1 : 0
}

export function positionOf(
  { positions }: NaiveAccount,
  market: string,
  bucket: 0 | 1,
): NaivePosition | undefined {
  return positions.find((position) => position.market === market && position.bucket === bucket)
}

/** The amount that an order of this account could close: a sell closes a long position, a buy a short one. */
export function closable(account: NaiveAccount, order: Pick<Wish, 'market' | 'side' | 'position'>): bigint {
  const amount = positionOf(account, order.market, bucketOf(account, order))?.amount ?? 0n
  return atLeastZero(order.side === 'sell' ? amount : -amount)
}

function positionsIn(venue: NaiveVenue, account: NaiveAccount, money: string): NaivePosition[] {
  return account.positions.filter(({ market }) => rulesOf(venue, market).money === money)
}

export function worthOf({ mark }: NaiveVenue, { market, amount }: NaivePosition): bigint {
  return times(positive(amount), mark[market] ?? 0n)
}

/** Money and unrealised profit at the mark price, less the debt to the insurance. */
export function equityOf(venue: NaiveVenue, account: NaiveAccount, money: string): bigint {
  const profits = positionsIn(venue, account, money).map((position) => {
    const worth = worthOf(venue, position)
    return position.amount > 0n ? worth - position.cost : position.cost - worth
  })
  return (account.collateral[money] ?? 0n) - (account.owed[money] ?? 0n) + sum(profits)
}

/** In thousandths of the value: the higher the leverage, the lower. */
function maintenanceRate(leverage: bigint): bigint {
  if (leverage <= 10n) return 30n
  if (leverage <= 20n) return 25n
  return leverage <= 50n ? 10n : 5n
}

export function maintenanceOf(venue: NaiveVenue, account: NaiveAccount, money: string): bigint {
  const rate = maintenanceRate(account.leverage)
  return sum(positionsIn(venue, account, money).map((position) => up(worthOf(venue, position) * rate, 1000n)))
}

/** Each position needs its cost divided by the leverage. */
export function marginOf(venue: NaiveVenue, account: NaiveAccount, money: string): bigint {
  return sum(positionsIn(venue, account, money).map(({ cost }) => up(cost, account.leverage)))
}

/** The reserve of resting orders in all markets with this money. */
export function reservedOf(venue: NaiveVenue, account: NaiveAccount, money: string): bigint {
  const markets = Object.keys(venue.rules).filter((market) => rulesOf(venue, market).money === money)
  return sum(
    markets.flatMap((market) =>
      ([0, 1] as const).map((bucket) => {
        const { opening, closing } = needsOf(venue, account, market, bucket, ordersOf(venue, account))
        return opening + atLeastZero(closing)
      }),
    ),
  )
}

export function freeOf(venue: NaiveVenue, account: NaiveAccount, money: string): bigint {
  const held = reservedOf(venue, account, money) + marginOf(venue, account, money)
  return equityOf(venue, account, money) - held
}

/** Orders that reserve collateral: reduce-only orders never do. */
export function ordersOf({ resting }: NaiveVenue, account: NaiveAccount): NaiveOrder[] {
  return resting.filter((order) => order.account === account && !order.spot && !order.reduceOnly)
}

type Binding = Pick<NaiveOrder, 'market' | 'side' | 'position' | 'left' | 'price'>

/**
 * Orders against the position close it, each in proportion; their loss beyond the freed margin is reserved. All other
 * lots open, and need their margin.
 */
export function needsOf(
  venue: NaiveVenue,
  account: NaiveAccount,
  market: string,
  bucket: 0 | 1,
  orders: readonly Binding[],
  more?: { side: Side; amount: bigint; money: bigint },
): { opening: bigint; closing: bigint } {
  const { amount: standing, cost: paid } = positionOf(account, market, bucket) ?? { amount: 0n, cost: 0n }
  const quantum = quantumOf(venue, market)
  const against = standing > 0n ? 'sell' : 'buy'
  let opens = 0n
  let closed = 0n
  let back = 0n
  for (const side of ['buy', 'sell'] as const) {
    const own = orders.filter(
      (order) => order.market === market && order.side === side && bucketOf(account, order) === bucket,
    )
    const extra = more?.side === side ? more : { amount: 0n, money: 0n }
    const amount = sum(own.map(({ left }) => left)) + extra.amount
    const money = sum(own.map(({ left, price }) => times(left, price))) + extra.money
    const closing = side === against ? least(amount, positive(standing)) : 0n
    const share = closing === 0n ? 0n : (((money / quantum) * closing) / amount) * quantum
    closed += closing
    back += share
    opens += money - share
  }
  if (closed === 0n) return { opening: up(opens, account.leverage), closing: 0n }
  const cost = (paid * closed) / positive(standing)
  const loss = against === 'sell' ? cost - back : back - cost
  return { opening: up(opens, account.leverage), closing: loss - cost / account.leverage }
}

/** The reserve of a spot order of this size: the base asset, or the money and the higher fee. */
export function spotHold(
  venue: NaiveVenue,
  { market, side, price }: Pick<Wish, 'market' | 'side' | 'price'>,
  amount: bigint,
) {
  const { base, money, makerFee, takerFee } = rulesOf(venue, market)
  if (side === 'sell') return { asset: base, amount }
  const total = times(amount, price)
  return { asset: money, amount: total + up(total * (makerFee > takerFee ? makerFee : takerFee), 10n ** 18n) }
}

export function spotHeld(venue: NaiveVenue, account: NaiveAccount, asset: string): bigint {
  const holds = venue.resting
    .filter((order) => order.account === account && order.spot)
    .map((order) => spotHold(venue, order, order.left))
  return sum(holds.filter((hold) => hold.asset === asset).map(({ amount }) => amount))
}
