/**
 * What an account and a grid should come to, counted by hand: whole ticks, whole lots, one point of the market
 * after the other, every order looked at each time. Nothing here is shared with the program.
 */
export type TraderPoint = { at: number; ticks: bigint; lots: bigint }
export type TraderRules = {
  /** Decimals of prices and of amounts. */
  priceDigits: number
  amountDigits: number
  /** Millionths of the money. */
  makerFee: bigint
  takerFee: bigint
  /** What an order must be worth, in ticks times lots. */
  least: bigint
  /** Whether a trade at the price of an order is enough to fill it. */
  touch: boolean
  latencyMs: number
  /** What long positions pay, in 10^-8 of their worth at the last price before; in rising time. */
  funding?: readonly { at: number; rate: number }[]
}
type Fill = {
  at: number
  side: 'buy' | 'sell'
  price: string
  amount: string
  fee: string
  maker: boolean
}
type Order = {
  name: string
  sells: boolean
  ticks: bigint
  lots: bigint
  left: bigint
  from: number
  rests: boolean
}
type Part = { order: Order; lots: bigint }

const million = 1_000_000n

/** A number of so many decimals, without zeros at its end. */
function text(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : ''
  const letters = String(value < 0n ? -value : value).padStart(digits + 1, '0')
  const [whole, part] = [letters.slice(0, letters.length - digits), letters.slice(letters.length - digits)]
  const decimals = part.replace(/0+$/, '')
  return sign + whole + (decimals === '' ? '' : `.${decimals}`)
}

export class TraderAccount {
  readonly fills: Fill[] = []
  readonly #rules: TraderRules
  /** In ticks times lots times millionths. */
  money = 0n
  fees = 0n
  /** Received less paid, in ticks times lots times 10^-8. */
  funding = 0n
  /** How much of it is over, and at which price. */
  #paid = 0
  #last = 0n
  lots = 0n
  orders: Order[] = []

  constructor(rules: TraderRules) {
    this.#rules = rules
  }

  place(name: string, sells: boolean, ticks: bigint, lots: bigint, decidedAt: number): void {
    this.orders.push({
      name,
      sells,
      ticks,
      lots,
      left: lots,
      from: decidedAt + this.#rules.latencyMs,
      rests: false,
    })
  }

  trade(at: number, sells: boolean, ticks: bigint, lots: bigint, maker: boolean): void {
    const { priceDigits, amountDigits, makerFee, takerFee } = this.#rules
    const quanta = ticks * lots
    const fee = quanta * (maker ? makerFee : takerFee)
    this.money += (sells ? quanta : -quanta) * million - fee
    this.fees += fee
    this.lots += sells ? -lots : lots
    this.fills.push({
      at,
      side: sells ? 'sell' : 'buy',
      price: text(ticks, priceDigits),
      amount: text(lots, amountDigits),
      fee: text(fee, priceDigits + amountDigits + 6),
      maker,
    })
  }

  /** The next order arrives, if one does by then, and trades with our own orders of the other side that it crosses. */
  arrive(by: number): { at: number; parts: Part[] } | undefined {
    const [order] = this.orders
      .filter(({ rests, from }) => !rests && from <= by)
      .toSorted((a, b) => a.from - b.from)
    if (!order) return undefined
    order.rests = true
    const { sells, from } = order
    const met = this.orders
      .filter(
        (each) =>
          each.rests &&
          each.sells !== sells &&
          (sells ? each.ticks >= order.ticks : each.ticks <= order.ticks),
      )
      .toSorted((a, b) => Number(sells ? b.ticks - a.ticks : a.ticks - b.ticks))
    const parts: Part[] = []
    for (const other of met) {
      const lots = order.left < other.left ? order.left : other.left
      if (lots === 0n) break
      for (const each of [other, order]) {
        this.trade(from, each.sells, other.ticks, lots, each === other)
        each.left -= lots
        parts.push({ order: each, lots })
      }
    }
    this.orders = this.orders.filter(({ left }) => left > 0n)
    return { at: from, parts }
  }

  /** The best orders first, of equals the older one; what trades at this point is shared in that order. Gives what filled. */
  meet({ at, ticks, lots }: TraderPoint): Part[] {
    const { touch, funding = [] } = this.#rules
    for (let due = funding[this.#paid]; due && due.at <= at; due = funding[++this.#paid])
      this.funding -= this.lots * this.#last * BigInt(due.rate)
    this.#last = ticks
    const met = this.orders.filter((order) => {
      const beyond = order.sells ? ticks - order.ticks : order.ticks - ticks
      return order.from <= at && (beyond > 0n || (touch && beyond === 0n))
    })
    met.sort((a, b) => Number(a.sells ? a.ticks - b.ticks : b.ticks - a.ticks))
    let free = lots
    const parts: Part[] = []
    for (const order of met) {
      const part = order.left < free ? order.left : free
      if (part === 0n) break
      free -= part
      order.left -= part
      this.trade(at, order.sells, order.ticks, part, true)
      parts.push({ order, lots: part })
    }
    this.orders = this.orders.filter(({ left }) => left > 0n)
    return parts
  }

  /** What it has gained by now, fees and all, at a price. */
  profit(ticks: bigint): string {
    const { priceDigits, amountDigits } = this.#rules
    const money = (this.money + this.lots * ticks * million) * 100n + this.funding
    return text(money, priceDigits + amountDigits + 8)
  }
}

export type TraderOutcome = { fills: Fill[]; profit: string; fees: string; funding: string }

export function outcomeOf(
  account: TraderAccount,
  points: readonly TraderPoint[],
  rules: TraderRules,
): TraderOutcome {
  const last = points.at(-1)?.ticks ?? 0n
  const fees = text(account.fees, rules.priceDigits + rules.amountDigits + 6)
  const funding = text(account.funding, rules.priceDigits + rules.amountDigits + 8)
  return { fills: account.fills, profit: account.profit(last), fees, funding }
}

/**
 * Lines a step apart around a middle that stays empty. Below it they buy, above it they sell. What a line has filled, be it a
 * part, the next line towards the middle undoes; when all of that has gone, the line is placed again. What is worth too little
 * waits for the next fill. A line has nine orders of that kind at most: the first of them takes the rest when it is done.
 */
export function grid(
  points: readonly TraderPoint[],
  rules: TraderRules,
  plan: { middle: bigint; step: bigint; each: number; quanta: bigint; from: number },
): TraderOutcome {
  const account = new TraderAccount(rules)
  const { middle, step, each, quanta, from } = plan
  const lines = Array.from({ length: 2 * each }, (_, number) => {
    const sells = number >= each
    const ticks = sells ? middle + step * BigInt(number - each + 1) : middle - step * BigInt(number + 1)
    return { name: String(number), sells, ticks, lots: quanta / ticks }
  })
  /** By name, `line/number`: what is to be undone, and whether an order for it is there. */
  const backs = new Map<string, { lots: bigint; isPlaced: boolean; lines: string[] }>()
  let rest = { lots: 0n, lines: new Array<string>() }
  const lineOf = (name: string) => {
    const line = lines.find((each) => each.name === name.replace(/\/\d$/, ''))
    if (!line) throw new Error(`${name} is no line`)
    return line
  }
  const backOf = (name: string) => {
    const { sells, ticks } = lineOf(name)
    return { sells: !sells, ticks: sells ? ticks - step : ticks + step }
  }
  const isEnough = (name: string, lots: bigint) => lots > 0n && lots * backOf(name).ticks >= rules.least

  /** More is to be undone. */
  const undo = (name: string, lots: bigint) => {
    const { sells } = backOf(name)
    const total = lots + (sells ? rest.lots : -rest.lots)
    const all = [...rest.lines, name]
    const names = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${name}/${number}`)
    const key = names.find((each) => backs.get(each)?.isPlaced !== true) ?? `${name}/1`
    const back = backs.get(key) ?? { lots: 0n, isPlaced: false, lines: [] }
    // With nine orders there, what waits in the first of them is offered together with this, however little this is.
    if (total <= 0n || !isEnough(name, total + back.lots)) {
      rest = { lots: sells ? total : -total, lines: all }
      return
    }
    rest = { lots: 0n, lines: [] }
    back.lots += total
    back.lines.push(...all)
    backs.set(key, back)
  }
  /** An order of that kind is done: the lines of which nothing is left are placed again. */
  const undone = (key: string, at: number) => {
    const back = backs.get(key)
    if (!back) throw new Error(`${key} is not undone`)
    back.isPlaced = false
    if (isEnough(key, back.lots)) return
    backs.delete(key)
    if (back.lots > 0n) {
      rest.lots += backOf(key).sells ? back.lots : -back.lots
      rest.lines.push(...back.lines)
      return
    }
    for (const name of new Set(back.lines)) {
      const waits =
        rest.lines.includes(name) || [...backs.values()].some((other) => other.lines.includes(name))
      if (waits || account.orders.some((order) => order.name === name)) continue
      const { sells, ticks, lots } = lineOf(name)
      account.place(name, sells, ticks, lots, at)
    }
  }
  for (const { name, sells, ticks, lots } of lines) account.place(name, sells, ticks, lots, from)
  const react = (parts: Part[], at: number) => {
    for (const { order, lots } of parts) {
      const back = backs.get(order.name)
      if (!back) undo(order.name, lots)
      else {
        back.lots -= lots
        if (order.left === 0n) undone(order.name, at)
      }
    }
    for (const [key, back] of backs) {
      if (back.isPlaced) continue
      back.isPlaced = true
      const { sells, ticks } = backOf(key)
      account.place(key, sells, ticks, back.lots, at)
    }
  }
  for (const point of points) {
    for (let next = account.arrive(point.at); next; next = account.arrive(point.at))
      react(next.parts, next.at)
    react(account.meet(point), point.at)
  }
  return outcomeOf(account, points, rules)
}
