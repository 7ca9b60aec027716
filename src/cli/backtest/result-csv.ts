import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { makeFolder } from '#src/core/disk/folder.ts'
import { csvCell } from '#src/operate/dashboard/history/trades-csv.ts'
import { unwritable } from '#src/market/data/market-file-error.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { onDisk } from '#src/cli/files/named-file.ts'
import { usage } from '#src/cli/words/usage.ts'

type Cell = string | number | boolean | null | undefined
type Row = Record<string, Cell>
/** The tables of a result, for notebooks and DuckDB. The columns have the names of `rungs backtest --json`. */
const tables: Record<string, (result: BacktestResult) => Row[]> = {
  'fills.csv': ({ fills }) => fills.map(({ at, ...fill }) => ({ time: timeOf(at), ...fill })),
  'equity.csv': ({ equity }) =>
    equity.at.map((at, place) => ({
      time: timeOf(at),
      equity: equity.value[place],
      position: equity.position[place],
      hold: equity.hold?.[place],
    })),
  'rungs.csv': ({ rungs }) => rungs.map((rung) => ({ ...rung })),
  'summary.csv': ({ summary: { from, to, bestDayAt, worstDayAt, ...summary } }) => [
    {
      from: timeOf(from),
      to: timeOf(to),
      ...summary,
      bestDayAt: maybeTime(bestDayAt),
      worstDayAt: maybeTime(worstDayAt),
    },
  ],
}

/** Reported before the backtest begins; an existing file is not overwritten. */
export function refuseExistingCsv(folder: string): void {
  const taken = Object.keys(tables).find((name) => existsSync(join(folder, name)))
  if (taken !== undefined) throw usage(`${join(folder, taken)} exists`, 'Name a new folder')
  onDisk(folder, () => makeFolder(folder), unwritable)
}

export function writeCsvTables(folder: string, result: BacktestResult): void {
  for (const [name, rowsOf] of Object.entries(tables)) {
    const path = join(folder, name)
    onDisk(path, () => writeWholeFile(path, csvOf(rowsOf(result))), unwritable)
  }
}

/** A table without rows has no columns, so its file is empty. */
function csvOf(rows: readonly Row[]): string {
  if (rows.length === 0) return ''
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = rows.map((row) => names.map((name) => csvCell(String(row[name] ?? ''))).join(','))
  return [names.join(','), ...lines, ''].join('\n')
}

/** UTC, which pandas and DuckDB read as a time. */
function timeOf(at: number): string {
  return new Date(at).toISOString()
}

function maybeTime(at: number | null = null): string | null {
  return at === null ? null : timeOf(at)
}
