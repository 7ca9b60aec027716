import { dirname } from 'node:path'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { makeFolder } from '#src/core/disk/folder.ts'
import { checkWritable, writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'

export async function writeReport(path: string, result: BacktestResult): Promise<void> {
  const { reportPage } = await import('#src/research/backtest/report/report-page.ts')
  writePage(path, await reportPage(result))
}

/** Reported before the work on the page begins; an existing file is not overwritten. */
export function refuseUnwritable(path: string): void {
  try {
    makeFolder(dirname(path))
    checkWritable(path)
  } catch (cause) {
    throw new BotError('REPORT_NOT_WRITTEN', { seen: `${path}${codeBehind(cause)}`, cause })
  }
}

export function writePage(path: string, page: string): void {
  try {
    makeFolder(dirname(path))
    writeWholeFile(path, page)
  } catch (cause) {
    throw new BotError('REPORT_NOT_WRITTEN', { seen: `${path}${codeBehind(cause)}`, cause })
  }
}
