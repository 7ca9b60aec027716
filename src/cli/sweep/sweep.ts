import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { lookBackMs } from '#src/research/backtest/warm-up.ts'
import { sweepPage } from '#src/research/sweep/sweep-page.ts'
import type { SearchSettings } from '#src/research/sweep/plan.ts'
import { measuresText, type RankMeasure } from '#src/research/sweep/measure-names.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import { readStrategyText, type Read } from '#src/strategy/file/read-strategy.ts'
import { runSweep, type SweepResult } from '#src/research/sweep/sweep.ts'
import { readVariation, variantsOf, type Variation } from '#src/research/sweep/variation.ts'
import { systemClock } from '#src/core/time/clock.ts'
import type { BacktestFlags } from '#src/cli/backtest/backtest.ts'
import { checkStrategy } from '#src/runtime/compose/strategy-check.ts'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import { printFaulty } from '#src/cli/words/problems-text.ts'
import type { Loading } from '#src/cli/files/market-loading.ts'
import { refuseOtherName } from '#src/cli/files/market-flags.ts'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { refuseUnwritable, writePage } from '#src/cli/files/report-file.ts'
import { readStrategies } from '#src/runtime/compose/strategy-files.ts'
import { unavailable } from '#src/cli/fleet/fleet-address.ts'
import { localRunner } from './local-runner.ts'
import { openQueue } from './open-queue.ts'
import { queueRunner } from './queue-runner.ts'
import { readSweepInputs, type SweepInputs } from './sweep-inputs.ts'
import { SweepProgress } from './sweep-progress.ts'
import { sweepText } from './sweep-text.ts'

export type SweepFlags = Omit<BacktestFlags, 'csv'> & {
  vary?: string[]
  search: SearchSettings['kind'] | 'walk-forward'
  tries?: number
  steps?: number
  embargo?: number
  monteCarlo?: number
  rank: RankMeasure[]
  workers?: number
  out?: string
  queue?: string
}

/** The share of the period in which the best variant is chosen; the rest of the period tests the choice. */
const learnShare = 0.7

/** `rungs sweep STRATEGY --market FILE`: many backtests, and how far their best result can be trusted. */
export async function sweep(path: string, flags: SweepFlags, loading: Loading): Promise<number> {
  const startedAt = systemClock.monotonic()
  refuseIdle(flags)
  if (flags.report !== undefined) refuseUnwritable(flags.report)
  const rules = rulesOfWorld(packagedWorld, 'full')
  const { files, faulty } = readStrategies([path], (read) => checkStrategy(read, rules).problems)
  const [file] = files
  if (!file) return printFaulty(faulty)
  refuseOtherName(flags.market, [file.read.strategy], [...rules.markets.keys()])
  const variations = flags.vary?.map(readVariation) ?? declaredIn(file.read)
  refuseTwice(variations)
  const inputs = await readSweepInputs({ path, text: file.read.text() }, flags, loading)
  const { strategy, span } = inputs
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
  const progress = new SweepProgress(process.stderr, systemClock)
  await using queue = flags.queue === undefined ? undefined : await openQueue(flags.queue, 'rungs sweep')
  await using threads = new AsyncDisposableStack()
  const runner =
    queue === undefined
      ? threads.use(localRunner(inputs, flags, ending.signal))
      : queueRunner(queue, inputs, {
          variations,
          signal: ending.signal,
          onWorkers: (count) => progress.workers(count),
        })
  const result = await runSweep({
    strategy,
    span,
    variations,
    search: { ...searchOf(flags), gapMs: gapOf(flags, strategy.text, variations) },
    by: flags.rank,
    monteCarlo:
      flags.monteCarlo === undefined
        ? undefined
        : { runs: flags.monteCarlo, seed: flags.seed, partMs: partMsOf(inputs) },
    runner,
    faultOf: (text) => {
      const read = readStrategyText(text)
      return (Array.isArray(read) ? read : checkStrategy(read, rules).problems)[0]?.message
    },
    begin: (jobs, known) => progress.begin(jobs, known),
    found: (known) => progress.found(known),
    done: () => progress.count(),
  }).catch((cause: unknown) => {
    throw queue === undefined ? cause : unavailable(cause, 'QUEUE_UNAVAILABLE')
  })
  if (!result) return ended(progress, flags)
  refuseIfNothingTrades(result)
  const elapsedMs = Math.round(systemClock.monotonic() - startedAt)
  if (flags.json === true)
    for (const line of jsonLines(result, progress.all, elapsedMs)) process.stdout.write(`${line}\n`)
  else process.stdout.write(`${sweepText(result)}\n`)
  // Last: if the page cannot be written, the results of hours of work are printed all the same.
  if (flags.report !== undefined) writePage(flags.report, await sweepPage(file.read.strategy.name, result))
  return exitCodes.ok
}

function refuseIdle(flags: SweepFlags): void {
  const { search } = flags
  if (flags.tries !== undefined && search !== 'random' && search !== 'tpe')
    throw usage(
      `--tries has no effect with --search ${search}`,
      'Omit it, or write --search random or --search tpe',
    )
  for (const flag of ['depth', 'futures'] as const)
    if (flags[flag] !== undefined && flags.monteCarlo !== undefined)
      throw usage(
        `--monte-carlo moves prices to other times, and the file of --${flag} is about the prices of its times`,
        `Omit --monte-carlo or --${flag}`,
      )
  for (const flag of ['workers', 'out'] as const)
    if (flags[flag] !== undefined && flags.queue !== undefined)
      throw usage(
        `--${flag} has no effect with --queue`,
        flag === 'out' ? 'Omit it: the server stores the results' : 'Pass it to rungs worker',
      )
}

function searchOf({ search, tries = 100, steps, seed }: SweepFlags): SearchSettings {
  if (search === 'walk-forward') return { kind: 'grid', split: { steps: steps ?? 4 } }
  const split = steps === undefined ? { learnShare } : { steps }
  return search === 'grid' ? { kind: search, split } : { kind: search, tries, seed, split }
}

/**
 * With an embargo, the first decisions out-of-sample read no candle of the in-sample part: the gap is the embargo and the time
 * that the strategy looks back. Of each parameter, the first and the last value count.
 */
function gapOf({ embargo }: SweepFlags, text: string, variations: readonly Variation[]): number {
  if (embargo === undefined) return 0
  const firsts = variations.map(({ values: [first = ''] }) => first)
  const choices = variations.map(({ values }, place) => firsts.with(place, values.at(-1) ?? ''))
  const texts = [firsts, ...choices].map(variantsOf(text, variations))
  const reads = [text, ...texts].map((each) => readStrategyText(each))
  return embargo + Math.max(...reads.map((read) => (Array.isArray(read) ? 0 : lookBackMs(read))))
}

/** The parameters of the file that have several values. */
function declaredIn({ parameters }: Read): Variation[] {
  const found = parameters.filter(({ isUsed, values }) => isUsed && values.length > 1)
  if (found.length > 0) return found.map(({ name, values }) => ({ path: `parameters.${name}`, values }))
  throw usage(
    'the strategy has no parameters with several values',
    'Name a key with --vary, such as --vary ladder.grid.levels=10..50:10, or add the section parameters to the file',
  )
}

function refuseTwice(variations: readonly Variation[]): void {
  const paths = variations.map(({ path }) => path)
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice === undefined) return
  throw usage(`--vary names ${twice} twice`, 'Give all values at once: --vary place=1,2,3')
}

function ended({ done, all }: SweepProgress, { out, queue }: SweepFlags): number {
  const place = queue === undefined ? out : 'the results at the server'
  const next =
    place === undefined
      ? '--out FILE would have kept the results'
      : `the same command continues from ${place}`
  process.stderr.write(`Stopped after ${done} of ${all} backtests; ${next}.\n`)
  return exitCodes.temporary
}

function refuseIfNothingTrades({ folds }: SweepResult): void {
  for (const side of ['learned', 'proved'] as const) {
    const outcomes = folds.flatMap(({ rows }) => rows.map((row) => row[side]))
    const [first] = outcomes
    if (first === undefined || !('refused' in first) || outcomes.some((each) => 'summary' in each)) continue
    throw new BotError('STRATEGY_INVALID', {
      seen: `no variant is a valid strategy; first error: ${first.refused}`,
      fix: 'Run rungs check FILE. If it finds no mistake, correct the values of --vary or of the section parameters',
    })
  }
}

/** A bar, or a minute of trades. */
function partMsOf({ columns }: SweepInputs): number {
  return Math.max(60_000, ...[...columns.values()].map(({ barMs = 0 }) => barMs))
}

/** Without the returns, which only the statement about luck needs. */
function shown(outcome: VariantOutcome): VariantOutcome {
  return 'summary' in outcome ? { summary: outcome.summary } : outcome
}

/** A line for each variant, in the order of the ranking; the last line is the summary. */
function* jsonLines(
  { variations, by, folds }: SweepResult,
  backtests: number,
  elapsedMs: number,
): Generator<string> {
  const named = (choice: readonly string[]) =>
    Object.fromEntries(variations.map(({ path }, index) => [path, choice[index]]))
  for (const [step, { rows }] of folds.entries())
    for (const [place, { choice, learned, proved, isOnFront }] of rows.entries())
      yield JSON.stringify({
        step: step + 1,
        place: place + 1,
        values: named(choice),
        learned: shown(learned),
        proved: shown(proved),
        front: isOnFront,
      })
  yield JSON.stringify({
    rankedBy: measuresText(by),
    backtests,
    steps: folds.map(({ learn, prove, rows: [best], agreement, doubts, luck, monteCarlo }) => {
      return {
        learn,
        prove,
        best: named(best?.choice ?? []),
        agreement,
        doubts,
        luck: luck ?? null,
        monteCarlo,
      }
    }),
    elapsedMs,
  })
}
