import type { State } from './state.ts'
import { nextTick } from './ticks.ts'
import { narrow, type PriceBand } from '#src/engine/jump/price-bands.ts'

/**
 * For how long and for which prices an evaluation holds: another one before `until`, at prices inside the bands, decides the
 * same. The decision code itself narrows it, with each answer about time or prices that it uses. So a backtest can jump to
 * the first moment at which an evaluation may decide something else.
 */
export class Validity {
  until = Infinity
  /** When the last candle of a feed becomes stale, if the next one does not come. */
  staleAt = Infinity
  /** It used the close of a candle as a price, or had no price. */
  needsQuote = false
  readonly bands = new Map<string, PriceBand>()

  reset(): void {
    this.until = Infinity
    this.staleAt = Infinity
    this.needsQuote = false
    this.bands.clear()
  }

  /** Something has changed that the evaluation did not see: the next tick evaluates again. */
  endWithTick(at: number): void {
    this.until = Math.min(this.until, nextTick(at))
  }
}

/** The evaluation that is being recorded. Live nothing is recorded. */
let current: Validity | undefined

/** Answers from here on narrow this validity, which begins anew; without one, nothing is recorded. */
export function recordInto(validity: Validity | undefined): void {
  current = validity
  validity?.reset()
}

/** Whether this moment has come. */
export function reached({ at }: Pick<State, 'at'>, moment: number): boolean {
  if (at >= moment) return true
  if (current && moment < current.until) current.until = moment
  return false
}

/** Decides anew at a moment that costs something to compute. */
export function evaluateAgainAt(state: Pick<State, 'at'>, moment: () => number): void {
  if (current) reached(state, moment())
}

/** Whether news of a feed that came at `since` is still young enough. */
export function isYoung({ at }: Pick<State, 'at'>, since: number, ageMs: number): boolean {
  const isFresh = at - since <= ageMs
  if (current && isFresh) current.staleAt = Math.min(current.staleAt, since + ageMs + 1)
  return isFresh
}

export function isRecorded(): boolean {
  return current !== undefined
}

/** The state has changed behind what was evaluated already. */
export function evaluateAgain({ at }: Pick<State, 'at'>): void {
  current?.endWithTick(at)
}

/** A price is not that of a quote. */
export function needQuote(): void {
  if (current) current.needsQuote = true
}

/** An answer changes where the price passes this edge. */
export function edgeAt(symbol: string, price: number, edge: number): void {
  if (current) narrow(current.bands, symbol, price, edge)
}

/** An answer may change with each change of the price. */
export function everyPrice(symbol: string, price: number): void {
  edgeAt(symbol, price, price)
}
