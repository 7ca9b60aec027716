import { globSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openBytes } from '#src/market/data/bytes/open-bytes.ts'
import { isBinary } from '#src/market/data/bytes/bytes.ts'
import { badMarket } from './market-file-error.ts'

const marketFile = /\.(?:csv|json|jsonl|ndjson|market|zip|parquet)(?:\.gz|\.zst)?$/i
/** Enough for a header and a row. */
const lookedBytes = 64 * 1024

/**
 * The files with rows that a folder holds or that a pattern such as btc/*.csv matches; `undefined` if the path names one file.
 * An exchange publishes a file also for a day without trades: such a file has no rows and is left out.
 */
export function filesOf(path: string): string[] | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined ? !path.includes('*') : !stat.isDirectory()) return undefined
  const found =
    stat === undefined
      ? globSync(path)
      : readdirSync(path)
          .filter((name) => marketFile.test(name))
          .map((name) => join(path, name))
  const files = found.filter(holdsRows).sort()
  if (files.length > 0) return files
  const what = stat === undefined ? 'matches no market file with rows' : 'is a folder without market files'
  throw badMarket(
    path,
    what,
    'Name a folder of CSV, JSON, zip or Parquet files, a pattern such as btc/*.csv, or one file',
  )
}

function holdsRows(path: string): boolean {
  if (isBinary(path)) return true
  const bytes = openBytes(path)
  try {
    const start = new Uint8Array(lookedBytes)
    let [filled, got] = [0, 1]
    while (got > 0 && filled < lookedBytes) {
      got = bytes.read(start, filled)
      filled += got
    }
    const lines = Buffer.from(start.buffer, 0, filled).toString('utf8').split('\n')
    const rows = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
    const [first = ''] = rows
    // A header stands above the rows; archives and answers have none.
    return rows.length > 1 || /^\s*[\d[{]/.test(first)
  } finally {
    bytes.close()
  }
}
