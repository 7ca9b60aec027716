import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import { cooling } from '#src/engine/exits/cooldown.ts'
import { maxAgeReachedAt } from '#src/engine/exits/kinds/max-age.ts'
import { openOrdersOfStrategy } from '#src/engine/state/open-orders.ts'
import { isQuoted } from '#src/engine/state/prices.ts'
import type { RungStatuses } from '#src/engine/ladder/rung-status.ts'
import type { ReasonKind } from '#src/engine/ladder/reason.ts'
import type { LadderState, State, StrategyState } from '#src/engine/state/state.ts'

/**
 * Whether nothing can be sent or taken back by itself, once all that can be was: each rung has its order, or lacks it for a
 * reason that only news of orders take away, or a price that moves. Not so where time does, or something waits for an answer.
 */
export function isQuiescent(
  state: State,
  compiled: Compiled,
  own: StrategyState,
  standingIn: RungStatuses,
): boolean {
  return (
    isPriced(state, compiled) &&
    compiled.ladders.every((ladder) => {
      const mine = own.ladders[ladder.name]
      return mine === undefined || isLadderSettled(state, ladder, mine, standingIn)
    })
  )
}

/** Whether it still is: then an answer that only says that orders rest sets nothing free. */
export function staysQuiescent(state: State, compiled: Compiled): boolean {
  const own = state.strategies[compiled.name]
  // Room that there was not before is news by itself. A state of before does not know whether it is settled.
  return own?.settled === true && own.throttled.count === 0 && isPriced(state, compiled)
}

/** A price that has become too old is another one: that of a candle, or none. */
function isPriced(state: State, { ladders, strategy }: Compiled): boolean {
  return ladders.every(({ symbol }) => isQuoted(state, strategy, symbol))
}

function isLadderSettled(
  state: State,
  ladder: CompiledLadder,
  own: LadderState,
  standingIn: RungStatuses,
): boolean {
  // That a limit stands in the way no more is to be told, too.
  if (own.blocked !== null || maxAgeReachedAt(ladder, own) !== undefined) return false
  if (cooling(state, ladder, own) !== undefined) return false
  const alive = openOrdersOfStrategy(state, own)
  return standingIn(ladder).every(({ rung, order, reason }) =>
    reason === null ? alive.has(rung.level) : order?.withdrawing === true || lasting.has(reason.kind),
  )
}

/** Kinds of reasons that do not pass by themselves. One that waits behind another has its reason there. */
const lasting: ReadonlySet<ReasonKind> = new Set([
  'filled',
  'frozen',
  'refused',
  'behind',
  'goal',
  'beyond',
  'window',
  'crowded',
])
