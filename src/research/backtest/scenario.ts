import { BotError } from '#src/core/errors/bot-error.ts'
import type {
  Funding,
  HistoricalBooks,
  HistoricalListing,
  HistoricalMarket,
} from '#src/market/data/historical-market.ts'
import { everyProgram } from '#src/strategy/expressions/programs.ts'
import { readStrategyText, type Read } from '#src/strategy/file/read-strategy.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import { filesByMarket } from './files-by-market.ts'
import { refuseSignals } from './signals.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { isPerpetual } from './world.ts'

/** Strategies, markets and period of a backtest. */
export type Scenario = {
  strategies: ReadonlyMap<string, Read>
  markets: ReadonlyMap<string, HistoricalMarket>
  /** Funding of the perpetuals among them, if any. */
  funding: ReadonlyMap<string, Funding>
  /** What the venue listed about the perpetuals among them, if any. */
  futures: ReadonlyMap<string, HistoricalListing>
  /** Order books, if any. */
  depth: ReadonlyMap<string, HistoricalBooks>
  from: number
  /** The first moment after the period. */
  to: number
}

export function scenarioOf(input: BacktestInput): Scenario {
  const strategies = readAll(input.strategies)
  const symbols = new Set(
    [...strategies.values()].flatMap(({ strategy }) =>
      Object.values(strategy.markets).map(({ symbol }) => symbol),
    ),
  )
  const markets = marketsOf(input.markets, [...symbols])
  refuseUntold(strategies, markets)
  refuseSignals([...strategies.values()], input.signals)
  refuseSpotFutures(strategies)
  const funding = filesByMarket('funding', input.funding, [...symbols])
  const futures = filesByMarket('futures', input.futures, [...symbols])
  const depth = filesByMarket('depth', input.depth, [...symbols])
  const begins = Math.max(...[...markets.values()].map(({ beginsAt }) => beginsAt))
  const ends = Math.min(...[...markets.values()].map(endOf))
  const from = Math.max(input.from ?? begins, begins)
  const to = Math.min(input.to ?? ends, ends)
  if (from >= to) {
    throw new BotError('USAGE', {
      seen: `no data to trade${spanText(input)}: the markets have data${spanText({ from: begins, to: ends })}`,
      fix: 'Choose --from and --to within the period of all markets',
    })
  }
  if (input.latencyMs >= to - from) {
    throw new BotError('USAGE', {
      seen: `a request takes ${input.latencyMs} ms, and the period is ${to - from} ms: no order would arrive`,
      fix: 'Choose a shorter --latency or a longer period',
    })
  }
  return { strategies, markets, funding, futures, depth, from, to }
}

function spanText({ from, to }: Pick<BacktestInput, 'from' | 'to'>): string {
  return Object.entries({ from, to })
    .map(([name, at]) => (at === undefined ? '' : ` ${name} ${new Date(at).toISOString()}`))
    .join('')
}

const ofAmounts: ReadonlySet<string> = new Set([
  'volume',
  'vwap',
  'buy_volume',
  'sell_volume',
  'volume_between',
])

/** A value that a file lacks is unknown, and no 0 that could make a rule true. */
function refuseUntold(strategies: Scenario['strategies'], markets: Scenario['markets']): void {
  for (const [name, { strategy, programs }] of strategies) {
    for (const { name: asked, of: feed = '' } of reads(everyProgram(programs), programs.lets).calls) {
      if (!ofAmounts.has(asked)) continue
      const read = strategy.feeds[feed] ?? strategy.trades[feed]
      const symbol = strategy.markets[read?.market ?? '']?.symbol ?? ''
      const [block] = markets.get(symbol)?.blocks() ?? []
      if (block?.amounts[0] !== Infinity) continue
      throw new BotError('MARKET_INVALID', {
        seen: `${name} reads ${asked}(${feed}), and the file of ${symbol} holds no amounts`,
        fix: 'Use a file with a column of amounts or volumes, or a strategy that does not read them',
      })
    }
  }
}

/** A venue does not list a spot market among its futures, so nothing would ever be known. */
function refuseSpotFutures(strategies: Scenario['strategies']): void {
  for (const [name, { strategy }] of strategies) {
    for (const [feed, { market }] of Object.entries(strategy.futures)) {
      const symbol = strategy.markets[market]?.symbol ?? ''
      if (isPerpetual(symbol)) continue
      throw new BotError('STRATEGY_INVALID', {
        seen: `${name} reads futures of ${symbol} (${feed}), which is not a perpetual`,
        fix: 'Read a perpetual such as BTC_PERP, or omit the feed',
      })
    }
  }
}

function readAll(files: BacktestInput['strategies']): Map<string, Read> {
  const strategies = new Map<string, Read>()
  for (const { path, text } of files) {
    const read = readStrategyText(text)
    if (Array.isArray(read)) {
      const [first] = read
      const place = first === undefined ? path : `${path}:${first.line}:${first.column} ${first.message}`
      throw new BotError('STRATEGY_INVALID', { seen: place })
    }
    const { name } = read.strategy
    if (strategies.has(name)) throw new BotError('STRATEGY_TWICE', { seen: `${path}: ${name}` })
    strategies.set(name, read)
  }
  return strategies
}

function marketsOf(
  given: BacktestInput['markets'],
  symbols: readonly string[],
): Map<string, HistoricalMarket> {
  const [only] = symbols
  const unnamed = given.get('')
  if (unnamed && only !== undefined && symbols.length > 1) {
    throw new BotError('MARKET_INVALID', {
      seen: `the strategies trade ${symbols.join(' and ')}, and a market file does not name its market`,
      fix: `Name the market: --market ${only}=FILE`,
    })
  }
  return new Map(
    symbols.map((symbol) => {
      const market = given.get(symbol) ?? unnamed
      if (market) return [symbol, market]
      const known = [...given.keys()].join(', ')
      throw new BotError('MARKET_INVALID', {
        seen: `the strategies trade ${symbol}, and there is no market file for it (there is one for ${known})`,
        fix: `Pass one: --market ${symbol}=FILE`,
      })
    }),
  )
}

/** A bar has the same length as the others, whatever its last point is. */
function endOf(market: HistoricalMarket): number {
  if (market.seen === undefined) for (const _ of market.blocks());
  return (market.seen?.endsAt ?? market.beginsAt) + 1
}
