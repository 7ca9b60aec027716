import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { sqliteCode, sqliteCodes } from '#src/core/disk/sqlite-errors.ts'
import { BotError } from '#src/core/errors/bot-error.ts'

/**
 * Locks the folder for this process. SQLite locks an empty database of its own, so that other processes can read the
 * journal. The kernel frees the lock when the process ends, in whatever way: no lock becomes stale.
 */
export function holdFolder(folder: string): Disposable {
  const lock = new DatabaseSync(join(folder, 'journal.lock'))
  const pidPath = join(folder, 'journal.pid')
  try {
    lock.exec('BEGIN EXCLUSIVE')
    writeWholeFile(pidPath, `${process.pid}\n`)
  } catch (cause) {
    lock.close()
    if (sqliteCode(cause) !== sqliteCodes.busy) throw cause
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
