import { readSignals } from '#src/cli/files/signal-file.ts'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { readFunding } from '#src/market/data/funding-rates.ts'
import { readListing } from '#src/market/data/listed-futures.ts'
import { readDepth, readMarket } from '#src/market/data/read-market.ts'
import type { BacktestResult, FillModel } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { checkStrategy } from '#src/runtime/compose/strategy-check.ts'
import { readStrategies, refuseTwins } from '#src/runtime/compose/strategy-files.ts'

export type {
  BacktestFill,
  BacktestHeld,
  BacktestMonth,
  BacktestResult,
  BacktestRung,
  FillModel,
} from '#src/research/backtest/result/result.ts'

/** The prices of a backtest, and how the simulated venue behaves. */
export type BacktestOptions = {
  /** File of bars or trades of each market, by name: `{ BTC_PERP: 'btc.csv' }`. */
  markets: Readonly<Record<string, string>>
  /** File of funding rates of each perpetual; by default a position pays no funding. */
  funding?: Readonly<Record<string, string>>
  /** File of order books of each market, for feeds of depth. */
  depth?: Readonly<Record<string, string>>
  /** File of what the venue listed about each perpetual, for feeds of futures. */
  futures?: Readonly<Record<string, string>>
  /** CSV file with the columns time, name and value; needed if a strategy reads signals. */
  signals?: string
  /** Time at which trading starts, in Unix milliseconds; by default the start of the files. */
  from?: number
  /** Time at which trading ends, exclusive; by default the end of the files. */
  to?: number
  /** Start balance in the quote currency, as decimal text; by default that of the packaged world. */
  balance?: string
  /** Fees as shares of the money, as decimal text: `0.001` is a tenth of a percent. */
  fees?: { maker: string; taker: string }
  /** Leverage of the account; by default that of the strategy files, else 1. */
  leverage?: number
  /** Time until a request has its effect at the venue; 50 by default. */
  latencyMs?: number
  /** Trades that fill an order: beyond its price (`through`, default), at it (`touch`), or at it after other orders (`queue`). */
  fill?: FillModel
  /** Seed of the random numbers; `past` by default. */
  seed?: string
}

/** Backtests strategy files on historical prices. The same files and options give the same result. */
export async function backtest(
  strategies: readonly string[],
  {
    markets,
    funding = {},
    depth = {},
    futures = {},
    signals,
    latencyMs = 50,
    fill = 'through',
    seed = 'past',
    ...rest
  }: BacktestOptions,
): Promise<BacktestResult> {
  if (strategies.length === 0)
    throw new BotError('USAGE', { seen: 'no strategy file is given', fix: 'Pass the path of at least one' })
  const rules = rulesOfWorld(packagedWorld, 'full')
  const { files, faulty } = readStrategies(strategies, (read) => checkStrategy(read, rules).problems)
  const mistakes = faulty.flatMap(({ problems, sourceOf }) =>
    problems.map(
      (problem) => `${sourceOf(problem).path}:${problem.line}:${problem.column} ${problem.message}`,
    ),
  )
  if (mistakes.length > 0) throw new BotError('STRATEGY_INVALID', { seen: mistakes.join('; ') })
  refuseTwins(files)
  for (const { path, read } of files)
    for (const { symbol } of Object.values(read.strategy.markets))
      if (!Object.hasOwn(markets, symbol))
        throw new BotError('MARKET_INVALID', {
          seen: `${path} trades ${symbol}, and \`markets\` has no file for it`,
          fix: `Pass one: markets: { ${symbol}: FILE }`,
        })
  return runBacktest({
    strategies: files.map(({ path, read }) => ({ path, text: read.text() })),
    markets: filesOf(markets, readMarket),
    funding: filesOf(funding, readFunding),
    depth: filesOf(depth, readDepth),
    futures: filesOf(futures, readListing),
    ...(signals !== undefined && { signals: readSignals(signals) }),
    latencyMs,
    fill,
    seed,
    ...rest,
  })
}

function filesOf<File>(
  paths: Readonly<Record<string, string>>,
  read: (path: string) => File,
): Map<string, File> {
  return new Map(Object.entries(paths).map(([symbol, path]) => [symbol, read(path)]))
}
