import { hash } from 'node:crypto'
import { engineVersion } from '#src/engine/engine-version.ts'
import { contentHash } from '#src/market/data/binary/packed-market.ts'
import { readFunding } from '#src/market/data/funding-rates.ts'
import { readListing } from '#src/market/data/listed-futures.ts'
import type { MarketKind } from '#src/market/data/historical-market.ts'
import {
  loadDepth,
  loadMarket,
  sharedMarkets,
  type MarketColumns,
} from '#src/market/data/load/load-market.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { coverageTexts } from '#src/research/backtest/coverage-texts.ts'
import { fundingTexts } from '#src/research/backtest/result/funding-texts.ts'
import { scenarioOf } from '#src/research/backtest/scenario.ts'
import type { SweepSubject } from '#src/research/sweep/backtest-key.ts'
import { marketModelOf, periodOf, type BacktestFlags } from '#src/cli/backtest/backtest.ts'
import { marketsOf, tellFileNotes, tellNotes } from '#src/cli/files/market-flags.ts'
import { readSignals } from '#src/cli/files/signal-file.ts'
import type { Loading } from '#src/cli/files/market-loading.ts'

export type SweepInputs = Awaited<ReturnType<typeof readSweepInputs>>

/** Reads the files of the flags, and prints notes about them. */
export async function readSweepInputs(
  strategy: { path: string; text: string },
  flags: Omit<BacktestFlags, 'csv'>,
  loading: Loading,
) {
  const columns = await marketsOf(flags.market, (market) => loading(market) ?? loadMarket(market))
  tellNotes(columns)
  const funding = await marketsOf(flags.funding ?? [], readFunding, '--funding')
  tellFileNotes(funding)
  const futures = await marketsOf(flags.futures ?? [], readListing, '--futures')
  tellFileNotes(futures)
  const depth = await marketsOf(flags.depth ?? [], loadDepth, '--depth')
  tellNotes(depth)
  const signals = flags.signals === undefined ? undefined : readSignals(flags.signals)
  const setting = marketModelOf(flags)
  const scene = scenarioOf({
    strategies: [strategy],
    markets: sharedMarkets(columns),
    funding,
    futures,
    depth: sharedMarkets(depth),
    ...(signals && { signals }),
    ...setting,
    ...periodOf(flags),
  })
  for (const text of [...fundingTexts(scene), ...coverageTexts(scene)])
    process.stderr.write(`${printable(text)}\n`)
  return {
    strategy,
    columns,
    funding,
    futures,
    depth,
    ...(signals && { signals }),
    setting,
    span: { from: scene.from, to: scene.to },
  }
}

/** What the keys of the backtests begin with. */
export function subjectOf({ columns, funding, futures, depth, signals, setting }: SweepInputs): SweepSubject {
  return {
    engine: engineVersion,
    markets: hashesOf(columns),
    funding: [...funding].map(([symbol, { rates }]) => [symbol, hash('sha256', JSON.stringify(rates))]),
    setting,
    ...(signals && { signals: hash('sha256', JSON.stringify(signals.rows)) }),
    ...(futures.size > 0 && {
      futures: [...futures].map(
        ([symbol, { rows }]) => [symbol, hash('sha256', JSON.stringify(rows))] as const,
      ),
    }),
    ...(depth.size > 0 && { depth: hashesOf(depth) }),
  }
}

function hashesOf(columns: ReadonlyMap<string, MarketColumns<MarketKind>>): SweepSubject['markets'] {
  return [...columns].map(([symbol, each]) => [symbol, contentHash(each)])
}
