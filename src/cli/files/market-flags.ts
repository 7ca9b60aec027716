import { basename } from 'node:path'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { usage } from '#src/cli/words/usage.ts'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { namedIn } from './market-loading.ts'
import { seenNotes } from './market-sources.ts'

/** Paths by symbol, from the word before the path or from the file itself; under the empty symbol if neither names one. */
export async function marketsOf<Market extends { name: string | undefined }>(
  words: readonly string[],
  open: (path: string) => Market | Promise<Market>,
  flag: '--market' | '--funding' | '--futures' | '--depth' = '--market',
): Promise<Map<string, Market>> {
  const markets = new Map<string, Market>()
  for (const word of words) {
    const { symbol: said, path } = namedIn(word)
    const market = await open(path)
    const symbol = said ?? market.name ?? ''
    if (markets.has(symbol)) {
      throw usage(
        `${path} is the second ${flag} for ${symbol === '' ? 'the same market' : symbol}`,
        `Name the market of each file: ${flag} BTC_PERP=FILE`,
      )
    }
    markets.set(symbol, market)
  }
  return markets
}

/**
 * A file that names no market in its lines is for the only market of the strategies, unless its file name begins with another
 * currency, such as `ETH_USDT-2026.csv` or `ETHUSDT-1m.zip` for BTC_PERP.
 */
export function refuseOtherName(
  words: readonly string[],
  strategies: readonly Strategy[],
  known: readonly string[],
): void {
  const traded = strategies.flatMap(({ markets }) => Object.values(markets).map(({ symbol }) => symbol))
  const [symbol = '', ...others] = new Set(traded)
  if (others.length > 0) return
  const own = baseOf(symbol)
  for (const word of words) {
    const { symbol: said, path } = namedIn(word)
    if (said !== undefined) continue
    const name = basename(path).toUpperCase()
    const other = known.find((each) => baseOf(each) !== own && begins(name, each))
    if (other === undefined) continue
    throw usage(
      `${printable(path)} has the name of ${other}, and the strategy trades ${symbol}`,
      `If it has the prices of ${symbol}, write --market ${symbol}=FILE`,
    )
  }
}

const baseOf = (symbol: string): string => symbol.split('_')[0] ?? symbol

/** With or without the mark between the two currencies. */
function begins(name: string, symbol: string): boolean {
  return [symbol, symbol.replace('_', ''), symbol.replace('_', '-')].some((text) => name.startsWith(text))
}

/** Prints notes about the files on stderr, since stdout has the results. */
export function tellNotes(markets: ReadonlyMap<string, Pick<HistoricalMarket, 'seen'>>): void {
  for (const [symbol, { seen }] of markets) {
    const of = symbol === '' ? 'The market' : symbol
    for (const note of seen ? seenNotes(seen) : []) process.stderr.write(`${of}: ${printable(note)}\n`)
  }
}

export function tellFileNotes(files: ReadonlyMap<string, { file: string; notes: readonly string[] }>): void {
  for (const { file, notes } of files.values())
    for (const note of notes) process.stderr.write(`${printable(`${file}: ${note}`)}\n`)
}
