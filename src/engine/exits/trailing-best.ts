import { followPrice, marksOf } from './exit-kinds.ts'
import { watchedPrices } from './position-exits.ts'
import { heldOf, ladderExitOf } from './exit-prices.ts'
import type { ExitContext } from './exit-orders.ts'
import { exitsFrozen } from '#src/engine/rules/halts.ts'
import { isAccountUnread } from '#src/engine/state/session.ts'
import type { Quote, State, StrategyState } from '#src/engine/state/state.ts'
import type { ExitWatch } from '#src/engine/state/exit-state.ts'

/**
 * Trailing exits follow the price of this market. No other exit can be due at a price that is better than all before, so rules
 * and orders are not evaluated. True if an exit has moved.
 */
export function followBest(state: State, scene: ExitContext, own: StrategyState, market: string): boolean {
  const quote = state.quotes[market]
  if (!quote || state.ending || isAccountUnread(state) || exitsFrozen(state, own)) return false
  let hasMoved = false
  for (const ladder of scene.ladders) {
    const mine = own.ladders[ladder.name]
    if (ladder.symbol !== market || !mine?.exits.watch || !isBest(mine.exits.watch, quote)) continue
    const held = heldOf({ state, scene, ladder, own: mine })
    if (!held) continue
    const leaving = ladderExitOf(held)
    followPrice(leaving)
    // What the time has changed meanwhile counts with the next tick.
    mine.exits.watch = watchedPrices(leaving, marksOf(leaving))
    hasMoved = true
  }
  return hasMoved
}

function isBest({ of, best }: ExitWatch, quote: Quote): boolean {
  const price = quote[of] ?? quote.last
  if (best === undefined || price === null) return false
  return of === 'bid' ? price >= best : price <= best
}
