import { statSync } from 'node:fs'
import type { FillModel } from '#src/backtest/result.ts'
import { runBacktest } from '#src/backtest/run.ts'
import { exitCodes } from '#src/errors/catalogue.ts'
import { readFunding } from '#src/market/funding.ts'
import { loadMarket, sharedMarket } from '#src/market/load-market.ts'
import type { PastMarket } from '#src/market/past-market.ts'
import { readMarket } from '#src/market/read-market.ts'
import { systemClock } from '#src/time/clock.ts'
import { judge } from './judge.ts'
import { rulesOfWorld } from './check-rules.ts'
import { problemsText } from './problems-text.ts'
import { marketsOf, tellFundingNotes, tellNotes } from './market-words.ts'
import { packagedWorld } from './packaged.ts'
import { refuseUnwritable, writeReport } from './report-file.ts'
import { readStrategies, refuseTwins } from './strategy-files.ts'

export type BacktestFlags = {
  market: string[]
  funding?: string[]
  from?: number
  to?: number
  balance?: string
  fees?: { maker: string; taker: string }
  latency: number
  fill: FillModel
  seed: string
  json?: boolean
  report?: string
}

/** A file beyond that is read as it goes by, and not kept. */
const keptBytesMost = 1_000_000_000

/** `rungs backtest STRATEGY… --market FILE`: what would have come of it. */
export async function backtest(paths: readonly string[], flags: BacktestFlags): Promise<number> {
  const startedAt = systemClock.monotonic()
  if (flags.report !== undefined) refuseUnwritable(flags.report)
  const rules = rulesOfWorld(packagedWorld, 'full')
  const { files, faulty } = readStrategies(paths, (read) => judge(read, rules).problems)
  if (faulty.length > 0) {
    for (const { problems, sourceOf } of faulty) process.stderr.write(`${problemsText(sourceOf, problems)}\n`)
    return exitCodes.data
  }
  refuseTwins(files)
  const markets = marketsOf(flags.market, openMarket)
  const funding = marketsOf(flags.funding ?? [], readFunding, '--funding')
  const { from, to, balance, fees, latency, fill, seed } = flags
  const result = await runBacktest({
    strategies: files.map(({ path, read }) => ({ path, text: read.text() })),
    markets,
    funding,
    latencyMs: latency,
    fill,
    seed,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(balance !== undefined && { balance }),
    ...(fees !== undefined && { fees }),
  })
  tellNotes(markets)
  tellFundingNotes(funding)
  const elapsedMs = Math.round(systemClock.monotonic() - startedAt)
  if (flags.json === true) {
    const { resultLines } = await import('#src/backtest/result-lines.ts')
    for (const line of resultLines(result, elapsedMs)) process.stdout.write(`${line}\n`)
  } else {
    const { backtestText } = await import('./backtest-text.ts')
    process.stdout.write(`${backtestText(result, elapsedMs)}\n`)
  }
  if (flags.report !== undefined) await writeReport(flags.report, result)
  return exitCodes.ok
}

function openMarket(path: string): PastMarket {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return bytes > keptBytesMost ? readMarket(path) : sharedMarket(loadMarket(path))
}
