import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { HeldFiles } from '#src/core/disk/held-files.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Fill } from '#src/exchange/simulation/recorded/recorded-market.ts'
import { hourMs } from '#src/exchange/time-units.ts'
import { Snapshots } from './snapshots.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import { damaged, legible, link, openDatabase, proven } from './store-database.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import type { World } from '#src/exchange/world-file.ts'

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
  /** Entries that the next snapshot holds, their letters, and the bytes of the last snapshot. */
  #sinceSnapshot = 0
  #lettersSince = 0
  #snapshotBytes = 0
  #snapshotAt = 0
  readonly #snapshots: Snapshots
  /** What is left to do of the one that is being written. */
  #snapshot: Generator<void, number> | undefined
  /** Why nothing may be written any more. */
  #broken: BotError | undefined

  private constructor(path: string, db: DatabaseSync, bytes: Uint8Array) {
    this.#path = path
    this.#held = new HeldFiles([path, `${path}-wal`])
    this.#db = db
    this.beginning = readBeginning(bytes)
    this.#chain = link('', bytes)
    this.#snapshots = new Snapshots(db)
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
  recover<Result extends { redo(entry: Entry): void }>(
    begin: (state: ExchangeState | undefined) => Result,
  ): Result {
    return legible(this.#path, this.#db, () => {
      const snapshot = this.#snapshots.read()
      if (snapshot) ({ seq: this.#seq, chain: this.#chain, bytes: this.#snapshotBytes } = snapshot)
      this.#snapshotAt = snapshot?.state.at ?? this.beginning.at
      const recovered = begin(snapshot?.state)
      const tail = this.#db.prepare('SELECT seq, entry, chain FROM entries WHERE seq > ? ORDER BY seq')
      for (const { seq, entry, chain } of tail.iterate(this.#seq)) {
        this.#seq += 1
        if (Number(seq) !== this.#seq) throw damaged(`change ${this.#seq} is missing`)
        const text = String(entry)
        proven(this.#chain, Buffer.from(text), chain, `change ${this.#seq}`)
        this.#chain = String(chain)
        recovered.redo(readEntry(text))
        this.#sinceSnapshot += 1
        this.#lettersSince += text.length
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
  async committed(state: ExchangeState): Promise<void> {
    if (this.#broken) throw this.#broken
    if (this.#pending.length === 0 && this.#commit === undefined && !this.#isDue(state)) return
    await this.#commitSoon(state)
  }

  #commitSoon(state: ExchangeState): Promise<void> {
    this.#commit ??= new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        this.#commit = undefined
        try {
          this.#write(state)
        } catch (error) {
          reject(this.abandon(error))
          return
        }
        resolve()
        // Where nobody commits anything, the snapshot goes on by itself.
        if (this.#snapshot) this.#commitSoon(state).catch(() => {})
      })
    })
    return this.#commit
  }

  #write(state: ExchangeState): void {
    if (this.#broken) throw this.#broken
    // Closed, with everything on disk.
    if (!this.#db.isOpen) return
    const entries = this.#pending
    this.#pending = []
    this.#db.exec('BEGIN IMMEDIATE')
    for (const entry of entries) {
      this.#seq += 1
      const text = JSON.stringify(entry)
      this.#chain = link(this.#chain, Buffer.from(text))
      this.#insert.run(this.#seq, text, this.#chain)
      this.#lettersSince += text.length
    }
    this.#sinceSnapshot += entries.length
    if (this.#isDue(state)) this.#beginSnapshot(state)
    this.#stepSnapshot()
    this.#db.exec('COMMIT')
    const lost = this.#held.lost()
    if (lost === undefined) return
    throw new BotError('DATA_MOVED', { seen: lost, fix: 'Restore the folder, then start again' })
  }

  #isDue(state: ExchangeState): boolean {
    if (this.#snapshot || this.#sinceSnapshot === 0) return false
    const movedMs = state.flow === undefined ? 0 : state.at - this.#snapshotAt
    // Entries as long as the snapshot that they replace: however large the state is, it is written no faster than they.
    const isLong = this.#sinceSnapshot >= entriesPerSnapshot && this.#lettersSince >= this.#snapshotBytes
    return isLong || movedMs >= movedMsPerSnapshot
  }

  /** The next commits write it, a part each, while changes go on. */
  #beginSnapshot(state: ExchangeState): void {
    this.#snapshot = this.#snapshots.steps(this.#seq, this.#chain, state)
    this.#sinceSnapshot = 0
    this.#lettersSince = 0
    this.#snapshotAt = state.at
  }

  #stepSnapshot(): void {
    const step = this.#snapshot?.next()
    if (step?.done !== true) return
    this.#snapshotBytes = step.value
    this.#snapshot = undefined
  }

  close(state: ExchangeState): void {
    try {
      if (!this.#broken) {
        this.#write(state)
        while (this.#snapshot) this.#write(state)
        // So that the next start reads little.
        if (this.#sinceSnapshot > 0) this.#beginSnapshot(state)
        while (this.#snapshot) this.#write(state)
      }
    } catch (error) {
      throw this.abandon(error)
    } finally {
      this.#db.close()
    }
  }
}

/** As --market and --fill would say it. */
function marketText({ seeded, recorded }: Beginning['market']): string {
  const files = recorded?.files.map(({ markets }) => `a file for ${markets.join(' and ')}`) ?? []
  const moves = [...(seeded ? ['seeded'] : []), ...files].join(', ') || 'still'
  return recorded === undefined ? moves : `${moves} with --fill ${recorded.fill}`
}

// What comes back is what this class wrote: the format number and the hashes have just said so.
function readBeginning(bytes: Uint8Array): Beginning {
  const beginning: Beginning = deserialize(bytes)
  return beginning
}

function readEntry(text: string): Entry {
  const entry: Entry = JSON.parse(text)
  return entry
}
