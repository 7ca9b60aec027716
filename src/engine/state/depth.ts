import type { DepthObject } from '#src/strategy/expressions/context-objects.ts'
import { decimalText, type Decimal } from '#src/core/money/decimal.ts'
import type { DepthEvent, DepthReach } from '#src/engine/depth-event.ts'
import type { State } from './state.ts'
import { isYoung } from './validity.ts'

/** How far the volumes of a feed reach; the schema requires one of both. */
export function reachOf(feed: { within?: Decimal | undefined; levels?: number | undefined }): DepthReach {
  return feed.within ? { within: decimalText(feed.within) } : { levels: feed.levels ?? 1 }
}

/** Names the depth of a market with its reach. */
export function depthKey(symbol: string, reach: DepthReach): string {
  return 'within' in reach ? `${symbol} ${reach.within}` : `${symbol} ${reach.levels} levels`
}

/** The last values count, and the same values again make them young again. Returns the strategies that read them. */
export function takeDepth(
  state: State,
  known: ReadonlyMap<string, { depth: readonly { key: string }[] }>,
  event: DepthEvent,
): string[] {
  const { market, bids, asks } = event
  const found = depthKey(market, event)
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
