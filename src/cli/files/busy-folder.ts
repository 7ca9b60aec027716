import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keptNames } from '#src/operate/dashboard/http/state-folder-files.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { shellWord } from '#src/cli/words/text.ts'

/** A state folder that another process has locked: which process, which strategies, and the remedy. */
export function busyFolder(folder: string, cause: BotError): BotError {
  const pid = holderOf(folder)
  const names = keptNames(folder).filter((name) => !name.includes('.'))
  const runs = names.length === 0 ? 'holds' : `runs ${names.join(', ')} in`
  return new BotError('DATA_BUSY', {
    seen: `${pid === undefined ? 'it' : `process ${pid}`} ${runs} ${folder}`,
    fix:
      `Stop it with Ctrl-C in its terminal${pid === undefined ? '' : ` or with kill ${pid}`}, ` +
      `or use another folder: --state-dir ${shellWord(`${folder}-2`)}`,
    cause,
  })
}

/** Written by the process that locks the folder; a killed process leaves it behind. */
function holderOf(folder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(folder, 'journal.pid'), 'utf8'))
    process.kill(pid, 0)
    return pid
  } catch {
    return undefined
  }
}
