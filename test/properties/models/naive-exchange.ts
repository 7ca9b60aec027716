/**
 * A model of trading written for reading and not for speed, from the assumptions alone: resting orders are in one list
 * that is scanned from end to end, and reserved amounts are summed anew at every request. The files named naive import
 * nothing from the room that they are compared with. This file has the commands.
 */
import { atLeastZero, least, most, one, positive, sum, times, up } from './naive-arithmetic.ts'
import { bucketOf, closable, freeOf, needsOf, ordersOf, spotHeld, spotHold } from './naive-margin.ts'
import { equityOf, maintenanceOf, worthOf } from './naive-margin.ts'
import { bandEnd, begin, drawId, end, meet, opposite, partners, queue } from './naive-matching.ts'
import {
  quantumOf,
  rulesOf,
  type NaiveAccount,
  type NaiveOrder,
  type NaivePosition,
} from './naive-records.ts'
import { offHand, type NaiveVenue, type NaiveWait, type Wish } from './naive-records.ts'
import { receive, settleCollateral } from './naive-settlement.ts'

export type Refused = 'would-take' | 'no-balance' | 'too-big' | 'nothing-to-reduce' | 'no-opposite-order'

/** Returns the order before prices that it moved have an effect. */
export function place(
  venue: NaiveVenue,
  account: NaiveAccount,
  wish: Wish,
  id?: number,
): NaiveOrder | Refused {
  const refused = judge(venue, account, wish)
  if (refused !== undefined) return refused
  if (wish.clientId !== '') account.usedIds.add(wish.clientId)
  return { ...enter(venue, account, wish, id ?? drawId(account)) }
}

/** Whether the book and the balance permit it. `instead` is an order that ends when this one is placed. */
function judge(
  venue: NaiveVenue,
  account: NaiveAccount,
  wish: Wish,
  instead?: NaiveOrder,
): Refused | undefined {
  const { market, side, price } = wish
  const makers = partners(venue, market, side, price)
  if (onlyMakes(wish) && makers.length > 0 && venue.crossing === 'refused') return 'would-take'
  if (wish.atMarket && queue(venue, market, opposite(side)).length === 0) return 'no-opposite-order'
  const amount = cut(account, wish)
  if (amount === 0n) return 'nothing-to-reduce'
  if (account.house) return undefined
  const sized = { ...wish, amount }
  // Only a sell order can need more than its limit says: by matching better prices.
  const worst = side === 'sell' && !onlyMakes(wish) ? soldFor(venue, sized) : times(amount, price)
  const others = besideOf(venue, account, wish, instead)
  const all = worst + sum(others.map((order) => times(order.left, order.price)))
  if (all > mostQuanta * quantumOf(venue, market)) return 'too-big'
  if (wish.spot) {
    const hold = spotHold(venue, wish, amount)
    const lifted = instead === undefined ? 0n : spotHold(venue, instead, instead.left).amount
    const free = (account.spot[hold.asset] ?? 0n) - spotHeld(venue, account, hold.asset) + lifted
    return hold.amount > free ? 'no-balance' : undefined
  }
  return canBack(venue, account, sized, worst, others, instead) ? undefined : 'no-balance'
}

/** Products of price and amount are whole quanta, exact up to this number. */
const mostQuanta = 2n ** 53n - 1n

/** The other orders that open and close the same position. An order that can only reduce is checked alone. */
function besideOf(venue: NaiveVenue, account: NaiveAccount, wish: Wish, instead?: NaiveOrder): NaiveOrder[] {
  if (wish.reduceOnly || wish.spot) return []
  return ordersOf(venue, account).filter(
    (order) =>
      order !== instead &&
      order.market === wish.market &&
      bucketOf(account, order) === bucketOf(account, wish),
  )
}

const onlyMakes = ({ postOnly, rpi }: Wish) => postOnly || rpi

/** A reduce-only order is never larger than the position. */
function cut(account: NaiveAccount, wish: Wish): bigint {
  return wish.reduceOnly ? least(wish.amount, closable(account, wish)) : wish.amount
}

/** Whether the free amount covers what the order opens, and its fee. */
function canBack(
  venue: NaiveVenue,
  account: NaiveAccount,
  wish: Wish,
  worst: bigint,
  others: readonly NaiveOrder[],
  instead?: NaiveOrder,
): boolean {
  const { market, side, amount } = wish
  const { money, makerFee, takerFee } = rulesOf(venue, market)
  const bucket = bucketOf(account, wish)
  const before = needsOf(venue, account, market, bucket, others)
  const after = needsOf(venue, account, market, bucket, others, { side, amount, money: worst })
  const fee = up(worst * (makerFee > takerFee ? makerFee : takerFee), one)
  // The margin freed by closing pays its fee; an order that needs nothing is never refused.
  const need = after.opening - before.opening + atLeastZero(after.closing + fee) - atLeastZero(before.closing)
  const without = { ...venue, resting: venue.resting.filter((order) => order !== instead) }
  return need <= 0n || need <= freeOf(without, account, money)
}

function soldFor(venue: NaiveVenue, { market, amount, price }: Wish): bigint {
  let left = amount
  let money = 0n
  for (const maker of partners(venue, market, 'sell', price)) {
    const traded = least(left, maker.left)
    money += times(traded, maker.price)
    left -= traded
  }
  return money + times(left, price)
}

function enter(venue: NaiveVenue, account: NaiveAccount, wish: Wish, id: number): NaiveOrder {
  const order = begin(account, { ...wish, amount: cut(account, wish) }, id)
  const tooFar = onlyMakes(wish) && partners(venue, wish.market, wish.side, wish.price).length > 0
  const met = tooFar ? 'others' : meet(venue, order)
  if (order.left === 0n) end(venue, order, 'FILLED')
  else if (met === 'itself') end(venue, order, 'CANCELED_STP')
  else if (order.atMarket) end(venue, order, 'CANCELED_TAKER_BAND')
  else if (order.ioc || tooFar) end(venue, order, 'CANCELED')
  else venue.resting.push(order)
  return order
}

export function cancel(venue: NaiveVenue, order: NaiveOrder): void {
  end(venue, order, 'CANCELED')
}

/** A new order with the old client id; if it is refused, the old order stays. Linked orders stay linked. */
export function modify(
  venue: NaiveVenue,
  order: NaiveOrder,
  change: { price: bigint; amount: bigint },
): NaiveOrder | Refused {
  const wish = { ...order, ...change }
  const refused = judge(venue, order.account, wish, order)
  if (refused !== undefined) return refused
  const id = drawId(order.account)
  for (const wait of venue.waiting) if (wait.other === order.id) wait.other = id
  end(venue, order, 'CANCELED')
  if (order.clientId !== '') order.account.usedIds.add(order.clientId)
  return { ...enter(venue, order.account, wish, id) }
}

export function wait(
  venue: NaiveVenue,
  account: NaiveAccount,
  wish: Wish,
  when: Pick<NaiveWait, 'activation' | 'rises' | 'other'>,
): NaiveWait {
  const waiting = { ...wish, ...when, account, id: drawId(account) }
  if (wish.clientId !== '') account.usedIds.add(wish.clientId)
  venue.waiting.push(waiting)
  return waiting
}

/** From outside, like an index. */
export function mark(venue: NaiveVenue, market: string, price: bigint): void {
  venue.mark[market] = price
  venue.moved = true
}

/** The consequences of changed prices, until they change no more. */
export function react(venue: NaiveVenue): void {
  while (venue.moved) {
    venue.moved = false
    activate(venue)
    for (const account of venue.accounts) if (!account.house) liquidate(venue, account)
  }
}

function activate(venue: NaiveVenue): void {
  const due = venue.waiting.filter(({ market, rises, activation }) => {
    const last = venue.last[market]
    return last !== undefined && (rises ? last >= activation : last <= activation)
  })
  for (const wait of due) {
    // The order linked to it may have traded with an earlier one of this loop.
    if (!venue.waiting.includes(wait)) continue
    venue.waiting = venue.waiting.filter((other) => other !== wait)
    const { account } = wait
    for (const order of venue.resting.filter(({ id }) => id === wait.other)) end(venue, order, 'CANCELED')
    const placed = place(venue, account, { ...wait, price: limitNow(venue, account, wait) }, wait.id)
    if (typeof placed === 'string') end(venue, begin(account, wait, wait.id), 'CANCELED')
  }
}

/**
 * Its own limit; for a market order the end of the band. A spot buy reserves no more money than it needs: its limit is
 * the price of the last order that it would match, found on a copy of the venue, also if an own order stops it.
 */
export function limitNow(venue: NaiveVenue, account: NaiveAccount, wish: Wish): bigint {
  const { market, side, spot, selfTrade } = wish
  if (!wish.atMarket) return wish.price
  const band = bandEnd(venue, market, side)
  if (!spot || side === 'sell') return band
  const copy = structuredClone({ venue, account })
  const sure = { ...wish, price: band, selfTrade: selfTrade === 'cb' ? 'cn' : selfTrade } as const
  const { status } = enter(copy.venue, copy.account, sure, 0)
  if (status === 'FILLED') return copy.venue.last[market] ?? band
  return partners(copy.venue, market, side, band)[0]?.price ?? band
}

/** Position by position, until equity covers maintenance or no position is left. */
function liquidate(venue: NaiveVenue, account: NaiveAccount): void {
  for (let next = weakest(venue, account); next !== undefined; next = weakest(venue, account)) {
    sellOff(venue, account, next)
  }
}

/** Margin positions before futures, then the largest value first. */
function weakest(venue: NaiveVenue, account: NaiveAccount): NaivePosition | undefined {
  const fallen = account.positions.filter(({ market }) => {
    const { money } = rulesOf(venue, market)
    return equityOf(venue, account, money) < maintenanceOf(venue, account, money)
  })
  const rank = ({ market }: NaivePosition) => (rulesOf(venue, market).kind === 'spot' ? 0 : 1)
  const [first] = fallen.toSorted((a, b) => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b)
    const [x, y] = [worthOf(venue, a), worthOf(venue, b)]
    return x === y ? 0 : x > y ? -1 : 1
  })
  return first
}

/** A quarter; or all of a small position or a bankrupt account. The house takes over what does not fill. */
function sellOff(
  venue: NaiveVenue,
  account: NaiveAccount,
  { market, bucket, amount: standing }: NaivePosition,
): void {
  const { money, amountDigits, minAmount } = rulesOf(venue, market)
  const own = venue.resting.filter((order) => order.account === account && order.market === market)
  for (const order of own) if (!order.spot) end(venue, order, 'AUTO_CANCELED_LIQUIDATION')
  const lot = 10n ** BigInt(18 - amountDigits)
  const lots = positive(standing) / lot
  const all = equityOf(venue, account, money) <= 0n || lots <= 4n * up(minAmount, lot)
  const side = standing > 0n ? 'sell' : 'buy'
  // Limits a step on a giant position to a number of quanta that is exact.
  const best = queue(venue, market, opposite(side))[0]?.price ?? 0n
  const highest = most(venue.mark[market] ?? 0n, side === 'sell' ? best : bandEnd(venue, market, side))
  const countable = (mostQuanta * quantumOf(venue, market) * one) / (highest * lot)
  const amount = least(all ? lots : up(lots, 4n), countable) * lot
  const wish: Wish = {
    ...offHand,
    market,
    side,
    amount,
    price: bandEnd(venue, market, side),
    position: account.hedged ? (bucket === 0 ? 'LONG' : 'SHORT') : 'BOTH',
    atMarket: true,
    reduceOnly: true,
  }
  const isUnmatched = partners(venue, market, side, wish.price).length === 0
  let left = amount
  if (!isUnmatched) {
    const id = drawId(account)
    left = enter(venue, account, { ...wish, clientId: `liquidation_${id}_!` }, id).left
  }
  if (left === 0n) return
  const fill = { amount: left, price: venue.mark[market] ?? 0n, fee: 0n }
  settleCollateral(venue, account, wish, fill)
  settleCollateral(venue, venue.insurer, { market, side: opposite(side), position: 'BOTH' }, fill)
}

const rateUnit = 10n ** 8n
const rateMost = 750_000n

/** The premium of the last price over the mark price, in 10^-8, cut towards zero and limited to 0.75 percent. */
function fundingRate({ last, mark }: NaiveVenue, market: string): bigint {
  const [traded = 0n, marked = 0n] = [last[market], mark[market]]
  if (traded === 0n || marked === 0n) return 0n
  const premium = ((traded - marked) * rateUnit) / marked
  return premium > rateMost ? rateMost : premium < -rateMost ? -rateMost : premium
}

/** Above the mark price long positions pay short ones. Payments are rounded up, receipts rounded down. */
export function fund(venue: NaiveVenue): void {
  for (const [market, { kind, money }] of Object.entries(venue.rules)) {
    if (kind !== 'futures') continue
    const rate = fundingRate(venue, market)
    for (const account of venue.accounts) {
      const position = account.positions.filter((each) => each.market === market)
      for (const each of position) {
        const share = worthOf(venue, each) * positive(rate)
        const pays = each.amount > 0n === rate > 0n
        const amount = pays ? -up(share, rateUnit) : share / rateUnit
        each.funding += amount
        receive(venue, account, money, amount)
        // The insurance receives or pays the difference.
        venue.insurance[money] = (venue.insurance[money] ?? 0n) - amount
      }
    }
  }
  venue.moved = true
}
