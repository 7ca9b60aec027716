import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { BotError } from '#src/errors/bot-error.ts'
import type { State } from './state.ts'
import type { Entry } from './venue.ts'
import type { World } from './world.ts'

/**
 * The venue's memory on disk: how its world began, every change since then, and now and then the whole state,
 * so that a start reads little. Changes of one turn of the event loop share one commit, and nobody gets an
 * answer before the commit that holds what the answer says.
 */
export type Beginning = { world: World; seed: string; at: number }

const format = 1
const entriesPerSnapshot = 20_000

export class Store {
  readonly beginning: Beginning
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #insert: StatementSync
  #pending: Entry[] = []
  #commit: Promise<void> | undefined
  #seq = 0
  #sinceSnapshot = 0

  private constructor(path: string, db: DatabaseSync, beginning: Beginning) {
    this.#path = path
    this.#db = db
    this.beginning = beginning
    this.#insert = db.prepare('INSERT INTO entries (seq, entry) VALUES (?, ?)')
  }

  /** Opens what is there, or begins. `fresh` says how a world would begin; a stored one knows better. */
  static open(directory: string, fresh: Beginning, worldNamed: boolean): Store {
    const path = join(directory, 'exchange.sqlite')
    const db = openDatabase(directory, path)
    return legible(path, db, () => {
      const stored = db.prepare("SELECT value FROM meta WHERE name = 'beginning'").get()
      if (stored === undefined) {
        db.prepare("INSERT INTO meta (name, value) VALUES ('beginning', ?)").run(serialize(fresh))
        return new Store(path, db, fresh)
      }
      const beginning = readBeginning(stored['value'])
      if (worldNamed && !isDeepStrictEqual(beginning.world, fresh.world)) {
        throw new BotError('DATA_FOREIGN', { seen: `${path} holds another world than the one named` })
      }
      return new Store(path, db, beginning)
    })
  }

  /** Hands out the newest snapshot, if any, then does again every entry after it. */
  recover<Result extends { redo(entry: Entry): void }>(begin: (state: State | undefined) => Result): Result {
    return legible(this.#path, this.#db, () => {
      const snapshot = this.#db.prepare('SELECT seq, state FROM snapshot').get()
      const from = snapshot === undefined ? 0 : Number(snapshot['seq'])
      const recovered = begin(snapshot === undefined ? undefined : readState(snapshot['state']))
      this.#seq = from
      for (const { seq, entry } of this.#db
        .prepare('SELECT seq, entry FROM entries WHERE seq > ? ORDER BY seq')
        .iterate(from)) {
        recovered.redo(readEntry(entry))
        this.#seq = Number(seq)
      }
      return recovered
    })
  }

  append(entry: Entry): void {
    this.#pending.push(entry)
  }

  /** Resolves once everything appended so far is on disk; rejects when the disk refuses. */
  async committed(state: State): Promise<void> {
    if (this.#pending.length === 0 && this.#commit === undefined) return
    this.#commit ??= new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        this.#commit = undefined
        try {
          this.#write(state)
          resolve()
        } catch (error) {
          reject(
            new BotError('DATA_BROKEN', {
              seen: error instanceof Error ? error.message : 'unknown',
              cause: error,
            }),
          )
        }
      })
    })
    await this.#commit
  }

  #write(state: State): void {
    const entries = this.#pending
    this.#pending = []
    this.#db.exec('BEGIN IMMEDIATE')
    for (const entry of entries) {
      this.#seq += 1
      this.#insert.run(this.#seq, JSON.stringify(entry))
    }
    this.#sinceSnapshot += entries.length
    if (this.#sinceSnapshot >= entriesPerSnapshot) this.#snapshot(state)
    this.#db.exec('COMMIT')
  }

  #snapshot(state: State): void {
    this.#db
      .prepare(
        `INSERT INTO snapshot (id, seq, state) VALUES (1, ?, ?)
         ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, state = excluded.state`,
      )
      .run(this.#seq, serialize(state))
    this.#sinceSnapshot = 0
  }

  close(state: State): void {
    this.#sinceSnapshot = entriesPerSnapshot
    this.#write(state)
    this.#db.close()
  }
}

function openDatabase(directory: string, path: string): DatabaseSync {
  const db = legible(path, undefined, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return new DatabaseSync(path)
  })
  return legible(path, db, () => {
    // One process at a time: a second one would match orders against a book that is not the book.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    db.exec(`
      CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS entries (seq INTEGER PRIMARY KEY, entry TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS snapshot (
        id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, state BLOB NOT NULL
      ) STRICT;
    `)
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
    if (version !== 0 && version !== format) {
      throw new BotError('DATA_FOREIGN', {
        seen: `${path} has format ${version}, this program writes ${format}`,
      })
    }
    db.exec(`PRAGMA user_version = ${format}`)
    return db
  })
}

/** Whatever goes wrong while the stored data are read is the fault of the data, and told as such. */
function legible<Result>(path: string, db: DatabaseSync | undefined, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    db?.close()
    if (error instanceof BotError) throw error
    const seen = error instanceof Error ? error.message : 'unknown'
    throw seen.includes('locked')
      ? new BotError('DATA_BUSY', { seen: path, cause: error })
      : new BotError('DATA_FOREIGN', { seen: `${path}: ${seen}`, cause: error })
  }
}

// What comes back is what this class wrote, guarded by the format number and by SQLite's own checks.
function readBeginning(value: unknown): Beginning {
  const beginning: Beginning = deserialize(bytesOf(value))
  return beginning
}

function readState(value: unknown): State {
  const state: State = deserialize(bytesOf(value))
  return state
}

function readEntry(value: unknown): Entry {
  const entry: Entry = JSON.parse(String(value))
  return entry
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new BotError('DATA_FOREIGN', { seen: 'a column without its bytes' })
}
