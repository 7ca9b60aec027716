import { join } from 'node:path'

/**
 * Makes the entries of a folder durable where Node refuses fsync to a confined process: SQLite syncs the folder of a
 * database when a commit creates its rollback journal there. A folder in which the process may not write contains only
 * its tape, whose content is durable under one of its names.
 */
export function syncByCommit(folder: string): void {
  const path = join(folder, 'sync.sqlite')
  if (!process.permission.has('fs.write', path)) return
  // Not imported: most commands write files, and only a confined process needs it here.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL')
    database.exec('BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS sync (count INTEGER); DELETE FROM sync')
    database.exec('INSERT INTO sync VALUES (1); COMMIT')
  } finally {
    database.close()
  }
}
