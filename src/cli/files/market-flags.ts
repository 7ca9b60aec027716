import { usage } from '#src/cli/words/usage.ts'
import type { Funding, HistoricalMarket } from '#src/market/data/historical-market.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { namedIn } from './market-loading.ts'
import { seenNotes } from './market-sources.ts'

/** Paths by symbol, from the word before the path or from the file itself; under the empty symbol if neither names one. */
export async function marketsOf<Market extends { name: string | undefined }>(
  words: readonly string[],
  open: (path: string) => Market | Promise<Market>,
  flag: '--market' | '--funding' = '--market',
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

/** Prints notes about the files on stderr, since stdout has the results. */
export function tellNotes(markets: ReadonlyMap<string, Pick<HistoricalMarket, 'seen'>>): void {
  for (const [symbol, { seen }] of markets) {
    const of = symbol === '' ? 'The market' : symbol
    for (const note of seen ? seenNotes(seen) : []) process.stderr.write(`${of}: ${printable(note)}\n`)
  }
}

export function tellFundingNotes(funding: ReadonlyMap<string, Pick<Funding, 'file' | 'notes'>>): void {
  for (const { file, notes } of funding.values())
    for (const note of notes) process.stderr.write(`${printable(`${file}: ${note}`)}\n`)
}
