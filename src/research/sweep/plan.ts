import { createHash } from 'node:crypto'
import { BotError } from '#src/core/errors/bot-error.ts'
import { durationText } from '#src/strategy/schema/quantities.ts'
import type { Choice, Variation } from './variation.ts'

export type SweepPeriod = { from: number; to: number }
/** The in-sample and the out-of-sample period of one step. */
export type Fold = { learn: SweepPeriod; prove: SweepPeriod }

/** One step, with a share of the period in-sample; or so many steps of walk-forward optimization. */
export type PeriodSplit = { learnShare: number } | { steps: number }
/** All combinations, random ones, or those that a search with tree-structured Parzen estimators chooses. */
export type SearchSettings = {
  split: PeriodSplit
  /** Time between the in-sample and the out-of-sample period of a step that belongs to neither; without it, none. */
  gapMs?: number
} & ({ kind: 'grid' } | { kind: 'random' | 'tpe'; tries: number; seed: string })

const choicesMax = 100_000
/** Length of the in-sample period of a walk-forward step, in out-of-sample periods. */
const inSampleSpans = 3
/** One bar. */
const pieceMsMin = 60_000

/** The combinations in a deterministic order; undefined if the results of some of them decide which ones are next. */
export function choicesOf(variations: readonly Variation[], search: SearchSettings): Choice[] | undefined {
  const count = variations.reduce((product, { values }) => product * values.length, 1)
  if (search.kind !== 'grid' && search.tries < count) {
    if (search.kind === 'tpe') return undefined
    return randomChoices(variations, search.tries, count, search.seed)
  }
  if (count > choicesMax) {
    throw new BotError('USAGE', {
      seen: `${count} combinations are more than the maximum of ${choicesMax}`,
      fix: 'Use larger steps, or try only some of them: --search tpe --tries 200',
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

/** A number of a combination has at most so many values: those of six bytes. */
const numbersMost = 2 ** 48

/** Different random combinations. */
function randomChoices(
  variations: readonly Variation[],
  tries: number,
  count: number,
  seed: string,
): Choice[] {
  const chance = seededChance(seed)
  const taken = new Map<string, Choice>()
  while (taken.size < tries) {
    const choice =
      count <= numbersMost
        ? choiceAt(variations, (chance() * numbersMost) % count)
        : variations.map(({ values }) => values[Math.floor(chance() * values.length)] ?? '')
    taken.set(JSON.stringify(choice), choice)
  }
  return [...taken.values()]
}

/** Random numbers from 0 to 1, not included, which depend only on the seed. */
export function seededChance(seed: string): () => number {
  let turn = 0
  return () => createHash('sha256').update(`${seed} ${turn++}`).digest().readUIntBE(0, 6) / numbersMost
}

/** The in-sample period ends where the out-of-sample period begins, or a gap before. */
export function foldsOf(
  span: SweepPeriod,
  { split, gapMs = 0 }: Pick<SearchSettings, 'split' | 'gapMs'>,
): Fold[] {
  const folds = splitIn(span, split)
  return folds.map(({ learn: { from, to }, prove }) => {
    if (gapMs > 0 && to - gapMs - from < pieceMsMin) {
      throw new BotError('USAGE', {
        seen: `the gap of ${durationText(gapMs)} before the out-of-sample part leaves less than a minute in-sample`,
        fix: 'Use a shorter --embargo, fewer steps, indicators over fewer candles, or a longer market file',
      })
    }
    return { learn: { from, to: to - gapMs }, prove }
  })
}

function splitIn({ from, to }: SweepPeriod, split: PeriodSplit): Fold[] {
  if ('learnShare' in split) {
    const border = Math.floor(from + (to - from) * split.learnShare)
    return [{ learn: { from, to: border }, prove: { from: border, to } }]
  }
  const pieces = inSampleSpans + split.steps
  if ((to - from) / pieces < pieceMsMin) {
    const most = Math.max(0, Math.floor((to - from) / pieceMsMin) - inSampleSpans)
    throw new BotError('USAGE', {
      seen: `--steps ${split.steps} gives steps of less than a minute`,
      fix: `Use fewer steps, here at most ${most}, or a longer market file`,
    })
  }
  const at = (piece: number) => from + Math.floor(((to - from) * piece) / pieces)
  return Array.from({ length: split.steps }, (_, fold) => ({
    learn: { from: at(fold), to: at(fold + inSampleSpans) },
    prove: { from: at(fold + inSampleSpans), to: at(fold + inSampleSpans + 1) },
  }))
}
