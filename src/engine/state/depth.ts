import type { DepthObject } from '#src/strategy/expressions/context-objects.ts'
import type { DepthEvent } from '#src/engine/depth-event.ts'
import type { State } from './state.ts'
import { isYoung } from './validity.ts'

/** Names the depth of a market within a distance. */
export function depthKey(symbol: string, within: string): string {
  return `${symbol} ${within}`
}

/** The last values count, and the same values again make them young again. Returns the strategies that read them. */
export function takeDepth(
  state: State,
  known: ReadonlyMap<string, { depth: readonly { key: string }[] }>,
  { market, within, bids, asks }: DepthEvent,
): string[] {
  const found = depthKey(market, within)
  state.depth = { ...state.depth, [found]: { at: state.at, bids, asks } }
  return state.running.filter((name) => known.get(name)?.depth.some(({ key }) => key === found))
}

/** Copies the last values into the inputs of expressions; stale values are unknown. */
export function refreshDepth(
  state: Pick<State, 'at' | 'depth'>,
  input: DepthObject,
  { key, staleMs }: { key: string; staleMs: number },
): void {
  const last = state.depth?.[key]
  const { bids, asks } = last && isYoung(state, 'quote', last.at, staleMs) ? last : unknown
  input.bidVolume = bids === undefined ? undefined : Number(bids?.volume ?? 0)
  input.askVolume = asks === undefined ? undefined : Number(asks?.volume ?? 0)
  input.microPrice = bids && asks ? microPrice(bids, asks) : undefined
}

const unknown = { bids: undefined, asks: undefined }

type Best = { price: string; amount: string }

/** Near the ask if most of the amount is at the bid, and the other way round. */
function microPrice(bid: Best, ask: Best): number {
  const [bought, sold] = [Number(bid.amount), Number(ask.amount)]
  return (Number(bid.price) * sold + Number(ask.price) * bought) / (bought + sold)
}
