import { Decimal } from '#src/core/money/decimal.ts'
import { resultPartsOf } from '#src/engine/holdings/pair-sums.ts'
import { driftText } from '#src/engine/state/drift.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import { counted } from '#src/cli/words/text.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'

type Counts = { fills: number; accepted: number; refused: number; unknown: number; fees: Decimal }
const none = (): Counts => ({ fills: 0, accepted: 0, refused: 0, unknown: 0, fees: new Decimal(0) })

/** What a summary adds about a run: the comparison with the venue, or why the run never began. */
type About =
  | { tookMs: number; agrees: boolean; difference?: string; readAgeMs: number }
  | { tookMs: 0; reason: string }

export type Summary = ReturnType<RunTally['summary']>

/** Counts the events of a run, for its last line. */
export class RunTally {
  readonly #by = new Map<string, Counts>()
  /** By order, since an order that is sent again can be unknown twice. */
  readonly #outcomes = new Map<string, string>()
  #filled: string | undefined
  #accepted: string | undefined

  take(event: BotEvent): void {
    if (!('strategy' in event) || event.strategy === undefined) return
    let counts = this.#by.get(event.strategy)
    if (counts === undefined) this.#by.set(event.strategy, (counts = none()))
    switch (event.type) {
      case 'fill':
        counts.fills += 1
        counts.fees = counts.fees.plus(event.fee)
        this.#filled = event.order
        break
      case 'order-accepted':
        counts.accepted += 1
        this.#accepted = event.order
        break
      case 'order-refused':
      case 'order-would-take':
        counts.refused += 1
        break
      case 'order-unknown':
      case 'order-resolved':
        if (!this.#outcomes.has(event.order)) counts.unknown += 1
        this.#outcomes.set(event.order, event.type === 'order-unknown' ? 'unknown' : event.outcome)
        break
      default:
    }
  }

  /** The last order that filled, or else the last that the venue accepted. */
  get lastOrder(): string | undefined {
    return this.#filled ?? this.#accepted
  }

  #count(outcome: 'placed' | 'absent'): number {
    return this.#outcomes
      .values()
      .filter((each) => each === outcome)
      .toArray().length
  }

  /**
   * Sums over the strategies of this run; a state folder can contain others of earlier runs. `profit` is the result of the
   * strategies since their beginning, open positions at market; the rest is about this run.
   */
  summary(state: State, about: About) {
    const strategies = state.running.flatMap((name) => {
      const own = state.strategies[name]
      if (own === undefined) return []
      const { fills, accepted: orders, refused, unknown, fees } = this.#by.get(name) ?? none()
      const { gridProfit, floating } = resultPartsOf(own)
      const counts = { strategy: name, orders, fills, refused, unknown, fees: fees.toFixed() }
      return Object.assign(counts, { profit: own.worth.result, gridProfit, floating })
    })
    const sum = (field: 'fills' | 'orders' | 'refused' | 'unknown') =>
      strategies.reduce((all, each) => all + each[field], 0)
    const total = (field: 'fees' | 'profit' | 'gridProfit' | 'floating') =>
      strategies.reduce((all, each) => all.plus(each[field]), new Decimal(0)).toFixed()
    return {
      type: 'summary' as const,
      at: state.at,
      orders: sum('orders'),
      accepted: sum('orders'),
      refused: sum('refused'),
      unknown: sum('unknown'),
      placed: this.#count('placed'),
      absent: this.#count('absent'),
      doubtful: Object.values(state.orders).filter(isUnsure).length,
      fills: sum('fills'),
      fees: total('fees'),
      profit: total('profit'),
      result: total('profit'),
      gridProfit: total('gridProfit'),
      floating: total('floating'),
      ...about,
      strategies,
    }
  }
}

/** How bot and venue disagree, or what is unknown; null where they agree. */
export function differenceText({ drift, orders }: State): string | null {
  const unsure = Object.values(orders).filter(isUnsure).length
  return driftText(drift) ?? (unsure === 0 ? null : `the outcome of ${counted(unsure, 'order')} is unknown`)
}

/** Whether bot and venue agree, and the age of the last reading of the account. */
export function agreement(
  state: State,
  { readAt, lost }: Connectivity,
): { agrees: boolean; difference?: string; readAgeMs: number } {
  // A reading that began after the last event has age 0.
  const readAgeMs = Math.max(0, state.at - (readAt ?? state.at))
  const isRead = readAt !== null && lost === null
  const difference = isRead ? differenceText(state) : 'the account could not be read'
  return difference === null ? { agrees: true, readAgeMs } : { agrees: false, difference, readAgeMs }
}

function isUnsure({ status }: Order): boolean {
  return status === 'sending' || status === 'doubtful'
}
