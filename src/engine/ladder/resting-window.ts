import { unrecorded } from '#src/engine/state/validity.ts'
import type { CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { LadderView } from '#src/engine/step-context.ts'
import type { Reason, RungStatus } from './reason.ts'
import type { RungDistances } from './rung-distances.ts'

/** So far beyond the window that the order is cancelled; without a price, resting orders stay. */
export function isFar(
  { window: { max, within } }: CompiledLadder,
  index: number,
  distances: RungDistances,
): boolean {
  return (
    (max !== undefined && distances.hasNearer(index, max + 1)) ||
    (within !== undefined && !distances.isWithin(index, within, 'one step more'))
  )
}

/** Of the rungs that could be placed, the nearest ones up to the window. */
export function giveOutPlaces(
  { compiled: { canCancel }, ladder }: LadderView,
  statuses: readonly RungStatus[],
  distances: RungDistances,
): void {
  const { max } = ladder.window
  const ready: number[] = []
  statuses.forEach((status, index) => isReady(status) && ready.push(index))
  if (ready.length === 0) return
  // If the venue cannot cancel, far orders stay, and must not block near ones.
  const places = canCancel && max !== undefined && distances.isPriced ? max : Infinity
  const room = places - statuses.filter(({ order }) => order !== null).length
  // If no place is free, it decides nothing which rungs are inside the window.
  const near = room > 0 ? ready.filter((index) => !isOutside(ladder, index, distances)) : []
  const placed = near.length > room ? near.sort((a, b) => distances.compare(a, b)).slice(0, room) : near
  const others = ready.filter((index) => !placed.includes(index))
  for (const index of others)
    statuses[index]!.reason = unrecorded(
      () =>
        outside(ladder, index, distances) ?? {
          kind: 'crowded',
          why: `${max} of ${statuses.length} rungs already rest`,
          change: 'the bot cancels the farthest order when it is two rungs farther away than this rung',
        },
    )
  const waiting = room > 0 ? near.filter((index) => !placed.includes(index)) : others
  if (places !== Infinity) makeRoom(ladder, statuses, waiting, distances)
}

/**
 * An order just outside the window, which is kept to save a move, gives up its place for a rung that is nearer by more than one:
 * otherwise the resting orders would depend on the path of prices.
 */
function makeRoom(
  ladder: CompiledLadder,
  statuses: readonly RungStatus[],
  waiting: readonly number[],
  distances: RungDistances,
): void {
  const { max = 0, within } = ladder.window
  const isNear = (index: number) =>
    !distances.hasNearer(index, max - 1) && (within === undefined || distances.isWithin(index, within))
  if (!waiting.some(isNear)) return
  const kept = statuses.findIndex(
    ({ order, isFar }, index) => order !== null && !isFar && distances.hasNearer(index, max),
  )
  if (kept !== -1) statuses[kept]!.isFar = true
}

function isOutside(ladder: CompiledLadder, index: number, distances: RungDistances): boolean {
  const { max, within } = ladder.window
  return (
    (max !== undefined && distances.hasNearer(index, max)) ||
    (within !== undefined && !distances.isWithin(index, within))
  )
}

function outside(ladder: CompiledLadder, index: number, distances: RungDistances): Reason | null {
  const { max, within } = ladder.window
  if (within !== undefined && !distances.isWithin(index, within))
    return {
      kind: 'window',
      why: `its distance to the price is more than ${ladder.file.resting.within?.times(100).toFixed()}%`,
      change: 'the price must come closer',
    }
  if (max !== undefined && distances.hasNearer(index, max))
    return {
      kind: 'window',
      why: `it is number ${distances.numberOf(index)} from the price, and at most ${max} rungs rest`,
      change: 'the price must come closer',
    }
  return null
}

export function isReady({ order, reason }: RungStatus): boolean {
  return order === null && reason === null
}
