import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { writeEnd } from './end-note.ts'

/**
 * Saves the records of a journal whose files were deleted or replaced while it is open: they are gone once it is closed. Notes
 * beside it how far it has come, so that no start takes an empty journal, or an older one, for this one. Gives the path of the
 * copy; undefined where none could be made.
 */
export function rescue(folder: string, db: DatabaseSync, seq: number): string | undefined {
  const path = join(folder, 'journal.rescued.sqlite')
  try {
    writeEnd(folder, seq)
    rmSync(path, { force: true })
    closeSync(openSync(path, 'wx', 0o600))
    db.prepare('VACUUM INTO ?').run(path)
    return path
  } catch {
    return undefined
  }
}
