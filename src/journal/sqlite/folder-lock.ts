import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { isBusy } from './journal-errors.ts'

/**
 * One process at a time has the folder. The lock is the one that SQLite takes on an empty database: the kernel frees it
 * with the process, however it ends, so that there is no stale one. It is a file of its own, so that the journal itself can
 * be read by anybody meanwhile.
 */
export function holdFolder(folder: string): Disposable {
  const lock = new DatabaseSync(join(folder, 'journal.lock'))
  const pidPath = join(folder, 'journal.pid')
  try {
    lock.exec('BEGIN EXCLUSIVE')
    writeWholeFile(pidPath, `${process.pid}\n`)
  } catch (cause) {
    lock.close()
    if (!isBusy(cause)) throw cause
    throw new BotError('DATA_BUSY', { seen: `${folder} is held by process ${pidIn(pidPath)}`, cause })
  }
  return { [Symbol.dispose]: () => lock.close() }
}

function pidIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
