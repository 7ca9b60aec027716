import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { isFlatNow } from './exit-prices.ts'
import { allAlive } from './exit-orders.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'

/**
 * Reports once that a strategy is flat. `haltStrategy` with `after: 'flatten'` begins it; `position-exits.ts` closes all
 * holdings, and what open orders still fill, by immediate orders.
 */
export function reportFlat(state: State, compiled: Compiled, own: StrategyState): BotEvent[] {
  const { flatten } = own
  if (!flatten) return []
  const isFlatten = isDone(state, compiled, own)
  const isNews = isFlatten && !flatten.isDone
  flatten.isDone = isFlatten
  if (!isNews) return []
  const left = leftIn(compiled, own)
  const message =
    left.length === 0
      ? 'the position is flat'
      : `the rest is below the minimum of the market: ${left.join(', ')}`
  return [{ type: 'flattened', at: state.at, strategy: compiled.name, message }]
}

/** An entry that cannot be cancelled may fill at any time; then its fill is closed. */
function isDone(state: State, { strategy, ladders, canCancel }: Compiled, own: StrategyState): boolean {
  return ladders.every(({ name, market, symbol }) => {
    const mine = own.ladders[name]
    if (!mine || !market) return true
    const alive = allAlive(state, mine).filter(({ role }) => role === 'exit' || canCancel)
    const { position } = mine.held
    return alive.length === 0 && isFlatNow(state, strategy, { position, symbol, market })
  })
}

function leftIn({ name: strategy, ladders }: Compiled, own: StrategyState): string[] {
  return ladders.flatMap(({ name, symbol }) => {
    const position = own.ladders[name]?.held.position ?? '0'
    return position === '0' ? [] : [`${position} in ${symbol} by ${strategy}.${name}`]
  })
}
