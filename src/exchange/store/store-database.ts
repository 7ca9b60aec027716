import { hash } from 'node:crypto'
import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder, sharedFolderProblem } from '#src/core/disk/folder.ts'
import { BotError } from '#src/core/errors/bot-error.ts'

const format = 12
/** In the one before, a snapshot had no parts. */
const formatsRead: ReadonlySet<number> = new Set([0, 11, format])

/** The tables of the store, for this process alone. */
export function openDatabase(directory: string, path: string): DatabaseSync {
  const db = legible(path, undefined, () => {
    makeFolder(directory)
    const open = sharedFolderProblem(directory)
    if (open !== undefined) throw new BotError('FOLDER_EXPOSED', { seen: `${directory}: ${open}` })
    // Made for its owner alone, and SQLite gives its other files the same mode: codes and keys stand in them.
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
    return new DatabaseSync(path)
  })
  return legible(path, db, () => {
    // One process at a time: a second one would match orders against a book that is not the book.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    db.exec(`
      CREATE TABLE IF NOT EXISTS beginning (
        id INTEGER PRIMARY KEY CHECK (id = 1), world BLOB NOT NULL, chain TEXT NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS entries (
        seq INTEGER PRIMARY KEY, entry TEXT NOT NULL, chain TEXT NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS snapshot (
        id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, state BLOB NOT NULL,
        chain TEXT NOT NULL, proof TEXT NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS snapshot_parts (
        id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, part BLOB NOT NULL
      ) STRICT;
    `)
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
    if (!formatsRead.has(version)) {
      throw new BotError('DATA_FOREIGN', {
        seen: `${path} has format ${version}, this program writes ${format}`,
      })
    }
    db.exec(`PRAGMA user_version = ${format}`)
    return db
  })
}

/** Whatever goes wrong while the stored data are read is the fault of the data, and told as such. */
export function legible<Result>(path: string, db: DatabaseSync | undefined, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    db?.close()
    if (error instanceof BotError) throw error
    if (error instanceof Error && 'syscall' in error && 'code' in error) {
      const fix = 'Name a writable folder'
      throw new BotError('FILE_NOT_WRITTEN', { seen: `${path} (${String(error.code)})`, fix, cause: error })
    }
    const seen = error instanceof Error ? error.message : 'unknown'
    throw seen.includes('locked')
      ? new BotError('DATA_BUSY', { seen: path, cause: error })
      : new BotError('DATA_FOREIGN', { seen: `${path}: ${seen}`, cause: error })
  }
}

/** The hash of these bytes and, through `before`, of everything that they follow. */
export function link(before: string, bytes: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from(before), bytes]))
}

/** The bytes, if they are the ones that were written. */
export function proven(before: string, bytes: unknown, proof: unknown, what: string): Uint8Array {
  if (bytes instanceof Uint8Array && link(before, bytes) === proof) return bytes
  throw damaged(`the ${what} was changed after it was written`)
}

export function damaged(seen: string): BotError {
  return new BotError('DATA_DAMAGED', { seen })
}
