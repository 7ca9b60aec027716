import { hash } from 'node:crypto'
import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { makeFolder, openToOthers } from '#src/disk/folder.ts'
import { HeldFiles } from '#src/disk/held-files.ts'
import { BotError } from '#src/errors/bot-error.ts'
import type { Fill } from './flow/recorded.ts'
import { hourMs } from './moments.ts'
import type { State } from './state.ts'
import type { Entry } from './venue.ts'
import type { World } from './world.ts'

/**
 * The venue's memory on disk: how its world began, every change since then, and now and then the whole state,
 * so that a start reads little. Changes of one turn of the event loop share one commit, and nobody gets an
 * answer before the commit that holds what the answer says. Each change carries a hash of itself and of all
 * before it, because SQLite would read a flipped bit as if it had been written so.
 */
export type Beginning = {
  world: World
  seed: string
  at: number
  /** What moves its markets: of what was recorded, only which it was. */
  market: {
    seeded: boolean
    recorded: { fill: Fill; files: { markets: string[]; print: string }[] } | undefined
  }
}

const format = 11
const entriesPerSnapshot = 20_000
/** Markets that move by themselves are done again from the last snapshot on, a day of it in some seconds. */
const movedMsPerSnapshot = 6 * hourMs

export class Store {
  readonly beginning: Beginning
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #insert: StatementSync
  readonly #held: HeldFiles
  #pending: Entry[] = []
  #commit: Promise<void> | undefined
  #seq = 0
  #chain: string
  #sinceSnapshot = 0
  #snapshotAt = 0
  /** Why nothing may be written any more. */
  #broken: BotError | undefined

  private constructor(path: string, db: DatabaseSync, bytes: Uint8Array) {
    this.#path = path
    this.#held = new HeldFiles([path, `${path}-wal`])
    this.#db = db
    this.beginning = readBeginning(bytes)
    this.#chain = link('', bytes)
    this.#insert = db.prepare('INSERT INTO entries (seq, entry, chain) VALUES (?, ?, ?)')
  }

  /**
   * Opens what is there, or begins. `fresh` says how a world would begin; a stored one knows better, and must agree
   * where the operator has named it.
   */
  static open(directory: string, fresh: Beginning, named: { world: boolean; market: boolean }): Store {
    const path = join(directory, 'exchange.sqlite')
    const db = openDatabase(directory, path)
    return legible(path, db, () => {
      const stored = db.prepare('SELECT world, chain FROM beginning').get()
      if (stored === undefined) {
        if (db.prepare('SELECT 1 FROM entries UNION ALL SELECT 1 FROM snapshot').get()) {
          throw damaged('the beginning is missing')
        }
        const bytes = serialize(fresh)
        db.prepare('INSERT INTO beginning (id, world, chain) VALUES (1, ?, ?)').run(bytes, link('', bytes))
        return new Store(path, db, bytes)
      }
      const store = new Store(path, db, proven('', stored['world'], stored['chain'], 'beginning'))
      const { world, market } = store.beginning
      if (named.world && !isDeepStrictEqual(world, fresh.world)) {
        throw new BotError('DATA_FOREIGN', { seen: `${path} holds another world than the named file` })
      }
      if (!isDeepStrictEqual(market, fresh.market) && (named.market || market.recorded !== undefined)) {
        throw new BotError('DATA_FOREIGN', {
          seen: `${path} was created with ${marketText(market)}`,
          fix: 'Pass the same --market flags and file contents, or another folder with --data',
        })
      }
      return store
    })
  }

  /** Hands out the newest snapshot, if any, then does again every entry after it. */
  recover<Result extends { redo(entry: Entry): void }>(begin: (state: State | undefined) => Result): Result {
    return legible(this.#path, this.#db, () => {
      const snapshot = this.#db.prepare('SELECT seq, state, chain, proof FROM snapshot').get()
      let state: State | undefined
      if (snapshot !== undefined) {
        this.#seq = Number(snapshot['seq'])
        this.#chain = String(snapshot['chain'])
        const before = `${this.#seq} ${this.#chain}`
        state = readState(proven(before, snapshot['state'], snapshot['proof'], 'snapshot'))
      }
      this.#snapshotAt = state?.at ?? this.beginning.at
      const recovered = begin(state)
      const tail = this.#db.prepare('SELECT seq, entry, chain FROM entries WHERE seq > ? ORDER BY seq')
      for (const { seq, entry, chain } of tail.iterate(this.#seq)) {
        this.#seq += 1
        if (Number(seq) !== this.#seq) throw damaged(`change ${this.#seq} is missing`)
        const text = String(entry)
        proven(this.#chain, Buffer.from(text), chain, `change ${this.#seq}`)
        this.#chain = String(chain)
        recovered.redo(readEntry(text))
        this.#sinceSnapshot += 1
      }
      return recovered
    })
  }

  append(entry: Entry): void {
    this.#pending.push(entry)
  }

  /** From now on nothing is written, and nothing that waits for the disk is answered. */
  abandon(error: unknown): BotError {
    const seen = error instanceof Error ? error.message : 'unknown'
    this.#broken ??= error instanceof BotError ? error : new BotError('DATA_BROKEN', { seen, cause: error })
    return this.#broken
  }

  /** Resolves once everything appended so far is on disk; rejects for good once the disk has refused. */
  async committed(state: State): Promise<void> {
    if (this.#broken) throw this.#broken
    if (this.#pending.length === 0 && this.#commit === undefined && !this.#isDue(state)) return
    this.#commit ??= new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        this.#commit = undefined
        try {
          this.#write(state)
          resolve()
        } catch (error) {
          reject(this.abandon(error))
        }
      })
    })
    await this.#commit
  }

  #write(state: State): void {
    if (this.#broken) throw this.#broken
    const entries = this.#pending
    this.#pending = []
    this.#db.exec('BEGIN IMMEDIATE')
    for (const entry of entries) {
      this.#seq += 1
      const text = JSON.stringify(entry)
      this.#chain = link(this.#chain, Buffer.from(text))
      this.#insert.run(this.#seq, text, this.#chain)
    }
    this.#sinceSnapshot += entries.length
    if (this.#isDue(state)) this.#snapshot(state)
    this.#db.exec('COMMIT')
    const lost = this.#held.lost()
    if (lost === undefined) return
    throw new BotError('DATA_MOVED', { seen: lost, fix: 'Restore the folder, then start again' })
  }

  #isDue(state: State): boolean {
    const movedMs = state.flow === undefined ? 0 : state.at - this.#snapshotAt
    return this.#sinceSnapshot >= entriesPerSnapshot || movedMs >= movedMsPerSnapshot
  }

  #snapshot(state: State): void {
    const bytes = serialize(state)
    this.#db
      .prepare(
        `INSERT INTO snapshot (id, seq, state, chain, proof) VALUES (1, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
         seq = excluded.seq, state = excluded.state, chain = excluded.chain, proof = excluded.proof`,
      )
      .run(this.#seq, bytes, this.#chain, link(`${this.#seq} ${this.#chain}`, bytes))
    // What came before is in the snapshot, with its hash.
    this.#db.prepare('DELETE FROM entries WHERE seq <= ?').run(this.#seq)
    this.#sinceSnapshot = 0
    this.#snapshotAt = state.at
  }

  close(state: State): void {
    try {
      this.#sinceSnapshot = entriesPerSnapshot
      if (!this.#broken) this.#write(state)
    } catch (error) {
      throw this.abandon(error)
    } finally {
      this.#db.close()
    }
  }
}

function openDatabase(directory: string, path: string): DatabaseSync {
  const db = legible(path, undefined, () => {
    makeFolder(directory)
    const open = openToOthers(directory)
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

/** As --market and --fill would say it. */
function marketText({ seeded, recorded }: Beginning['market']): string {
  const files = recorded?.files.map(({ markets }) => `a file for ${markets.join(' and ')}`) ?? []
  const moves = [...(seeded ? ['seeded'] : []), ...files].join(', ') || 'still'
  return recorded === undefined ? moves : `${moves} with --fill ${recorded.fill}`
}

/** The hash of these bytes and, through `before`, of everything that they follow. */
function link(before: string, bytes: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from(before), bytes]))
}

/** The bytes, if they are the ones that were written. */
function proven(before: string, bytes: unknown, proof: unknown, what: string): Uint8Array {
  if (bytes instanceof Uint8Array && link(before, bytes) === proof) return bytes
  throw damaged(`the ${what} was changed after it was written`)
}

function damaged(seen: string): BotError {
  return new BotError('DATA_DAMAGED', { seen })
}

// What comes back is what this class wrote: the format number and the hashes have just said so.
function readBeginning(bytes: Uint8Array): Beginning {
  const beginning: Beginning = deserialize(bytes)
  return beginning
}

function readState(bytes: Uint8Array): State {
  const state: State = deserialize(bytes)
  return state
}

function readEntry(text: string): Entry {
  const entry: Entry = JSON.parse(text)
  return entry
}
