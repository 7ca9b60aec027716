import type { FuturesObject } from '#src/strategy/expressions/context-objects.ts'
import type { FuturesEvent } from '#src/engine/futures-event.ts'
import type { State } from './state.ts'
import { isYoung } from './validity.ts'

const hourMs = 3_600_000

/** The last values count, and the same values again make them young again. Returns the strategies that read them. */
export function takeFutures(
  state: State,
  known: ReadonlyMap<string, { futures: readonly { symbol: string }[] }>,
  { market, funding, fundingAt, mark, index, openInterest }: FuturesEvent,
): string[] {
  const listed = { at: state.at, funding, fundingAt, mark, index, openInterest }
  state.futures = { ...state.futures, [market]: listed }
  return state.running.filter((name) => known.get(name)?.futures.some(({ symbol }) => symbol === market))
}

/** Copies the last values of a market into the inputs of expressions; stale values are unknown. */
export function refreshFutures(
  state: Pick<State, 'at' | 'futures'>,
  input: FuturesObject,
  { symbol, staleMs }: { symbol: string; staleMs: number },
): void {
  const last = state.futures?.[symbol]
  const fresh = last && isYoung(state, 'quote', last.at, staleMs) ? last : undefined
  input.funding = fresh?.funding
  input.fundingHours = fresh && hoursUntil(state, fresh.fundingAt)
  input.mark = fresh?.mark
  input.index = fresh?.index
  input.openInterest = fresh?.openInterest
}

/** The venue names the next payment a moment after the last one: until then the time is zero. */
function hoursUntil({ at }: Pick<State, 'at'>, moment: number | null): number | null {
  return moment === null ? null : Math.max(0, moment - at) / hourMs
}
