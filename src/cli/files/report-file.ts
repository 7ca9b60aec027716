import { existsSync, lstatSync, readFileSync } from 'node:fs'
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

/** Reported before the work on the page begins. */
export function refuseUnwritable(path: string): void {
  inItsFolder(path, () => checkWritable(path))
}

export function writePage(path: string, page: string): void {
  inItsFolder(path, () => writeWholeFile(path, page))
}

function inItsFolder(path: string, act: () => void): void {
  refuseForeign(path)
  try {
    makeFolder(dirname(path))
    act()
  } catch (cause) {
    throw new BotError('REPORT_NOT_WRITTEN', { seen: `${path}${codeBehind(cause)}`, cause })
  }
}

const beginning = '<!doctype html>'

/** An earlier page is replaced; any other file could be a strategy or prices. */
function refuseForeign(path: string): void {
  // Of a link, only the link is replaced.
  if (!existsSync(path) || !lstatSync(path).isFile()) return
  const first = readFileSync(path).subarray(0, beginning.length).toString('latin1')
  if (first.toLowerCase() === beginning) return
  throw new BotError('REPORT_NOT_WRITTEN', {
    seen: `${path} exists and is no web page`,
    fix: 'Name a new file, or an earlier report',
  })
}
