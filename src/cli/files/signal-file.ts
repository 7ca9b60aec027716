import { badMarket } from '#src/market/data/market-file-error.ts'
import { timeIn } from '#src/market/data/csv/row-text.ts'
import type { HistoricalSignals } from '#src/market/data/historical-market.ts'
import { signalOfLine } from '#src/strategy/signals/signal-line.ts'
import { textIn } from './named-file.ts'

const rowsMax = 1_000_000

/** `--signals FILE` of a backtest: a CSV file with the columns time,name,value, in the order of the times. */
export function readSignals(path: string): HistoricalSignals {
  const rows: HistoricalSignals['rows'][number][] = []
  let last = -Infinity
  for (const [index, text] of textIn(path).split('\n').entries()) {
    const line = index + 1
    const read = signalOfLine(text)
    if (read === null) continue
    const { time, name, value } = read ?? {}
    if (time === undefined || name === undefined || value === undefined)
      throw badMarket(path, 'is not a row of signals', 'Write the three columns time,name,value', line)
    const at = timeIn(time)
    if (at === undefined)
      throw badMarket(
        path,
        `"${time.slice(0, 40)}" is not a time`,
        'Write seconds, milliseconds or microseconds since 1970, or a UTC time such as 2026-01-31T14:30:00Z',
        line,
      )
    if (at < last)
      throw badMarket(path, 'is earlier than the row before it', 'Sort the rows by their time', line)
    if (rows.length === rowsMax)
      throw badMarket(
        path,
        `holds more than ${rowsMax} rows`,
        'Use a shorter period, and --from and --to',
        line,
      )
    last = at
    rows.push({ at, name, value, line })
  }
  if (rows.length === 0)
    throw badMarket(path, 'holds no signals', 'Write rows such as 2026-01-31T14:30:00Z,trend,long')
  return { file: path, rows }
}
