import { armExits } from '#src/engine/exits/mirrors.ts'
import { exitsOf } from '#src/engine/exits/exits.ts'
import type { Exits, ExitLadder, ExitContext } from '#src/engine/exits/exit-orders.ts'
import { applyProgress } from '#src/engine/holdings/holdings.ts'
import { beginOrder, endOrder } from '#src/engine/state/open-orders.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { LadderState, Order, Quote, State } from '#src/engine/state/state.ts'
import { decimal, type Decimal } from '#src/core/money/decimal.ts'
import type { ExitFile } from '#src/strategy/schema/exit-schema.ts'
import { viewsOf, inputsOf } from '#src/strategy/expressions/context-values.ts'
import { draftOf, now, orderOf, programs, stateAtWork, strategy } from './working-state.ts'

type LadderName = 'dip' | 'top' | 'grid'

const marketOf = { dip: 'long', top: 'short', grid: 'both' } as const

export function percent(text: string): Decimal {
  return decimal(text).div(100)
}

/** A distance of a trailing exit. */
export function units(text: string | number): { of: 'unit'; by: Decimal } {
  return { of: 'unit', by: decimal(String(text)) }
}

/** One ladder with such an exit, a market in the hand, and a venue that does as it is told. */
export class ExitBench {
  readonly state: State = stateAtWork()
  readonly own: LadderState
  readonly scene: ExitContext
  readonly ladder: ExitLadder
  readonly #market: string
  #count = 0

  constructor(name: LadderName, exit: ExitFile, canCancel = true) {
    const file = { ...strategy.ladder[name]!, exit }
    const alias = marketOf[name]
    this.#market = alias
    const { symbol, positionSide } = strategy.markets[alias]!
    const facts = this.state.venue.markets[symbol]!
    this.own = this.state.strategies['work']!.ladders[name]!
    this.ladder = {
      name,
      file,
      programs: programs.ladders.get(name)!,
      symbol,
      positionSide: positionSide === 'short' ? 'SHORT' : 'LONG',
      market: {
        ...facts,
        minAmount: decimal(facts.minAmount),
        minTotal: decimal(facts.minTotal),
        maxTotal: decimal(facts.maxTotal),
        makerFee: decimal(facts.makerFee),
        takerFee: decimal(facts.takerFee),
      },
      exitReadsBook: false,
    }
    const views = viewsOf(programs, inputsOf(strategy))
    this.scene = { name: 'work', strategy, ladders: [this.ladder], canCancel, views }
  }

  /** An entry that filled at this price and ended. */
  bought(side: 'buy' | 'sell', amount: string, price: string, level = `x${this.#count++}`): Order {
    const basics = { ladder: this.ladder.name, level, side, role: 'entry' as const, price, amount }
    return this.fill(this.place(draftOf(basics)), amount, true)
  }

  place(draft: OrderDraft): Order {
    const order = orderOf(draft, draft)
    beginOrder(this.state, this.own, order)
    this.own.generations[order.level] = order.generation
    return order
  }

  /** So much in all, at its own price. */
  fill(order: Order, filled: string, ended: boolean): Order {
    const money = decimal(filled).times(order.price).toFixed()
    const progress = { venueId: '1', filled, money, fee: '0', ended }
    applyProgress(this.state.strategies['work']!, order, progress, { market: this.#market, at: now })
    if (ended) endOrder(this.state, this.own, order)
    armExits(this.state, 'work', this.ladder, this.own, order)
    return order
  }

  end(order: Order): void {
    endOrder(this.state, this.own, order)
    armExits(this.state, 'work', this.ladder, this.own, order)
  }

  quote(bid: number | null, ask: number | null): Quote {
    this.state.at += 1
    return (this.state.quotes[this.ladder.symbol] = { at: this.state.at, bid, ask, last: null })
  }

  exits(): Exits {
    return exitsOf(this.state, this.scene, true)
  }

  /** What would leave at this price, as text. */
  at(bid: number, ask = bid + 0.01): string[] {
    this.quote(bid, ask)
    return this.exits().drafts.map(told)
  }
}

function told({ level, side, amount, price, ioc }: OrderDraft): string {
  return `${level} ${side} ${amount} at ${price}${ioc ? ' ioc' : ''}`
}
