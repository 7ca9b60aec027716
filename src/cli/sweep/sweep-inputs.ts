import { hash } from 'node:crypto'
import { engineVersion } from '#src/engine/engine-version.ts'
import { contentHash } from '#src/market/data/binary/packed-market.ts'
import { readFunding } from '#src/market/data/funding-rates.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { fundingTexts } from '#src/research/backtest/result/funding-texts.ts'
import { scenarioOf } from '#src/research/backtest/scenario.ts'
import type { SweepSubject } from '#src/research/sweep/backtest-key.ts'
import { marketModelOf, periodOf, type BacktestFlags } from '#src/cli/backtest/backtest.ts'
import { marketsOf, tellFundingNotes, tellNotes } from '#src/cli/files/market-flags.ts'
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
  tellFundingNotes(funding)
  const signals = flags.signals === undefined ? undefined : readSignals(flags.signals)
  const setting = marketModelOf(flags)
  const scene = scenarioOf({
    strategies: [strategy],
    markets: new Map([...columns].map(([symbol, each]) => [symbol, sharedMarket(each)])),
    funding,
    ...(signals && { signals }),
    ...setting,
    ...periodOf(flags),
  })
  for (const text of fundingTexts(scene)) process.stderr.write(`${printable(text)}\n`)
  return {
    strategy,
    columns,
    funding,
    ...(signals && { signals }),
    setting,
    span: { from: scene.from, to: scene.to },
  }
}

/** What the keys of the backtests begin with. */
export function subjectOf({ columns, funding, signals, setting }: SweepInputs): SweepSubject {
  return {
    engine: engineVersion,
    markets: [...columns].map(([symbol, each]) => [symbol, contentHash(each)]),
    funding: [...funding].map(([symbol, { rates }]) => [symbol, hash('sha256', JSON.stringify(rates))]),
    setting,
    ...(signals && { signals: hash('sha256', JSON.stringify(signals.rows)) }),
  }
}
