import { beyondShown } from './closable.ts'
import { planPositionExits } from './position-exits.ts'
import { mirrorDrafts } from './mirrors.ts'
import { cancelExit, noExits, type ExitPlace, type Exits, type ExitContext } from './exit-orders.ts'
import { openParts, stopsAtVenue } from '#src/engine/state/open-orders.ts'
import type { LadderState, Quote, State, StrategyState } from '#src/engine/state/state.ts'

/**
 * Drafts the exits to place now, and lists the orders to cancel for them. Called after everything that can matter: a fill, an
 * ended order, a candle, a tick, and a quote for which `touches` is true.
 */
export function exitsOf(state: State, scene: ExitContext, isTick: boolean): Exits {
  const exits = noExits(isTick)
  const isFlattened = state.strategies[scene.name]?.flatten !== undefined
  for (const ladder of scene.ladders) {
    const own = state.strategies[scene.name]?.ladders[ladder.name]
    if (!ladder.market || !own) continue
    const isClosed = own.exits.leave !== null || own.exits.close !== undefined
    // They may be left from an earlier version of the file, or from an action that is over.
    const hasStop = stopsAtVenue(state, own).size > 0
    const hasPart = openParts(state, own).size > 0
    if (!ladder.file.exit && !isFlattened && !isClosed && !hasStop && !hasPart) continue
    const place = { state, scene, ladder, own }
    keepCovered(place, exits)
    planPositionExits(place, exits)
    mirrorDrafts(place, exits)
  }
  return exits
}

/** A resting exit beyond the venue's position would open the other side. */
function keepCovered(place: ExitPlace, exits: Exits): void {
  const { state, scene, ladder, own } = place
  const side = own.held.position.startsWith('-') ? ('buy' as const) : ('sell' as const)
  for (const order of beyondShown(state, { strategy: scene.name, market: ladder.symbol, side }, own))
    cancelExit(place, order, exits)
}

/**
 * Whether a quote can change anything for the exits of a ladder: two comparisons. They are exact, because prices on the tick of
 * up to fifteen digits keep their order as doubles, and both sides here are read from such decimals.
 */
export function touches({ exits: { watch } }: LadderState, quote: Quote): boolean {
  if (watch === null) return false
  const price = quote[watch.of] ?? quote.last
  if (price === null) return false
  return price >= watch.above || price <= watch.below
}

/** Whether the price of an exit depends on candles. */
export function readsCandles({ ladders }: ExitContext, own: StrategyState): boolean {
  return ladders.some(({ name, programs: { exitAt } }) => {
    const mine = own.ladders[name]
    return exitAt !== undefined && 'text' in exitAt && mine !== undefined && mine.held.position !== '0'
  })
}
