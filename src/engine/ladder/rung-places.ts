import type { LadderState } from '#src/engine/state/state.ts'

const known = new WeakMap<LadderState['rungs'], Map<string, number>>()

/** The index of the rung of this level. Cached, since a search reads hundreds of rungs that nothing else of a step reads. */
export function placeOf(rungs: LadderState['rungs'], level: string): number | undefined {
  let places = known.get(rungs)
  if (places?.size !== rungs.length)
    known.set(rungs, (places = new Map(rungs.map((rung, index) => [rung.level, index]))))
  return places.get(level)
}
