import type { Programs } from '#src/strategy/expressions/programs.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { KeyPath, StrategyFault } from './strategy-fault.ts'

/** The keys of a ladder that decide its rungs, and those of a feed that decide its prices. */
const rungKeys = ['market', 'side', 'anchor', 'levels', 'spacing', 'size', 'resting', 'below_min'] as const
const priceKeys = ['source', 'market', 'interval'] as const

/**
 * A strategy without its feeds, named values and ladders that have a mistake at one of these places. What reads such a
 * part is unknown, so it causes no fault.
 */
export function partsWithoutMistakes(
  strategy: Strategy,
  programs: Programs,
  wrong: readonly KeyPath[],
): { strategy: Strategy; programs: Programs } {
  const isRight = (path: KeyPath) => !wrong.some((place) => overlap(path, place))
  const isRightMarket = ({ market }: { market: string }) => isRight(['markets', market])
  // The first test has the prices of the preview.
  const feeds = Object.entries(strategy.feeds).filter(
    ([name, feed]) =>
      isRight(['tests', 0, 'given']) &&
      isRightMarket(feed) &&
      priceKeys.every((key) => isRight(['feeds', name, key])),
  )
  const ladders = [...programs.ladders].filter(([name]) => {
    const ladder = strategy.ladder[name]
    if (!ladder || !isRightMarket(ladder)) return false
    // A size by risk is computed from the stop.
    const keys = ladder.size.risk ? [...rungKeys, 'exit'] : rungKeys
    return keys.every((key) => isRight(['ladder', name, key]))
  })
  const lets = programs.lets.filter(({ name }) => isRight(['let', name]))
  return {
    strategy: { ...strategy, feeds: Object.fromEntries(feeds) },
    programs: { ...programs, lets, ladders: new Map(ladders) },
  }
}

/**
 * Whether a fault is only a consequence: its value is an example, at one of the first places, or what it follows from
 * has a mistake itself.
 */
export function isConsequence(
  { path, from = [] }: StrategyFault,
  examples: readonly KeyPath[],
  wrong: readonly KeyPath[],
): boolean {
  return (
    examples.some((place) => begins(path, place)) ||
    wrong.some((place) => from.some((other) => overlap(other, place)))
  )
}

function overlap(one: KeyPath, other: KeyPath): boolean {
  return begins(one, other) || begins(other, one)
}

function begins(path: KeyPath, start: KeyPath): boolean {
  return start.every((key, index) => index < path.length && String(path[index]) === String(key))
}
