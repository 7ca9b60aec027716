import type { Step } from '#src/engine/turn.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import { formatAtoms } from '#src/money/atoms.ts'
import { Decimal } from '#src/money/decimal.ts'
import type { Read } from '#src/strategy/read.ts'
import { placeOf, type Deal } from './venue-watch.ts'
import type { BacktestFill, BacktestResult } from './result.ts'
import { RungBook } from './rung-book.ts'

/** A position and what it cost, both with its sign. */
type Held = { amount: Decimal; cost: Decimal }

const zero = new Decimal(0)

/** What the bot did and what came of it, as it happens. */
export class Tally {
  readonly fills: BacktestFill[] = []
  readonly rungs = new RungBook()
  readonly #rules = new Map<string, BacktestResult['rules'][number]>()
  readonly #rejected = new Map<string, number>()
  /** By strategy and market. */
  readonly #held = new Map<string, Held>()
  readonly #venue: Exchange['venue']
  orders = 0
  liquidations = 0
  fees = zero

  constructor(venue: Exchange['venue'], strategies: ReadonlyMap<string, Read>) {
    this.#venue = venue
    // A rule that never fires is told of, too.
    for (const [strategy, { strategy: file }] of strategies)
      for (const { id: rule } of file.rules)
        this.#rules.set(`${strategy} ${rule}`, { rule, strategy, fired: 0, first: null, last: null })
  }

  take({ commands, notes }: Step): void {
    for (const command of commands) {
      if (command.kind !== 'submit') continue
      this.orders += command.orders.length
      for (const order of command.orders) this.rungs.ordered(order)
    }
    for (const note of notes) {
      if (note.type === 'rule-fired') this.#fired(note.strategy, note.rule, note.at)
      if (note.type === 'order-refused') this.#reject(note.message)
      if (note.type === 'order-not-sent') this.#reject(`not sent: ${note.reason}`)
    }
  }

  /** One trade of an order. */
  dealt(deal: Deal): void {
    const market = this.#venue.floor.markets[deal.market]
    const place = placeOf(deal)
    if (!market) return
    if (!place) {
      this.liquidations += 1
      return
    }
    const { strategy } = place
    const quanta = deal.lots * deal.ticks
    const fee = formatAtoms(market.fee(quanta, deal.taker ? quanta : 0))
    const side: BacktestFill['side'] = deal.sells ? 'sell' : 'buy'
    const amount = market.amountText(deal.lots)
    const profit = this.#realised(`${strategy} ${market.name}`, deal.sells, amount, market.moneyText(quanta))
    this.fees = this.fees.plus(fee)
    const fill = {
      at: deal.at,
      order: deal.clientId,
      ...place,
      market: market.name,
      side,
      price: market.priceText(deal.ticks),
      amount,
      fee,
      maker: !deal.taker,
      profit,
    }
    this.fills.push(fill)
    this.rungs.filled(fill)
  }

  get rules(): BacktestResult['rules'] {
    return [...this.#rules.values()]
  }

  get rejected(): BacktestResult['rejected'] {
    return [...this.#rejected].map(([reason, count]) => ({ reason, count }))
  }

  #fired(strategy: string, rule: string, at: number): void {
    const known = this.#rules.get(`${strategy} ${rule}`)
    if (!known) return
    known.fired += 1
    known.first ??= at
    known.last = at
  }

  #reject(reason: string): void {
    this.#rejected.set(reason, (this.#rejected.get(reason) ?? 0) + 1)
  }

  /** Against the average entry; what goes on beyond a flat position opens the next one. */
  #realised(key: string, sells: boolean, amountText: string, moneyText: string): string {
    const held = this.#held.get(key) ?? { amount: zero, cost: zero }
    const amount = new Decimal(amountText).times(sells ? -1 : 1)
    const money = new Decimal(moneyText).times(sells ? -1 : 1)
    const after = held.amount.plus(amount)
    if (held.amount.times(amount).gte(0)) {
      this.#held.set(key, { amount: after, cost: held.cost.plus(money) })
      return '0'
    }
    const isFlipped = after.times(held.amount).lt(0)
    const closing = isFlipped ? held.amount : amount.neg()
    const moneyOfIt = isFlipped ? cut(money.times(held.amount).div(amount)) : money.neg()
    const costOfIt = isFlipped || after.isZero() ? held.cost : cut(held.cost.times(closing).div(held.amount))
    const left = isFlipped ? money.plus(moneyOfIt) : held.cost.minus(costOfIt)
    this.#held.set(key, { amount: after, cost: left })
    return moneyOfIt
      .abs()
      .minus(costOfIt.abs())
      .times(held.amount.gt(0) ? 1 : -1)
      .toFixed()
  }
}

const moneyDigits = 18

function cut(value: Decimal): Decimal {
  return value.toDecimalPlaces(moneyDigits, Decimal.ROUND_DOWN)
}
