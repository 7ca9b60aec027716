import type { Step } from '#src/engine/turn.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import { formatAtoms, type Atoms } from '#src/money/atoms.ts'
import type { Read } from '#src/strategy/read.ts'
import { placeOf, type Deal } from './venue-watch.ts'
import type { BacktestFill, BacktestResult } from './result.ts'
import { RungBook } from './rung-book.ts'

/** A position and what it cost, both with its sign. */
type Held = { amount: Atoms; cost: Atoms }

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
  fees: Atoms = 0n
  /** Received less paid. */
  funding: Atoms = 0n

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
    const fee = market.fee(quanta, deal.taker ? quanta : 0)
    const side: BacktestFill['side'] = deal.sells ? 'sell' : 'buy'
    const sign = deal.sells ? -1n : 1n
    const amount = sign * BigInt(deal.lots) * market.lotAtoms
    const profit = this.#realised(`${strategy} ${market.name}`, amount, sign * market.money(quanta))
    this.fees += fee
    const fill = {
      at: deal.at,
      order: deal.clientId,
      ...place,
      market: market.name,
      side,
      price: market.priceText(deal.ticks),
      amount: market.amountText(deal.lots),
      fee: formatAtoms(fee),
      maker: !deal.taker,
      profit: formatAtoms(profit),
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

  /** Against the average entry; what goes on beyond a flat position opens the next one. Shares are cut towards zero. */
  #realised(key: string, amount: Atoms, money: Atoms): Atoms {
    const held = this.#held.get(key) ?? { amount: 0n, cost: 0n }
    const after = held.amount + amount
    if (held.amount * amount >= 0n) {
      this.#held.set(key, { amount: after, cost: held.cost + money })
      return 0n
    }
    const isFlipped = after * held.amount < 0n
    const moneyOfIt = isFlipped ? (money * held.amount) / amount : -money
    const costOfIt = isFlipped || after === 0n ? held.cost : (held.cost * -amount) / held.amount
    const left = isFlipped ? money + moneyOfIt : held.cost - costOfIt
    this.#held.set(key, { amount: after, cost: left })
    const profit = size(moneyOfIt) - size(costOfIt)
    return held.amount > 0n ? profit : -profit
  }
}

function size(value: Atoms): Atoms {
  return value < 0n ? -value : value
}
