import { add, least, positive, times, up, one } from './naive-arithmetic.ts'
import { bucketOf, closable, positionOf } from './naive-margin.ts'
import { rulesOf, type NaiveAccount, type NaiveOrder, type NaiveVenue, type Wish } from './naive-records.ts'

/** The effect of a fill on the account of one side. */

type Fill = { amount: bigint; price: bigint; fee: bigint }

export function settle(
  venue: NaiveVenue,
  order: NaiveOrder,
  amount: bigint,
  price: bigint,
  rate: bigint,
): void {
  const money = times(amount, price)
  const fee = up(money * rate, one)
  order.left -= amount
  order.money += money
  order.fee += fee
  if (order.spot) settleSpot(venue, order, { amount, price, fee })
  else settleCollateral(venue, order.account, order, { amount, price, fee })
}

/** Base asset against money, and the fee in money. */
function settleSpot(
  venue: NaiveVenue,
  { account, market, side }: NaiveOrder,
  { amount, price, fee }: Fill,
): void {
  const { base, money } = rulesOf(venue, market)
  const purse = account.house ? venue.house : account.spot
  const sign = side === 'buy' ? 1n : -1n
  add(purse, base, sign * amount)
  add(purse, money, -sign * times(amount, price) - fee)
  add(venue.fees, money, fee)
}

/** It closes as much of the position as possible, and opens with the rest. */
export function settleCollateral(
  venue: NaiveVenue,
  account: NaiveAccount,
  order: Pick<Wish, 'market' | 'side' | 'position'>,
  { amount, price, fee }: Fill,
): void {
  const { market, side } = order
  const { money } = rulesOf(venue, market)
  const bucket = bucketOf(account, order)
  const standing = positionOf(account, market, bucket)
  const position = standing ?? { market, bucket, amount: 0n, cost: 0n, realised: 0n, funding: 0n }
  if (standing === undefined) account.positions.push(position)
  const closing = least(amount, closable(account, order))
  if (closing > 0n) {
    const cost = (position.cost * closing) / positive(position.amount)
    const worth = times(closing, price)
    const profit = side === 'sell' ? worth - cost : cost - worth
    position.cost -= cost
    position.realised += profit
    receive(venue, account, money, profit)
  }
  if (closing < amount && closing > 0n) Object.assign(position, { realised: 0n, funding: 0n })
  position.cost += times(amount - closing, price)
  position.amount += side === 'buy' ? amount : -amount
  position.realised -= fee
  receive(venue, account, money, -fee)
  add(venue.fees, money, fee)
  if (position.amount !== 0n) return
  account.positions.splice(account.positions.indexOf(position), 1)
  forgive(venue, account, money)
}

/**
 * Money credited or, if negative, charged. The insurance advances what is missing, and the account owes it; credits pay
 * the debt back first.
 */
export function receive(venue: NaiveVenue, account: NaiveAccount, money: string, amount: bigint): void {
  if (account.house) return add(venue.house, money, amount)
  const has = account.collateral[money] ?? 0n
  const owes = account.owed[money] ?? 0n
  const back = amount > 0n ? least(amount, owes) : 0n
  const short = amount < 0n ? least(0n, has + amount) : 0n
  account.owed[money] = owes - back - short
  account.collateral[money] = has + amount - back - short
  add(venue.insurance, money, back + short)
}

/** Without a position no profit can follow that would pay it back. */
function forgive(venue: NaiveVenue, account: NaiveAccount, money: string): void {
  if (account.positions.some(({ market }) => rulesOf(venue, market).money === money)) return
  const back = least(account.owed[money] ?? 0n, account.collateral[money] ?? 0n)
  if (back > 0n) {
    add(account.collateral, money, -back)
    add(venue.insurance, money, back)
  }
  account.owed[money] = 0n
}
