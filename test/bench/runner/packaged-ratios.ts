import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { madeBars } from '#test/research/backtest/market/generated-market.ts'
import { ordinary } from './grid-ratios.ts'
import { inTurns, type Job } from './jobs.ts'
import { report } from './report.ts'

const prices: Readonly<Record<string, number>> = { BTC: 60_000, ETH: 3000, SOL: 150 }

/** The packaged strategies but the last one, whose backtest needs a file of signals. */
export const texts = globSync('strategies/0[1-8]*.yaml')
  .toSorted()
  .map((path) => ({ name: basename(path, '.yaml'), text: readFileSync(path, 'utf8') }))

export function symbolsOf(text: string): string[] {
  return [...text.matchAll(/symbol: (\w+)/g)].map(([, symbol = '']) => symbol)
}

/** One price path for each base currency, so that hedges hedge. */
export function marketsOf(
  symbols: readonly string[],
  { minutes, pace = ordinary, drift = 0 }: { minutes: number; pace?: number; drift?: number },
): Job['markets'] {
  return new Map(
    symbols.map((symbol) => {
      const [base = ''] = symbol.split('_')
      const price = prices[base] ?? 1
      return [symbol, madeBars({ seed: base.charCodeAt(0), minutes, price, pace, drift })]
    }),
  )
}

/** Quotes at each second: a year would take hours. */
export function isDense(name: string): boolean {
  return name.includes('market-making')
}

/**
 * Packaged strategies in a volatile and in a trending market, against an ordinary one. Limits are multiplied by `margin`. The
 * venue refuses none of their orders.
 */
export async function reportPackaged(
  files: typeof texts,
  { minutes, rounds, margin = 1 }: { minutes: number; rounds: number; margin?: number },
): Promise<void> {
  let refused = 0
  for (const { name, text } of files) {
    const length = isDense(name) ? 1440 : minutes
    const paths = [{}, { pace: 0.001 }, { drift: 0.7 / length }]
    const jobs = paths.map((path) => ({
      texts: [text],
      markets: marketsOf(symbolsOf(text), { minutes: length, ...path }),
    }))
    const [quiet, ...rest] = await inTurns(jobs, rounds)
    for (const [place, what] of ['volatile', 'trending'].entries()) {
      const other = rest[place]!
      const [usual, { fills }] = [quiet!.result.summary.fills, other.result.summary]
      refused += other.result.rejected.reduce((sum, { count }) => sum + count, 0)
      const detail = `${usual} and ${fills} fills`
      const [ours, floor] = [other.ms, quiet!.ms]
      const row = { what: `${name}, ${what}`, ours, floor, ratio: ours / floor, unit: 'ms', detail }
      report({ ...row, atMost: 3 * margin, wanted: 1.2 })
    }
  }
  report({ what: 'orders refused in these markets', ours: refused, atMost: 0, wanted: 0 })
}
