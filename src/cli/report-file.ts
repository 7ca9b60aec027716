import { dirname } from 'node:path'
import type { BacktestResult } from '#src/backtest/result.ts'
import { makeFolder } from '#src/disk/folder.ts'
import { tryWholeFile, writeWholeFile } from '#src/disk/whole-file.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { codeBehind } from '#src/errors/system-words.ts'

export async function writeReport(path: string, result: BacktestResult): Promise<void> {
  const { reportPage } = await import('#src/backtest/report.ts')
  writePage(path, await reportPage(result))
}

/** Told before the work is done whose page it would be; nothing that is there is touched. */
export function refuseUnwritable(path: string): void {
  try {
    makeFolder(dirname(path))
    tryWholeFile(path)
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
