import { availableParallelism } from 'node:os'
import { fundingTexts } from '#src/research/backtest/result/funding-texts.ts'
import { scenarioOf } from '#src/research/backtest/scenario.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { readFunding } from '#src/market/data/funding-rates.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import { sweepPage } from '#src/research/sweep/sweep-page.ts'
import type { SearchSettings } from '#src/research/sweep/plan.ts'
import { measureNames, type RankMeasure, type VariantOutcome } from '#src/research/sweep/ranking.ts'
import { ResultsFile } from '#src/research/sweep/results-file.ts'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import { planOf, runSweep, type SweepResult } from '#src/research/sweep/sweep.ts'
import { readVariation, type Variation } from '#src/research/sweep/variation.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { marketModelOf, periodOf, type BacktestFlags } from '#src/cli/backtest/backtest.ts'
import { checkStrategy } from '#src/runtime/compose/strategy-check.ts'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import { printFaulty } from '#src/cli/words/problems-text.ts'
import type { Loading } from '#src/cli/files/market-loading.ts'
import { marketsOf, refuseOtherName, tellFundingNotes, tellNotes } from '#src/cli/files/market-flags.ts'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { refuseUnwritable, writePage } from '#src/cli/files/report-file.ts'
import { readStrategies } from '#src/runtime/compose/strategy-files.ts'
import { sweepProgress } from './sweep-progress.ts'
import { sweepText } from './sweep-text.ts'

export type SweepFlags = Omit<BacktestFlags, 'csv'> & {
  vary: string[]
  search: SearchSettings['kind']
  tries?: number
  steps?: number
  rank: RankMeasure
  workers?: number
  out?: string
}

/** The share of the period in which the best variant is chosen; the rest of the period tests the choice. */
const learnShare = 0.7

/** `rungs sweep STRATEGY --vary PLACE=VALUES --market FILE`: many backtests, and how far their best result can be trusted. */
export async function sweep(path: string, flags: SweepFlags, loading: Loading): Promise<number> {
  const startedAt = systemClock.monotonic()
  refuseIdle(flags)
  if (flags.report !== undefined) refuseUnwritable(flags.report)
  const rules = rulesOfWorld(packagedWorld, 'full')
  const { files, faulty } = readStrategies([path], (read) => checkStrategy(read, rules).problems)
  const [file] = files
  if (!file) return printFaulty(faulty)
  refuseOtherName(flags.market, [file.read.strategy], [...rules.markets.keys()])
  const variations = flags.vary.map(readVariation)
  refuseTwice(variations)
  const inputs = await inputsOf({ path, text: file.read.text() }, flags, loading)
  const { strategy, columns, funding, setting, span } = inputs
  const search = searchOf(flags)
  const { jobs } = planOf({ variations, search, span })
  const kept = keptResults(flags.out, inputs, { variations, search })
  const known = new Map<number, VariantOutcome>(kept?.known)
  const tellProgress = sweepProgress(process.stderr, systemClock, jobs, known.size)
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
  let done = known.size
  const result = await runSweep({
    strategy,
    columns,
    span,
    variations,
    search,
    by: flags.rank,
    setting: { ...setting, funding },
    workers: flags.workers ?? availableParallelism(),
    signal: ending.signal,
    faultOf: (text) => {
      const read = readStrategyText(text)
      return (Array.isArray(read) ? read : checkStrategy(read, rules).problems)[0]?.message
    },
    known,
    done: (job, outcome) => {
      kept?.add(job, outcome)
      tellProgress(++done)
    },
  })
  if (!result) return ended(done, jobs, flags.out)
  refuseIfNothingTrades(result)
  const elapsedMs = Math.round(systemClock.monotonic() - startedAt)
  if (flags.json === true)
    for (const line of jsonLines(result, jobs, elapsedMs)) process.stdout.write(`${line}\n`)
  else process.stdout.write(`${sweepText(result)}\n`)
  // Last: if the page cannot be written, the results of hours of work are printed all the same.
  if (flags.report !== undefined) writePage(flags.report, await sweepPage(file.read.strategy.name, result))
  return exitCodes.ok
}

type Inputs = Awaited<ReturnType<typeof inputsOf>>

/** Reads the files of the flags, and prints notes about them. */
async function inputsOf(strategy: { path: string; text: string }, flags: SweepFlags, loading: Loading) {
  const columns = await marketsOf(flags.market, (market) => loading(market) ?? loadMarket(market))
  tellNotes(columns)
  const funding = await marketsOf(flags.funding ?? [], readFunding, '--funding')
  tellFundingNotes(funding)
  const setting = marketModelOf(flags)
  const scene = scenarioOf({
    strategies: [strategy],
    markets: new Map([...columns].map(([symbol, each]) => [symbol, sharedMarket(each)])),
    funding,
    ...setting,
    ...periodOf(flags),
  })
  for (const text of fundingTexts(scene)) process.stderr.write(`${printable(text)}\n`)
  const prints = [...scene.markets, ...scene.funding].map(([symbol, { print }]) => [symbol, print])
  return { strategy, columns, funding, setting, span: { from: scene.from, to: scene.to }, prints }
}

/** The file of `--out`, with the results that an earlier sweep of the same inputs stored. */
function keptResults(
  path: string | undefined,
  { strategy, prints, span, setting }: Inputs,
  about: { variations: Variation[]; search: SearchSettings },
): ResultsFile | undefined {
  if (path === undefined) return undefined
  const { variations, search } = about
  return new ResultsFile(path, {
    engine: engineVersion,
    strategy: strategy.text,
    prints,
    span,
    variations,
    search,
    setting,
  })
}

function refuseIdle(flags: SweepFlags): void {
  for (const [flag, search] of [
    ['tries', 'random'],
    ['steps', 'walk-forward'],
  ] as const)
    if (flags[flag] !== undefined && flags.search !== search)
      throw usage(
        `--${flag} has no effect with --search ${flags.search}`,
        `Omit it, or write --search ${search}`,
      )
}

function searchOf({ search: kind, tries = 100, steps = 4, seed }: SweepFlags): SearchSettings {
  if (kind === 'random') return { kind, tries, seed, learnShare }
  return kind === 'grid' ? { kind, learnShare } : { kind, folds: steps }
}

function refuseTwice(variations: readonly Variation[]): void {
  const paths = variations.map(({ path }) => path)
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice === undefined) return
  throw usage(`--vary names ${twice} twice`, 'Give all values at once: --vary place=1,2,3')
}

function ended(done: number, jobs: number, out: string | undefined): number {
  const next =
    out === undefined ? '--out FILE would have kept the results' : `the same command continues from ${out}`
  process.stderr.write(`Stopped after ${done} of ${jobs} backtests; ${next}.\n`)
  return exitCodes.temporary
}

function refuseIfNothingTrades({ folds }: SweepResult): void {
  const refusals = folds.flatMap(({ rows }) => rows.map(({ learned }) => learned))
  const [first] = refusals
  if (first === undefined || !('refused' in first) || refusals.some((each) => 'summary' in each)) return
  throw new BotError('STRATEGY_INVALID', {
    seen: `no variant is a valid strategy; first error: ${first.refused}`,
  })
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
    for (const [place, { choice, learned, proved }] of rows.entries())
      yield JSON.stringify({ step: step + 1, place: place + 1, values: named(choice), learned, proved })
  yield JSON.stringify({
    rankedBy: measureNames[by],
    backtests,
    steps: folds.map(({ learn, prove, rows: [best], agreement, doubts }) => {
      return { learn, prove, best: named(best?.choice ?? []), agreement, doubts }
    }),
    elapsedMs,
  })
}
