import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { EquityHistory } from './equity-history.ts'
import { historyInMemory, openHistoryFile } from './history-file.ts'
import { TradeHistory } from './trade-history.ts'

export type DashboardHistory = { db: DatabaseSync; trades: TradeHistory; equity: EquityHistory }

/**
 * Opens the history that the dashboard shows. The bot trades without it. A damaged file is renamed and replaced by an empty
 * one. If the file cannot be used for another reason, such as a lock or a full disk, the history lasts as long as the process.
 */
export function openHistory(folder: string, onBroken: (error: unknown) => void): DashboardHistory {
  const path = join(folder, 'dashboard.sqlite')
  try {
    return historyOf(openHistoryFile(path))
  } catch (error) {
    onBroken(error)
    if (!isDamage(error)) return historyOf(historyInMemory())
  }
  try {
    renameSync(path, `${path}.damaged`)
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
    return historyOf(openHistoryFile(path))
  } catch (error) {
    onBroken(error)
    return historyOf(historyInMemory())
  }
}

/** Only the first reads find damage behind the first page of the file. */
function historyOf(db: DatabaseSync): DashboardHistory {
  try {
    return { db, trades: new TradeHistory(db), equity: new EquityHistory(db) }
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLITE_ERROR (a table with other columns), SQLITE_CORRUPT, SQLITE_NOTADB. */
const damageCodes = new Set([1, 11, 26])

/** A row that is not JSON is damage, too. */
function isDamage(error: unknown): boolean {
  if (error instanceof SyntaxError) return true
  return error instanceof Error && 'errcode' in error && damageCodes.has(Number(error.errcode) % 256)
}
