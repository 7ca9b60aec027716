import { entriesAt, valueAt } from '#src/core/objects/objects.ts'
import { substituted } from './loop-variables.ts'
import type { KeyPath } from '#src/strategy/file/strategy-fault.ts'
import { listedName } from '#src/strategy/schema/market-schema.ts'
import type { Context } from '#src/strategy/expressions/compile-expression.ts'
import { answer, type Program } from '#src/strategy/expressions/expression.ts'

/** The markets of a loop, in the order of its list, and which of them may be active. */
export type Selection = {
  most: number
  candidates: { market: string; when: Program | undefined; rank: Program | undefined }[]
}

type Situation = {
  /** Whether the strategy holds a position in a market that the venue would still close. */
  isHeld: (market: string) => boolean
  /** The bot has just started, and its feeds come one after the other. */
  isStarting: boolean
}

/**
 * Whether each market is active: those with a position, and then, up to `most` together, the markets whose condition is true, the
 * highest rank first. Of equal ranks, the first in the list counts. While the condition or the rank of a market is unknown, so is
 * the answer for this market, and the others are chosen without it: unknown never acts, so it cancels nothing. At a start, an
 * unknown market could still be among the best: then others are active only if there is also a place for each unknown one.
 */
export function activeMarkets(
  { most, candidates }: Selection,
  context: Context,
  { isHeld, isStarting }: Situation,
): ReadonlyMap<string, boolean | undefined> {
  const held = candidates.filter(({ market }) => isHeld(market))
  const active = new Map<string, boolean | undefined>(held.map(({ market }) => [market, true]))
  const ranked = candidates.flatMap(({ market, when, rank }) => {
    if (active.has(market)) return []
    const fits = when === undefined ? true : valueOf(when, context)
    const value = rank === undefined ? 0 : valueOf(rank, context)
    const isKnown = fits === false || (fits === true && typeof value === 'number')
    active.set(market, isKnown ? false : undefined)
    return fits === true && typeof value === 'number' ? [{ market, value }] : []
  })
  const places = Math.max(0, most - held.length)
  const unknown = isStarting ? [...active.values()].filter((each) => each === undefined).length : 0
  const best = ranked.toSorted((a, b) => b.value - a.value).slice(0, places)
  for (const [index, { market }] of best.entries())
    active.set(market, index + unknown < places ? true : undefined)
  return active
}

/** The loop of a file as a selection: its condition and its rank for each market. Undefined if all markets are always active. */
export function selectionOf(variable: string, loop: unknown, compile: Compile): Selection | undefined {
  if (['when', 'active'].every((key) => valueAt(loop, [key]) === undefined)) return undefined
  const programOf = (key: 'when' | 'rank', market: string) => {
    const text = valueAt(loop, [key])
    if (typeof text !== 'string') return undefined
    return compile(substituted(text, variable, market), ['for_each', variable, key], kinds[key], text)
  }
  const names = entriesAt(loop, ['markets']).flatMap(([, entry]) => listedName(entry) ?? [])
  return {
    most: Number(valueAt(loop, ['active']) ?? Infinity),
    candidates: names.map((market) => {
      return { market, when: programOf('when', market), rank: programOf('rank', market) }
    }),
  }
}

const kinds = { when: 'bool', rank: 'double' } as const
/** `written`: the text with the variable. */
type Compile = (text: string, path: KeyPath, kind: 'bool' | 'double', written: string) => Program | undefined

export function programsOfSelection({ candidates }: Selection): Program[] {
  return candidates.flatMap(({ when, rank }) => [when, rank]).filter((program) => program !== undefined)
}

function valueOf(program: Program, context: Context): number | boolean | undefined {
  const found = answer(program, context)
  return 'value' in found ? found.value : undefined
}
