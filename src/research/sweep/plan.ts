import { createHash } from 'node:crypto'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Choice, Variation } from './variation.ts'

export type SweepPeriod = { from: number; to: number }
/** The in-sample and the out-of-sample period of one step. */
export type Fold = { learn: SweepPeriod; prove: SweepPeriod }

export type SearchSettings =
  | { kind: 'grid'; learnShare: number }
  | { kind: 'random'; tries: number; seed: string; learnShare: number }
  | { kind: 'walk-forward'; folds: number }

const choicesMax = 100_000
/** Length of the in-sample period of a walk-forward step, in out-of-sample periods. */
const inSampleSpans = 3
/** One bar. */
const pieceMsMin = 60_000

/** The combinations, in a deterministic order. */
export function choicesOf(variations: readonly Variation[], search: SearchSettings): Choice[] {
  const count = variations.reduce((product, { values }) => product * values.length, 1)
  if (search.kind === 'random' && search.tries < count) {
    return randomNumbers(search.tries, count, search.seed).map((number) => choiceAt(variations, number))
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

/** Different random numbers below `count`. */
function randomNumbers(tries: number, count: number, seed: string): number[] {
  const taken = new Set<number>()
  for (let turn = 0; taken.size < tries; turn++) {
    const hash = createHash('sha256').update(`${seed} ${turn}`).digest()
    taken.add(hash.readUIntBE(0, 6) % count)
  }
  return [...taken]
}

/** The in-sample period ends where the out-of-sample period begins. */
export function foldsOf({ from, to }: SweepPeriod, search: SearchSettings): Fold[] {
  if (search.kind !== 'walk-forward') {
    const border = Math.floor(from + (to - from) * search.learnShare)
    return [{ learn: { from, to: border }, prove: { from: border, to } }]
  }
  const pieces = inSampleSpans + search.folds
  if ((to - from) / pieces < pieceMsMin) {
    const most = Math.max(0, Math.floor((to - from) / pieceMsMin) - inSampleSpans)
    throw new BotError('USAGE', {
      seen: `--steps ${search.folds} gives steps of less than a minute`,
      fix: `Use fewer steps, here at most ${most}, or a longer market file`,
    })
  }
  const at = (piece: number) => from + Math.floor(((to - from) * piece) / pieces)
  return Array.from({ length: search.folds }, (_, fold) => ({
    learn: { from: at(fold), to: at(fold + inSampleSpans) },
    prove: { from: at(fold + inSampleSpans), to: at(fold + inSampleSpans + 1) },
  }))
}
