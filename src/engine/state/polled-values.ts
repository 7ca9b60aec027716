import type { DepthEvent } from '#src/engine/depth-event.ts'
import type { FuturesEvent } from '#src/engine/futures-event.ts'
import type { TradesEvent } from '#src/engine/trades-event.ts'
import { takeDepth } from './depth.ts'
import { takeFutures } from './futures.ts'
import type { State } from './state.ts'
import { takeTrades } from './trades.ts'

type Known = Parameters<typeof takeFutures>[1] &
  Parameters<typeof takeDepth>[1] &
  Parameters<typeof takeTrades>[1]

/** What a poll of the venue has found. Returns the strategies that read it. */
export function takePolled(
  state: State,
  known: Known,
  event: FuturesEvent | DepthEvent | TradesEvent,
): string[] {
  switch (event.kind) {
    case 'futures':
      return takeFutures(state, known, event)
    case 'depth':
      return takeDepth(state, known, event)
    case 'trades':
      return takeTrades(state, known, event)
  }
}
