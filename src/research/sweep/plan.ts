import { createHash } from 'node:crypto'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Choice, Variation } from './variation.ts'

export type SweepPeriod = { from: number; to: number }
/** One backtest: a choice of values over one span of the market. */
export type Job = { choice: number; span: number }
/** The spans of one question: what is chosen by the first must stand in the second. */
export type Fold = { learn: SweepPeriod; prove: SweepPeriod }

export type SearchSettings =
  | { kind: 'grid'; learnShare: number }
  | { kind: 'random'; tries: number; seed: string; learnShare: number }
  | { kind: 'walk-forward'; folds: number }

const choicesMax = 100_000
/** In a walk forward so many times as long is learned from as is proved in. */
const learnSpans = 3
/** In less than a bar nothing can be proved. */
const pieceMsLeast = 60_000

function countOf(variations: readonly Variation[]): number {
  return variations.reduce((count, { values }) => count * values.length, 1)
}

/** What is tried, in an order that is the same whoever asks. */
export function choicesOf(variations: readonly Variation[], search: SearchSettings): Choice[] {
  const count = countOf(variations)
  if (search.kind === 'random' && search.tries < count) {
    return drawn(search.tries, count, search.seed).map((number) => choiceAt(variations, number))
  }
  if (count > choicesMax) {
    throw new BotError('USAGE', {
      seen: `${count} combinations are more than the maximum of ${choicesMax}`,
      fix: 'Use larger steps, or a random sample: --search random --tries 1000',
    })
  }
  return Array.from({ length: count }, (_, number) => choiceAt(variations, number))
}

/** The last variation changes fastest. */
function choiceAt(variations: readonly Variation[], number: number): Choice {
  const choice: string[] = []
  let rest = number
  for (const { values } of variations.toReversed()) {
    choice.unshift(values[rest % values.length] ?? '')
    rest = Math.floor(rest / values.length)
  }
  return choice
}

/** So many different numbers below `count`, by a seed. */
function drawn(tries: number, count: number, seed: string): number[] {
  const taken = new Set<number>()
  for (let turn = 0; taken.size < tries; turn++) {
    const hash = createHash('sha256').update(`${seed} ${turn}`).digest()
    taken.add(hash.readUIntBE(0, 6) % count)
  }
  return [...taken]
}

/** What is learned from always lies before what it is proved in, and no moment is in both. */
export function foldsOf({ from, to }: SweepPeriod, search: SearchSettings): Fold[] {
  if (search.kind !== 'walk-forward') {
    const border = Math.floor(from + (to - from) * search.learnShare)
    return [{ learn: { from, to: border }, prove: { from: border, to } }]
  }
  const pieces = learnSpans + search.folds
  if ((to - from) / pieces < pieceMsLeast) {
    const most = Math.max(0, Math.floor((to - from) / pieceMsLeast) - learnSpans)
    throw new BotError('USAGE', {
      seen: `--steps ${search.folds} gives steps of less than a minute`,
      fix: `Use fewer steps, here at most ${most}, or a longer market file`,
    })
  }
  const at = (piece: number) => from + Math.floor(((to - from) * piece) / pieces)
  return Array.from({ length: search.folds }, (_, fold) => ({
    learn: { from: at(fold), to: at(fold + learnSpans) },
    prove: { from: at(fold + learnSpans), to: at(fold + learnSpans + 1) },
  }))
}
