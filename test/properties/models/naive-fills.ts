import { Decimal } from 'decimal.js'

/**
 * The fills of the limit orders of one account in a recorded market, computed a second time: with decimals, point by
 * point and order by order, without code of the exchange.
 */
export type NaivePoint = {
  at: number
  price: Decimal
  /** Shared by all points of the line. */
  amount: Decimal
  line: number
  isEnd: boolean
}
type Order = { id: number; buys: boolean; price: Decimal; left: Decimal; ahead: Decimal | undefined }

export type NaiveRules = {
  fill: 'touch' | 'through' | 'queue'
  tick: string
  lot: string
  minAmount: string
  minTotal: string
  makerFee: string
  takerFee: string
}

/** Trades as they are, or every millisecond of the lines between the points of bars. */
export function naivePoints(
  points: readonly (readonly [at: number, price: number, amount?: number | undefined])[],
  isBars: boolean,
): NaivePoint[] {
  return points.flatMap(([at, price, amount = Infinity], line): NaivePoint[] => {
    const shared = { amount: new Decimal(amount), line }
    const before = points[line - 1]
    if (!isBars || line % 4 === 0 || before === undefined)
      return [{ at, price: new Decimal(price), isEnd: true, ...shared }]
    const [from, to] = [before[1], price].map((each) => BigInt(Math.round(each * 1e9)))
    const [way, ms] = [(to ?? 0n) - (from ?? 0n), at - before[0]]
    return Array.from({ length: ms }, (_, index) => {
      // Division of whole numbers rounds towards zero, which is towards the start of the line.
      const units = (from ?? 0n) + (way * BigInt(index + 1)) / BigInt(ms)
      const now = new Decimal(units.toString()).div(1e9)
      return { at: before[0] + index + 1, price: now, isEnd: index + 1 === ms, ...shared }
    })
  })
}

export class NaiveFills {
  readonly deals: string[] = []
  /** All money paid and received, with fees. */
  money = new Decimal(0)
  coins = new Decimal(0)
  #orders: Order[] = []
  #next = 0
  #line = { number: -1, left: new Decimal(0) }
  #last: Decimal | undefined
  readonly #points: readonly NaivePoint[]
  readonly #rules: NaiveRules

  constructor(points: readonly NaivePoint[], rules: NaiveRules) {
    this.#points = points
    this.#rules = rules
  }

  /** With the coins at the last price. */
  get worth(): Decimal {
    return this.money.plus(this.coins.times(this.#last ?? 0))
  }

  get resting(): string[] {
    return this.#orders.map(({ id, left }) => `${id} ${left.toFixed()}`)
  }

  passTo(at: number): void {
    for (; (this.#points[this.#next]?.at ?? Infinity) <= at; this.#next++) {
      const point = this.#points[this.#next]
      if (point === undefined) return
      this.#trade(point)
      this.#last = point.price.toNearest(this.#rules.tick)
    }
  }

  /** A limit order: it takes what is quoted, and the remainder rests. */
  place(id: number, buys: boolean, price: string, amount: string, at: number): void {
    this.passTo(at)
    const order = { id, buys, price: new Decimal(price), left: new Decimal(amount), ahead: undefined }
    const quote = this.#quote(buys)
    if (quote !== undefined && (buys ? order.price.gte(quote) : order.price.lte(quote))) {
      this.#deal(order, quote, order.left, at, this.#rules.takerFee)
    } else this.#orders.push(order)
  }

  cancel(id: number, at: number): void {
    this.passTo(at)
    this.#orders = this.#orders.filter((order) => order.id !== id)
  }

  /** The price for a taker: the last price or a tick above it, never across resting orders. */
  #quote(buys: boolean): Decimal | undefined {
    if (this.#last === undefined) return undefined
    const against = this.#orders.filter((order) => order.buys === buys).map(({ price }) => price)
    return buys
      ? Decimal.max(this.#last, ...against).plus(this.#rules.tick)
      : Decimal.min(this.#last, ...against.map((price) => price.minus(this.#rules.tick)))
  }

  #trade({ at, price, amount, line, isEnd }: NaivePoint): void {
    const { fill, lot, makerFee } = this.#rules
    if (line !== this.#line.number)
      this.#line = { number: line, left: amount.isFinite() ? amount.div(lot).floor().times(lot) : amount }
    let { left } = this.#line
    const beyond = (order: Order) => (order.buys ? order.price.gt(price) : order.price.lt(price))
    const there = (order: Order) => order.price.eq(price)
    const reached = this.#orders.filter((order) => beyond(order) || (fill === 'touch' && there(order)))
    reached.sort((one, other) => {
      const better = one.price.comparedTo(other.price)
      return (one.buys ? -better : better) || one.id - other.id
    })
    for (const order of reached) {
      const part = Decimal.min(order.left, left)
      if (part.isZero()) continue
      this.#deal(order, order.price, part, at, makerFee)
      left = left.minus(part)
    }
    this.#line.left = left
    if (fill === 'queue' && isEnd && left.isFinite()) this.#serve(this.#orders.filter(there), left, at)
    this.#orders = this.#orders.filter((order) => order.left.gt(0))
  }

  /** This volume trades at the price of these orders: the queue ahead of each order first. */
  #serve(orders: readonly Order[], amount: Decimal, at: number): void {
    const { lot, minAmount, minTotal, makerFee } = this.#rules
    let served = new Decimal(0)
    for (const order of orders) {
      const ahead =
        order.ahead ??
        Decimal.max(
          new Decimal(minAmount).times(1000),
          new Decimal(minTotal).times(1000).div(order.price).div(lot).ceil().times(lot),
        )
      const part = Decimal.min(order.left, Decimal.max(0, amount.minus(ahead).minus(served)))
      order.ahead = Decimal.max(0, ahead.minus(amount))
      if (part.isZero()) continue
      served = served.plus(part)
      this.#deal(order, order.price, part, at, makerFee)
    }
  }

  #deal(order: Order, price: Decimal, amount: Decimal, at: number, fee: string): void {
    const sign = order.buys ? 1 : -1
    order.left = order.left.minus(amount)
    this.coins = this.coins.plus(amount.times(sign))
    this.money = this.money.minus(price.times(amount).times(new Decimal(fee).plus(sign)))
    this.deals.push(`${order.id} ${at} ${amount.toFixed()} at ${price.toFixed()}`)
  }
}
