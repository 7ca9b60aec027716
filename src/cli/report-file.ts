import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { reportPage } from '#src/backtest/report.ts'
import type { BacktestResult } from '#src/backtest/result.ts'
import { makeFolder } from '#src/disk/folder.ts'
import { BotError } from '#src/errors/bot-error.ts'

export async function writeReport(path: string, result: BacktestResult): Promise<void> {
  writePage(path, await reportPage(result))
}

export function writePage(path: string, page: string): void {
  try {
    makeFolder(dirname(path))
    writeFileSync(path, page)
  } catch (cause) {
    throw new BotError('REPORT_NOT_WRITTEN', { seen: `${path}${reasonOf(cause)}`, cause })
  }
}

/** What the system said, for behind a path. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
}
