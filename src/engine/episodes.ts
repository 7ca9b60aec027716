import { newExits } from './holdings.ts'
import type { CompiledLadder } from './compiled.ts'
import type { LadderState } from './state.ts'
import type { Turn } from './turn.ts'

/** Begins counting anew: an anchor of its own, no level filled. */
export function openEpisode(turn: Turn, strategy: string, ladder: CompiledLadder, own: LadderState): void {
  const { at } = turn.state
  clear(own)
  own.episode++
  own.openedAt = at
  own.exits.takenParts = 0
  const { name, symbol } = ladder
  const { episode } = own
  turn.notes.push({ type: 'episode-opened', at, strategy, ladder: name, market: symbol, episode })
}

/** Nothing is wanted of the ladder until a rule ensures it again. */
function closeEpisode(
  { state, notes }: Turn,
  strategy: string,
  ladder: CompiledLadder,
  own: LadderState,
): void {
  clear(own)
  own.goal = 'none'
  own.openedAt = null
  own.exits = newExits()
  const { name, symbol } = ladder
  const { episode } = own
  notes.push({ type: 'episode-closed', at: state.at, strategy, ladder: name, market: symbol, episode })
}

function clear(own: LadderState): void {
  own.anchor = null
  own.unit = null
  own.laidAt = null
  own.rungs = []
  own.filled = []
  own.filledAt = null
  own.frozen = null
  own.missing = null
}

export function setGoal(
  turn: Turn,
  strategy: string,
  ladder: CompiledLadder,
  own: LadderState,
  goal: LadderState['goal'],
  rule: string,
): boolean {
  if (own.goal === goal) return false
  // What is taken back untouched is over: the next time it begins where the market stands then.
  if (goal === 'retire' && own.openedAt !== null && own.filled.length === 0 && isFlat(turn, own))
    closeEpisode(turn, strategy, ladder, own)
  own.goal = goal
  turn.notes.push({ type: 'goal-changed', at: turn.state.at, strategy, ladder: ladder.name, goal, rule })
  return true
}

/** An episode with exits ends when all that was bought has been sold again. */
export function endEpisode(turn: Turn, strategy: string, ladder: CompiledLadder, own: LadderState): boolean {
  if (!ladder.closes || own.openedAt === null || own.filled.length === 0 || !isFlat(turn, own)) return false
  closeEpisode(turn, strategy, ladder, own)
  return true
}

/** Nothing is held, and no exit is on its way. */
function isFlat({ state }: Turn, { held, open }: LadderState): boolean {
  return Number(held.position) === 0 && !Object.values(open).some((id) => state.orders[id]?.role === 'exit')
}
