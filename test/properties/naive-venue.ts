/**
 * What the exchange should do, written for reading and not for speed, from the assumptions alone: atoms
 * everywhere, resting orders in one list that is scanned from end to end, and what an account holds for its
 * orders summed anew whenever somebody asks. Nothing here comes from the room it is compared with.
 */
import { atLeastZero, least, positive, sum, up } from './naive-arithmetic.ts'

const one = 10n ** 18n

type Side = 'buy' | 'sell'
export type RawOrder = {
  market: string
  side: Side
  amount: string
  price: string
  client_order_id: string
  postOnly: boolean
  ioc: boolean
  rpi: boolean
}
type Rules = {
  kind: 'spot' | 'futures'
  money: string
  priceDigits: number
  amountDigits: number
  minAmount: bigint
  minTotal: bigint
  maxTotal: bigint
  makerFee: bigint
  takerFee: bigint
}
export type NaiveOrder = {
  account: NaiveAccount
  market: string
  side: Side
  price: bigint
  amount: bigint
  left: bigint
  money: bigint
  fee: bigint
  rpi: boolean
}
export type NaiveAccount = {
  name: string
  leverage: bigint
  collateral: bigint
  /** Per market; the amount is above zero for a long position, below for a short one. */
  positions: Record<string, { amount: bigint; cost: bigint }>
  usedIds: Set<string>
}

export class NaiveVenue {
  readonly rules: Record<string, Rules>
  resting: NaiveOrder[] = []
  /** Per market: the price of the last trade, by which profits of open positions go. */
  last: Record<string, bigint> = {}
  fees = 0n
  insurance = 0n

  readonly accounts: readonly NaiveAccount[]
  /** Takes over what cannot be sold off. */
  readonly house: NaiveAccount = {
    name: 'house',
    leverage: 1n,
    collateral: 10n ** 40n,
    positions: {},
    usedIds: new Set(),
  }

  constructor(rules: Record<string, Rules>, accounts: readonly NaiveAccount[]) {
    this.rules = rules
    this.accounts = accounts
  }

  place(account: NaiveAccount, raw: RawOrder): NaiveOrder | 'refused' {
    const rules = this.rules[raw.market]
    const amount = exact(raw.amount, rules?.amountDigits)
    const price = exact(raw.price, rules?.priceDigits)
    if (!rules || amount === undefined || price === undefined || amount < rules.minAmount) return 'refused'
    const total = (amount * price) / one
    if (price === 0n || total < rules.minTotal || total > rules.maxTotal) return 'refused'
    if ([raw.postOnly, raw.ioc, raw.rpi].filter(Boolean).length > 1) return 'refused'
    if (account.usedIds.has(raw.client_order_id)) return 'refused'

    const order = { ...pick(raw), account, price, amount, left: amount, money: 0n, fee: 0n }
    const partners = this.#partners(order)
    if ((raw.postOnly || raw.rpi) && partners.length > 0) return 'refused'
    const worst = order.side === 'buy' ? total : soldFor(order, partners)
    const feeRate = rules.makerFee > rules.takerFee ? rules.makerFee : rules.takerFee
    const before = this.#needs(account, raw.market)
    const after = this.#needs(account, raw.market, { side: order.side, amount, money: worst })
    // What closing frees pays its fee; an order that needs nothing is never refused.
    const need =
      after.opening -
      before.opening +
      atLeastZero(after.closing + up(worst * feeRate, one)) -
      atLeastZero(before.closing)
    if (need > 0n && need > this.free(account)) return 'refused'

    if (raw.client_order_id !== '') account.usedIds.add(raw.client_order_id)
    for (const maker of partners) {
      const traded = least(order.left, maker.left)
      if (traded > 0n) this.last[raw.market] = maker.price
      this.#fill(maker, traded, maker.price, rules.makerFee)
      this.#fill(order, traded, maker.price, rules.takerFee)
    }
    this.resting = this.resting.filter(({ left }) => left > 0n)
    if (order.left > 0n && !raw.ioc) this.resting.push(order)
    const told = { ...order }
    if (partners.length > 0) this.#liquidateAll()
    return told
  }

  /** Resting orders that this one meets, in the order in which they trade. */
  #partners(order: NaiveOrder): NaiveOrder[] {
    const buying = order.side === 'buy'
    return this.resting
      .filter(({ market, side }) => market === order.market && side !== order.side)
      .filter(({ price }) => (buying ? price <= order.price : price >= order.price))
      .map((maker, index) => ({ maker, index }))
      .toSorted((a, b) => {
        const [x, y] = [a.maker, b.maker]
        if (x.price !== y.price) return x.price < y.price === buying ? -1 : 1
        return x.rpi === y.rpi ? a.index - b.index : x.rpi ? 1 : -1
      })
      .map(({ maker }) => maker)
  }

  #fill(order: NaiveOrder, amount: bigint, price: bigint, rate: bigint): void {
    const { account } = order
    const money = (amount * price) / one
    const fee = up(money * rate, one)
    order.left -= amount
    order.money += money
    order.fee += fee
    const position = account.positions[order.market] ?? { amount: 0n, cost: 0n }
    const closing = least(amount, closable(position, order.side))
    if (closing > 0n) {
      const cost = (position.cost * closing) / positive(position.amount)
      const closed = (closing * price) / one
      position.cost -= cost
      this.#pay(account, order.side === 'sell' ? cost - closed : closed - cost)
    }
    position.cost += ((amount - closing) * price) / one
    position.amount += order.side === 'buy' ? amount : -amount
    if (position.amount === 0n) delete account.positions[order.market]
    else account.positions[order.market] = position
    this.#pay(account, fee)
    this.fees += fee
  }

  /** Until everybody stands: selling off moves the price, which may fell somebody else. */
  #liquidateAll(): void {
    for (let again = true; again;) {
      again = false
      for (const account of this.accounts) {
        for (let market = this.#weakest(account); market !== undefined; market = this.#weakest(account)) {
          again = this.#sellOff(account, market) || again
        }
      }
    }
  }

  /** Margin positions go before futures, the largest worth first. */
  #weakest(account: NaiveAccount): string | undefined {
    const worth = (market: string) =>
      (positive(account.positions[market]?.amount ?? 0n) * (this.last[market] ?? 0n)) / one
    const rate = account.leverage <= 10n ? 30n : 25n
    const maintenance = sum(Object.keys(account.positions).map((market) => up(worth(market) * rate, 1000n)))
    if (this.equity(account) >= maintenance) return undefined
    const rank = (market: string) => (this.rules[market]?.kind === 'spot' ? 0 : 1)
    return Object.keys(account.positions).reduce<string | undefined>((first, next) => {
      if (first === undefined || rank(next) < rank(first)) return next
      return rank(next) === rank(first) && worth(next) > worth(first) ? next : first
    }, undefined)
  }

  /** A quarter, or all that is too little to quarter; what nobody takes within five percent goes to the house. */
  #sellOff(account: NaiveAccount, market: string): boolean {
    const rules = this.rules[market]
    const position = account.positions[market]
    if (rules === undefined || position === undefined) return false
    this.resting = this.resting.filter((order) => order.account !== account || order.market !== market)
    const lot = 10n ** BigInt(18 - rules.amountDigits)
    const tick = 10n ** BigInt(18 - rules.priceDigits)
    const lots = positive(position.amount) / lot
    const few = lots <= 4n * up(rules.minAmount, lot)
    const amount = (this.equity(account) <= 0n || few ? lots : up(lots, 4n)) * lot
    const side = position.amount > 0n ? 'sell' : 'buy'
    const order = { account, market, side, rpi: false, amount, left: amount, money: 0n, fee: 0n } as const
    const anyPrice = { ...order, price: side === 'sell' ? 0n : 10n ** 40n }
    const best = this.#partners(anyPrice)[0]?.price ?? 0n
    const away = ((best / tick) * 5n) / 100n
    const band = { ...order, price: best + (side === 'sell' ? -away : away) * tick }
    for (const maker of this.#partners(band)) {
      const traded = least(band.left, maker.left)
      if (traded === 0n) continue
      this.last[market] = maker.price
      this.#fill(maker, traded, maker.price, rules.makerFee)
      this.#fill(band, traded, maker.price, rules.takerFee)
    }
    this.resting = this.resting.filter(({ left }) => left > 0n)
    const mark = this.last[market] ?? 0n
    const taken = band.left
    if (taken > 0n) {
      this.#fill({ ...band, price: mark }, taken, mark, 0n)
      const other = side === 'sell' ? 'buy' : 'sell'
      this.#fill({ ...band, account: this.house, side: other, price: mark }, taken, mark, 0n)
    }
    return taken < amount
  }

  /** A negative loss is a profit; what the account cannot pay, the insurance does. */
  #pay(account: NaiveAccount, loss: bigint): void {
    const paid = least(loss, account.collateral)
    account.collateral -= paid
    this.insurance -= loss - paid
  }

  free(account: NaiveAccount): bigint {
    return this.equity(account) - this.heldForOrders(account) - this.margins(account)
  }

  equity(account: NaiveAccount): bigint {
    const profits = Object.entries(account.positions).map(([market, { amount, cost }]) => {
      const worth = (positive(amount) * (this.last[market] ?? 0n)) / one
      return amount > 0n ? worth - cost : amount < 0n ? cost - worth : 0n
    })
    return account.collateral + sum(profits)
  }

  heldForOrders(account: NaiveAccount): bigint {
    return sum(
      Object.keys(this.rules).map((market) => {
        const { opening, closing } = this.#needs(account, market)
        return opening + atLeastZero(closing)
      }),
    )
  }

  /**
   * Orders against the position close it, each in proportion; what they would lose at their prices is held as far as
   * the margin that they free does not cover it. All other lots open, and need their margin.
   */
  #needs(account: NaiveAccount, market: string, more?: { side: Side; amount: bigint; money: bigint }) {
    const position = account.positions[market] ?? { amount: 0n, cost: 0n }
    const against = position.amount > 0n ? 'sell' : 'buy'
    const both = (['buy', 'sell'] as const).map((side) => {
      const orders = this.#ordersOf(account, market, side)
      const extra = more?.side === side ? more : { amount: 0n, money: 0n }
      const amount = sum(orders.map(({ left }) => left)) + extra.amount
      const money = sum(orders.map(({ left, price }) => (left * price) / one)) + extra.money
      const closed = side === against ? least(amount, positive(position.amount)) : 0n
      // In whole quanta: what one lot costs at one tick.
      const { priceDigits = 0, amountDigits = 0 } = this.rules[market] ?? {}
      const quantum = 10n ** BigInt(18 - priceDigits - amountDigits)
      const back = closed === 0n ? 0n : (((money / quantum) * closed) / amount) * quantum
      return { closed, back, rest: money - back }
    })
    const closed = sum(both.map((side) => side.closed))
    const back = sum(both.map((side) => side.back))
    const cost = closed === 0n ? 0n : (position.cost * closed) / positive(position.amount)
    const loss = against === 'sell' ? cost - back : back - cost
    return {
      opening: up(sum(both.map(({ rest }) => rest)), account.leverage),
      closing: closed === 0n ? 0n : loss - cost / account.leverage,
    }
  }

  margins(account: NaiveAccount): bigint {
    return sum(Object.values(account.positions).map(({ cost }) => up(cost, account.leverage)))
  }

  #ordersOf(account: NaiveAccount, market: string, side: Side): NaiveOrder[] {
    return this.resting.filter((o) => o.account === account && o.market === market && o.side === side)
  }
}

/** Exactly the digits of the text, or undefined when it is no decimal or has more than `digits` decimals. */
export function exact(text: string, digits = 18): bigint | undefined {
  const [, whole, fraction = ''] = /^(0|[1-9][0-9]{0,17})(?:\.([0-9]{1,18}))?$/.exec(text) ?? []
  if (whole === undefined || /[1-9]/.test(fraction.slice(digits))) return undefined
  return BigInt(whole) * one + BigInt(fraction.padEnd(18, '0'))
}

function soldFor(order: NaiveOrder, partners: NaiveOrder[]): bigint {
  let left = order.amount
  let money = 0n
  for (const maker of partners) {
    const traded = least(left, maker.left)
    money += (traded * maker.price) / one
    left -= traded
  }
  return money + (left * order.price) / one
}

const closable = (position: { amount: bigint } | undefined, side: Side) =>
  atLeastZero((position?.amount ?? 0n) * (side === 'sell' ? 1n : -1n))
const pick = ({ market, side, rpi }: RawOrder) => ({ market, side, rpi })
