import type { Arithmetic, Bounded } from '#src/core/money/bounded.ts'
import type { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { othersIn, type Others } from '#src/engine/account/account-limits.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { reached, readOthers } from '#src/engine/state/validity.ts'
import { marketOf, openPart, samePrice, withOrders, type Exposures, type Priced } from './exposure.ts'
import { keptExact, keptNear, type KeptExposures } from './kept-exposure.ts'

const weekMs = 604_800_000

/** The measured values of limits in doubles and with all digits. */
export type Tally = { near: GateSums<Bounded>; exact: GateSums<Decimal> }

/** `open`: how many open orders the strategy may have. */
export function tallyWith(state: State, strategy: Strategy, open: number): Tally {
  const { order_rate: rate } = strategy.risk
  let sent = 0
  if (rate)
    for (const { at, orders } of state.strategies[strategy.name]?.sends ?? [])
      if (!reached(state, at + rate.per)) sent += orders
  const about = { state, strategy, open, sent }
  return { near: new GateSums(keptNear, about), exact: new GateSums(keptExact, about) }
}

export function tallyAfter({ near, exact }: Tally, drafts: readonly OrderDraft[]): Tally {
  // An order with unknown outcome that is sent again counts already.
  const added = drafts.filter(({ id }) => near.state.orders[id] === undefined)
  const sent = drafts.length
  return { near: near.with(added, sent), exact: exact.with(added, sent) }
}

const none: readonly OrderDraft[] = []

type About = { state: State; strategy: Strategy; open: number; sent: number }

/** All sums that count against limits, in one arithmetic. A sum is computed when a limit first reads it. */
export class GateSums<N> {
  readonly a: Arithmetic<N>
  readonly state: State
  readonly strategy: Strategy
  readonly own: StrategyState | undefined
  /** Open orders, and orders sent within the time of `order_rate`. */
  readonly open: number
  readonly sent: number
  readonly priced: Priced<N>
  readonly #kept: KeptExposures<N>
  readonly #before: { sums: GateSums<N>; drafts: readonly OrderDraft[] } | undefined
  #exposures: Exposures<N> | undefined
  #others: Others<N> | undefined

  constructor(
    kept: KeptExposures<N>,
    about: About,
    before?: { sums: GateSums<N>; drafts: readonly OrderDraft[] },
    priced: Priced<N> = samePrice,
  ) {
    const { state, strategy } = about
    this.a = kept.a
    this.state = state
    this.strategy = strategy
    this.own = state.strategies[strategy.name]
    this.open = about.open
    this.sent = about.sent
    this.priced = priced
    this.#kept = kept
    this.#before = before
  }

  /** With orders that do not count yet; `sent`: how many orders are sent. */
  with(drafts: readonly OrderDraft[], sent: number): GateSums<N> {
    const { state, strategy } = this
    let { open } = this
    // An immediate order never stays open.
    for (const { ioc } of drafts) if (!ioc) open += 1
    const about = { state, strategy, open, sent: this.sent + sent }
    return new GateSums(this.#kept, about, { sums: this, drafts })
  }

  /** The same sums at other prices. */
  at(priced: Priced<N>): GateSums<N> {
    return new GateSums(this.#kept, this, { sums: this, drafts: none }, priced)
  }

  get exposures(): Exposures<N> {
    return (this.#exposures ??= this.#withDrafts())
  }

  #withDrafts(): Exposures<N> {
    const { state, strategy } = this
    if (!this.#before) return this.#kept.read(state, strategy)
    const { sums, drafts } = this.#before
    if (drafts.length === 0) return sums.exposures
    const exposures = new Map(sums.exposures)
    const opening = drafts.filter(({ activation }) => activation === undefined)
    const added = Map.groupBy(opening, (draft) => marketOf(strategy, draft))
    for (const [market, some] of added) {
      const exposure = exposures.get(market) ?? this.#kept.in(state, strategy, market)
      const parts = some.map((draft) => openPart(this.a, draft, '0'))
      exposures.set(market, withOrders(this.a, exposure, parts))
    }
    return exposures
  }

  /** Money spent on entries in the last week, and what open entries may still spend. */
  get entered(): N {
    const { a } = this
    let sum = a.zero
    for (const { at, money } of this.own?.spent ?? [])
      if (!reached(this.state, at + weekMs)) sum = a.plus(sum, a.text(money))
    for (const { buy, sell } of this.exposures.values())
      sum = a.plus(sum, a.plus(buy.entries.money, sell.entries.money))
    return sum
  }

  /** The exposure of the other strategies of the account. */
  get others(): Others<N> {
    const { state, strategy } = this
    readOthers()
    return (this.#others ??= this.#before?.sums.others ?? othersIn(this.#kept, state, strategy.name))
  }
}
