import { existsSync, statSync } from 'node:fs'
import { usage } from '#src/cli/words/usage.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { loadInWorker } from '#src/market/data/load/load-in-worker.ts'
import type { MarketColumns } from '#src/market/data/load/load-market.ts'

/** A file that is being loaded; undefined for a file that was left out. */
export type Loading = (path: string) => Promise<MarketColumns> | undefined

/**
 * Starts to read the files of --market while the modules of the program load, which takes as long as reading a year of minutes. A
 * file of more than `most` bytes is left out.
 */
export function beginLoading(words: readonly string[], most = Infinity): Loading {
  const paths = new Set(words.map((word) => namedIn(word).path).filter((path) => bytesOf(path) <= most))
  if (paths.size === 0) return () => undefined
  const loaded = loadInWorker([...paths])
  return (path) => (paths.has(path) ? loaded(path) : undefined)
}

/** BTC_USDT=FILE, or the file alone. */
export function namedIn(word: string): { symbol: string | undefined; path: string } {
  const [, symbol, path = word] = /^([A-Z0-9]+_[A-Z0-9]+)=(.+)$/.exec(word) ?? []
  if (symbol === undefined) refuseOwnName(word)
  return { symbol, path }
}

/** A strategy has names of its own for its markets, such as btc. A path can have the same form, such as year=2026/bars.csv. */
function refuseOwnName(word: string): void {
  const [, name = '', path = ''] = /^(\w+)=(.+)$/.exec(word) ?? []
  if (name === '' || existsSync(word) || !existsSync(path)) return
  const symbol = /^[^_]+_[^_]+$/.test(name) ? name.toUpperCase() : 'BTC_PERP'
  throw usage(
    `${printable(word)} is no file, and ${name} is not the symbol of a market`,
    `Write the symbol that the strategy file states under markets: ${symbol}=${printable(path)}`,
  )
}

/** The reader of the file reports the error. */
function bytesOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}
