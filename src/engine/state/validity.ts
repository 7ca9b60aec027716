import type { State } from './state.ts'
import { nextTick } from './ticks.ts'
import { narrow, narrowBand, type PriceBand } from './price-bands.ts'

/**
 * For how long and for which prices an evaluation holds: another one before `until`, at prices inside the bands, decides the
 * same. The decision code itself narrows it with each comparison of time or prices that it uses. So a backtest can jump to the
 * first moment at which an evaluation may decide something else.
 */
export class Validity {
  until = Infinity
  /** When the first value that the evaluation used becomes stale, if the next candle or quote does not come. */
  readonly staleAt = { candle: Infinity, quote: Infinity }
  /** The evaluation used the close of a candle as a price, or had no price. */
  needsQuote = false
  /** Each change of the equity counts: the next reading of the account must find it. */
  readsEquity = false
  /** A change of another strategy counts: limits of the account, money that its orders free. */
  readsOthers = false
  /** An equity outside of this band may decide something else about orders. */
  readonly equity: PriceBand = { below: -Infinity, above: Infinity }
  readonly bands = new Map<string, PriceBand>()

  reset(): void {
    this.until = Infinity
    this.staleAt.candle = this.staleAt.quote = Infinity
    this.needsQuote = false
    this.readsEquity = false
    this.readsOthers = false
    this.equity.below = -Infinity
    this.equity.above = Infinity
    // Clearing an empty map costs as much as filling it.
    if (this.bands.size > 0) this.bands.clear()
  }

  /** Something has changed after the evaluation read it: the next tick evaluates again. */
  endWithTick(at: number): void {
    this.until = Math.min(this.until, nextTick(at))
  }
}

/** The evaluation that is being recorded. Live nothing is recorded. */
let current: Validity | undefined

/** Comparisons from here on narrow this validity, which is reset; without one, nothing is recorded. */
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

/** Evaluates again at a moment that is expensive to compute. */
export function evaluateAgainAt(state: Pick<State, 'at'>, moment: () => number): void {
  if (current) reached(state, moment())
}

/** Whether a candle or quote from `since` is fresh. */
export function isYoung(
  { at }: Pick<State, 'at'>,
  kind: keyof Validity['staleAt'],
  since: number,
  ageMs: number,
): boolean {
  const isFresh = at - since <= ageMs
  if (current && isFresh) current.staleAt[kind] = Math.min(current.staleAt[kind], since + ageMs + 1)
  return isFresh
}

/** Computes what only explains a decision: it does not limit for how long the decision holds. */
export function unrecorded<Value>(compute: () => Value): Value {
  const before = current
  current = undefined
  try {
    return compute()
  } finally {
    current = before
  }
}

export function isRecorded(): boolean {
  return current !== undefined
}

/** The state has changed after an evaluation read it. */
export function evaluateAgain({ at }: Pick<State, 'at'>): void {
  current?.endWithTick(at)
}

/** The equity is read. */
export function readEquity(): void {
  if (current) current.readsEquity = true
}

/** Something is read that orders of other strategies change. */
export function readOthers(): void {
  if (current) current.readsOthers = true
}

/** A comparison with this equity changes at the edge. */
export function equityEdgeAt(equity: number, edge: number): void {
  if (current) narrowBand(current.equity, equity, edge)
}

/** A comparison may change with every equity. */
export function everyEquity(): void {
  if (current) current.equity.below = Infinity
}

/** The price does not come from a quote. */
export function needQuote(): void {
  if (current) current.needsQuote = true
}

/** A comparison changes at this price. */
export function edgeAt(symbol: string, price: number, edge: number): void {
  if (current) narrow(current.bands, symbol, price, edge)
}

/** A comparison may change with every price. */
export function everyPrice(symbol: string, price: number): void {
  edgeAt(symbol, price, price)
}
