import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { HeldFiles } from '#src/core/disk/held-files.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { GroupCommit } from '#src/core/log/group-commit.ts'
import { HashChain, linkOf, type ChainFormat } from '#src/core/log/hash-chain.ts'
import type { FillRule } from '#src/exchange/simulation/recorded/recorded-market.ts'
import { hourMs } from '#src/exchange/time-units.ts'
import { Snapshots } from './snapshots.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import { damaged, legible, openDatabase } from './store-database.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import type { World } from '#src/exchange/world-file.ts'

const chainFormat: ChainFormat = { joint: '', digits: 64 }

/** What a stored exchange began with. */
export type Beginning = {
  world: World
  seed: string
  at: number
  /** Absent in worlds that began before ADR 0030: their prices are reverting walks. */
  walk?: 'random'
  /** What moves its markets. Recorded files are named, not stored. */
  market: {
    seeded: boolean
    recorded: { fill: FillRule; files: { markets: string[]; print: string }[] } | undefined
  }
}

const entriesPerSnapshot = 20_000
/** A start simulates moving markets again from the last snapshot on; a day of it takes some seconds. */
const movedMsPerSnapshot = 6 * hourMs

/**
 * The exchange on disk: its beginning, every change since then, and sometimes the whole state, so that a start reads little.
 * Changes of one turn of the event loop share one commit, and no answer leaves before the commit of its changes. The changes
 * are chained: SQLite alone would not notice a flipped bit.
 */
export class Store {
  readonly beginning: Beginning
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #insert: StatementSync
  readonly #held: HeldFiles
  readonly #snapshots: Snapshots
  readonly #group: GroupCommit
  #pending: Entry[] = []
  #chain: HashChain
  /** Undefined before `recover`. */
  #state: ExchangeState | undefined
  /** Entries after the last snapshot and their letters, and the bytes and time of that snapshot. */
  #sinceSnapshot = 0
  #lettersSince = 0
  #snapshotBytes = 0
  #snapshotAt = 0
  /** The remaining steps of the snapshot that is being written. */
  #snapshot: Generator<void, number> | undefined

  private constructor(path: string, db: DatabaseSync, bytes: Uint8Array) {
    this.#path = path
    this.#held = new HeldFiles([path, `${path}-wal`])
    this.#db = db
    // This class wrote these bytes, as it wrote the entries: the format number and the hashes prove it.
    this.beginning = deserialize(bytes)
    this.#chain = new HashChain(chainFormat, { seq: 0, link: linkOf(chainFormat, '', bytes) })
    this.#snapshots = new Snapshots(db)
    this.#insert = db.prepare('INSERT INTO entries (seq, entry, chain) VALUES (?, ?, ?)')
    this.#group = new GroupCommit({ end: () => this.#write(), errorOf: writeError })
  }

  /** Opens the stored exchange of a folder, or begins the `fresh` one. The stored one must agree with what was `named`. */
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
        db.prepare('INSERT INTO beginning (id, world, chain) VALUES (1, ?, ?)').run(
          bytes,
          linkOf(chainFormat, '', bytes),
        )
        return new Store(path, db, bytes)
      }
      const { world: bytes, chain } = stored
      if (!(bytes instanceof Uint8Array) || linkOf(chainFormat, '', bytes) !== chain)
        throw damaged('the beginning was changed after it was written')
      const store = new Store(path, db, bytes)
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

  /** Begins with the newest snapshot, if any, and repeats every entry after it. */
  recover<Result extends { readonly state: ExchangeState; redo(entry: Entry): void }>(
    begin: (state: ExchangeState | undefined) => Result,
  ): Result {
    return legible(this.#path, this.#db, () => {
      const snapshot = this.#snapshots.read()
      if (snapshot) {
        this.#chain = new HashChain(chainFormat, { seq: snapshot.seq, link: snapshot.chain })
        this.#snapshotBytes = snapshot.bytes
      }
      this.#snapshotAt = snapshot?.state.at ?? this.beginning.at
      const recovered = begin(snapshot?.state)
      const tail = this.#db.prepare('SELECT seq, entry, chain FROM entries WHERE seq > ? ORDER BY seq')
      for (const { seq, entry, chain } of tail.iterate(this.#chain.seq)) {
        const text = String(entry)
        const wrong = this.#chain.verify({ seq, link: chain }, text)
        if (wrong !== undefined) throw damaged(`change ${wrong}`)
        const written: Entry = JSON.parse(text)
        recovered.redo(written)
        this.#sinceSnapshot += 1
        this.#lettersSince += text.length
      }
      this.#state = recovered.state
      return recovered
    })
  }

  append(entry: Entry): void {
    this.#pending.push(entry)
  }

  /** Nothing is written any more, and no answer that waits for the disk leaves. */
  abandon(error: unknown): void {
    this.#group.fail(writeError(error))
  }

  /** Resolves when everything appended so far is durable. After an error of the disk it rejects. */
  committed(): Promise<void> {
    if (this.#pending.length > 0 || this.#isDue()) this.#group.open()
    return this.#group.committed()
  }

  #write(): void {
    // Closed, with everything on disk.
    if (!this.#db.isOpen) return
    const entries = this.#pending
    this.#pending = []
    this.#db.exec('BEGIN IMMEDIATE')
    for (const entry of entries) {
      const text = JSON.stringify(entry)
      const link = this.#chain.add(text)
      this.#insert.run(this.#chain.seq, text, link)
      this.#lettersSince += text.length
    }
    this.#sinceSnapshot += entries.length
    if (this.#isDue()) this.#beginSnapshot()
    this.#stepSnapshot()
    this.#db.exec('COMMIT')
    const lost = this.#held.lost()
    if (lost !== undefined)
      throw new BotError('DATA_MOVED', { seen: lost, fix: 'Restore the folder, then start again' })
    // The snapshot continues although no call commits anything.
    if (this.#snapshot) this.#group.open()
  }

  #isDue(): boolean {
    const state = this.#state
    if (this.#snapshot || this.#sinceSnapshot === 0 || state === undefined) return false
    const movedMs = state.flow === undefined ? 0 : state.at - this.#snapshotAt
    // As many letters of entries as the snapshot has bytes: a large state is written no faster than its entries.
    const isLong = this.#sinceSnapshot >= entriesPerSnapshot && this.#lettersSince >= this.#snapshotBytes
    return isLong || movedMs >= movedMsPerSnapshot
  }

  /** The next commits write a part of it each, while changes continue. */
  #beginSnapshot(): void {
    if (this.#state === undefined) return
    this.#snapshot = this.#snapshots.steps(this.#chain.seq, this.#chain.link, this.#state)
    this.#sinceSnapshot = 0
    this.#lettersSince = 0
    this.#snapshotAt = this.#state.at
  }

  #stepSnapshot(): void {
    const step = this.#snapshot?.next()
    if (step?.done !== true) return
    this.#snapshotBytes = step.value
    this.#snapshot = undefined
  }

  close(): void {
    try {
      if (this.#group.hasReported) return
      const finish = () => {
        this.#group.open()
        do this.#group.commit()
        while (this.#snapshot)
      }
      finish()
      if (this.#sinceSnapshot === 0) return
      // The next start reads little.
      this.#beginSnapshot()
      finish()
    } finally {
      this.#db.close()
    }
  }
}

function writeError(cause: unknown): BotError {
  if (cause instanceof BotError) return cause
  return new BotError('DATA_BROKEN', { seen: cause instanceof Error ? cause.message : 'unknown', cause })
}

/** The flags --market and --fill in words. */
function marketText({ seeded, recorded }: Beginning['market']): string {
  const files = recorded?.files.map(({ markets }) => `a file for ${markets.join(' and ')}`) ?? []
  const moves = [...(seeded ? ['seeded'] : []), ...files].join(', ') || 'still'
  return recorded === undefined ? moves : `${moves} with --fill ${recorded.fill}`
}
