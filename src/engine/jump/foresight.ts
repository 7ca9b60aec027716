import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { equityMatters } from './horizon-account.ts'
import { closesHorizon } from './horizon-closes.ts'
import { ordersHorizon, rulesHorizon, type Horizon, type OrdersHorizon } from './horizon.ts'
import type { PriceBand } from './price-bands.ts'
import { prune } from '#src/engine/state/pruning.ts'
import type { State } from '#src/engine/state/state.ts'
import { nextTick } from '#src/engine/state/ticks.ts'

const foresightsPerPruning = 256

/** Keeps results of the last evaluations, so that a backtest can jump to the next evaluation that may change something. */
export class Foresight {
  readonly #state: State
  readonly #known: ReadonlyMap<string, Compiled>
  #count = 0
  /** Undefined once a step has changed orders or ladders. */
  #orders: OrdersHorizon | undefined
  /** When all is evaluated in any case. */
  #lookAt = -Infinity
  /** By market, the prices at which an order could not be sent since the last other change. */
  readonly #tried = new Map<string, PriceBand>()
  /** When something was tried last. */
  #triedAt = -Infinity

  constructor(state: State, known: ReadonlyMap<string, Compiled>) {
    this.#state = state
    this.#known = known
  }

  /** The next tick may find something, whatever prices and times say. */
  lookAgain(): void {
    this.#lookAt = nextTick(this.#state.at)
  }

  /** A strategy was evaluated in full: its orders wait for something else now. */
  evaluated(): void {
    this.#orders = undefined
    this.#triedAt = this.#state.at
  }

  /** Orders and ladders wait for something else now. */
  changed(): void {
    this.#orders = undefined
  }

  /** What could not be sent may be possible now, at any price. */
  forgetTried(): void {
    if (this.#tried.size > 0) this.#tried.clear()
  }

  /** With `all` no candle may be skipped. */
  horizon({ all }: { all: boolean }): Horizon {
    const [state, known] = [this.#state, this.#known]
    const orders = (this.#orders ??= this.#foresee())
    const closes = all ? null : closesHorizon(state, known)
    const lookAt = this.#lookAt > state.at ? this.#lookAt : Infinity
    const at = Math.min(orders.at, lookAt, rulesHorizon(state, known, closes !== null))
    return { ...orders, at, closes, equity: equityMatters(state, known) }
  }

  #foresee(): OrdersHorizon {
    // Where time jumps, ticks are few.
    this.#count += 1
    if (this.#count % foresightsPerPruning === 0) prune(this.#state)
    const isNow = this.#triedAt === this.#state.at
    return ordersHorizon(this.#state, this.#known, { between: this.#tried, isNow })
  }
}
