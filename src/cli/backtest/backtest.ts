import type { FillModel } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { readFunding } from '#src/market/data/funding-rates.ts'
import { sharedMarket } from '#src/market/data/load/load-market.ts'
import { readListing } from '#src/market/data/listed-futures.ts'
import { readDepth, readMarket } from '#src/market/data/read-market.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { checkStrategy } from '#src/runtime/compose/strategy-check.ts'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import type { Loading } from '#src/cli/files/market-loading.ts'
import { printFaulty } from '#src/cli/words/problems-text.ts'
import { marketsOf, refuseOtherName, tellFileNotes, tellNotes } from '#src/cli/files/market-flags.ts'
import { readSignals } from '#src/cli/files/signal-file.ts'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { venueCosts } from '#src/cli/files/venue-costs.ts'
import { refuseUnwritable, writeReport } from '#src/cli/files/report-file.ts'
import { backtestProgress } from './backtest-progress.ts'
import { refuseExistingCsv, writeCsvTables } from './result-csv.ts'
import { readStrategies, refuseTwins } from '#src/runtime/compose/strategy-files.ts'

export type BacktestFlags = {
  market: string[]
  funding?: string[]
  depth?: string[]
  futures?: string[]
  signals?: string
  from?: number
  to?: number
  balance?: string
  fees?: { maker: string; taker: string }
  venue?: string
  leverage?: number
  latency: number
  fill: FillModel
  seed: string
  json?: boolean
  report?: string
  csv?: string
}

/** The flags that say how the simulated venue behaves. A results file holds them in this order. */
export function marketModelOf(flags: Omit<BacktestFlags, 'json' | 'report' | 'csv'>) {
  const { balance, fees, venue, leverage, latency: latencyMs, fill, seed } = flags
  return {
    latencyMs,
    fill,
    seed,
    ...(balance !== undefined && { balance }),
    ...(fees && { fees }),
    ...(venue !== undefined && { costs: venueCosts(venue) }),
    ...(leverage !== undefined && { leverage }),
  }
}

export function periodOf({ from, to }: Pick<BacktestFlags, 'from' | 'to'>) {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

/** `rungs backtest STRATEGY… --market FILE`: backtests strategies. A file that is not loaded is read as a stream. */
export async function backtest(
  paths: readonly string[],
  flags: BacktestFlags,
  loading: Loading,
): Promise<number> {
  const startedAt = systemClock.monotonic()
  if (flags.report !== undefined) refuseUnwritable(flags.report)
  if (flags.csv !== undefined) refuseExistingCsv(flags.csv)
  const rules = rulesOfWorld(packagedWorld, 'full')
  const { files, faulty } = readStrategies(paths, (read) => checkStrategy(read, rules).problems)
  if (faulty.length > 0) return printFaulty(faulty)
  refuseTwins(files)
  const strategies = files.map(({ read }) => read.strategy)
  refuseOtherName(flags.market, strategies, [...rules.markets.keys()])
  const markets = await marketsOf(flags.market, async (path) => {
    const columns = await loading(path)
    return columns ? sharedMarket(columns) : readMarket(path)
  })
  const funding = await marketsOf(flags.funding ?? [], readFunding, '--funding')
  const futures = await marketsOf(flags.futures ?? [], readListing, '--futures')
  const depth = await marketsOf(flags.depth ?? [], readDepth, '--depth')
  const progress = backtestProgress(process.stderr, systemClock)
  const input = {
    strategies: files.map(({ path, read }) => ({ path, text: read.text() })),
    markets,
    funding,
    futures,
    depth,
    ...(flags.signals !== undefined && { signals: readSignals(flags.signals) }),
    ...marketModelOf(flags),
    ...periodOf(flags),
  }
  // An error must not stand behind the line of the progress.
  const result = await runBacktest(input, (share) => progress.passed(share)).finally(() => progress.end())
  tellNotes(markets)
  tellNotes(depth)
  tellFileNotes(funding)
  tellFileNotes(futures)
  const elapsedMs = Math.round(systemClock.monotonic() - startedAt)
  if (flags.json === true) {
    const { resultLines } = await import('#src/research/backtest/result/result-file.ts')
    for (const line of resultLines(result, elapsedMs)) process.stdout.write(`${line}\n`)
  } else {
    const { backtestText } = await import('./backtest-text.ts')
    process.stdout.write(`${backtestText(result, elapsedMs)}\n`)
  }
  if (flags.report !== undefined) await writeReport(flags.report, result)
  if (flags.csv !== undefined) writeCsvTables(flags.csv, result)
  return exitCodes.ok
}
