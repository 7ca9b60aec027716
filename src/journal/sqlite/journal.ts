import { hash } from 'node:crypto'
import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '#src/core/disk/folder.ts'
import { HeldFiles } from '#src/core/disk/held-files.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { GroupCommit } from '#src/core/log/group-commit.ts'
import type { HashChain, LogEnd } from '#src/core/log/hash-chain.ts'
import type { Event } from '#src/engine/events.ts'
import { damaged, moved, unwritten } from '#src/journal/journal-errors.ts'
import type { Journal, JournaledEngine, RebuildOptions, Recovery, StepOutcome } from '#src/journal/port.ts'
import { repeated, type Rebuilt, type StoredRecord } from '#src/journal/rebuild.ts'
import { bodiesOf, contentOf, proofOf } from '#src/journal/record.ts'
import { EndNote, notedEnd } from './end-note.ts'
import { holdFolder } from './folder-lock.ts'
import { prune } from './prune.ts'
import { readError } from './read-error.ts'
import { rescue } from './rescue.ts'
import { filesIn, journalPath, migrate, migrations } from './schema.ts'
import { rebuildFrom, StoredRecords } from './stored-records.ts'

/** Records between two stored states, and between two stored hashes of a state. */
export const stateEvery = 16_384
const hashEvery = 4096
/** Twice as many old records are deleted at once: few enough to delay no order. */
const pruneEvery = 1024
/** The longest time and the most records before steps without commands are committed. */
const groupMs = 50
const groupMost = 4096
const mostBytesUsually = 2 ** 30

type Options<M> = RebuildOptions<M> & {
  /** Beyond this size the oldest records are deleted. */
  mostBytes?: number
  /** Called when the whole state was stored between two steps: after how many records, and how long it is. */
  onState?: (kept: { at: number; records: number; bytes: number }) => void
  /** Runs an act after so many milliseconds, and returns a function that cancels it; a timer of the process by default. */
  later?: (act: () => void, ms: number) => () => void
}

function laterByTimer(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms).unref()
  return () => clearTimeout(timer)
}

type Files = { folder: string; db: DatabaseSync; end: EndNote; opened: Disposable[] }

/** Opens the journal of a folder for this process alone. Other processes may read `journal.sqlite` meanwhile. */
export function openJournal<M extends JournaledEngine>(
  folder: string,
  options: Options<M>,
): SqliteJournal<M> {
  const path = journalPath(folder)
  const opened: Disposable[] = []
  try {
    makeFolder(folder)
    opened.push(holdFolder(folder))
    // Created for its owner alone; SQLite gives its other files the same mode.
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
    // A tool that reads the journal may lock it for a moment.
    const db = new DatabaseSync(path, { timeout: 5000 })
    opened.push(db)
    const end = new EndNote(folder)
    opened.push(end)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY')
    migrate(db, path, migrations)
    claim(db, path, options.account)
    const rebuilt = rebuildFrom(db, notedEnd(folder), options)
    db.exec(indexLastSendings)
    return new SqliteJournal({ folder, db, end, opened }, rebuilt, options)
  } catch (error) {
    letGo(opened)
    throw readError(path, error)
  }
}

/** Indexes the orders that the last record sent, if no record followed it. */
const indexLastSendings = `
  INSERT OR IGNORE INTO sendings
  SELECT value ->> 'id', seq, n FROM commands, json_each(body, '$.orders')
  WHERE kind = 'submit' AND seq = (SELECT max(seq) FROM events)`

function letGo(opened: Disposable[]): void {
  for (const one of opened.toReversed()) one[Symbol.dispose]()
}

function claim(db: DatabaseSync, path: string, account: string): void {
  const stored = db.prepare('SELECT account FROM meta').get()
  if (stored === undefined) {
    db.prepare('INSERT INTO meta (id, account, complete_from) VALUES (1, ?, 1)').run(account)
  } else if (stored['account'] !== account) {
    throw new BotError('DATA_FOREIGN', {
      seen: `${path} is the journal of ${String(stored['account'])}, and the current account is ${account}`,
      fix: 'Name the venue file of this journal, or another state folder',
    })
  }
}

export class SqliteJournal<M extends JournaledEngine> implements Journal<M> {
  readonly machine: M
  readonly recovery: Recovery
  readonly #files: Files
  readonly #held: HeldFiles
  readonly #sameFolder: HeldFiles
  readonly #options: Options<M>
  readonly #insert
  readonly #group: GroupCommit
  readonly #chain: HashChain
  #stateAt: number
  #pending = 0
  /** Orders sent by the last record, with their commands. The next record indexes them: no order waits for that. */
  #sent: { id: string; n: number }[] = []

  constructor(files: Files, rebuilt: Rebuilt<M>, options: Options<M>) {
    const { folder, db } = files
    this.#files = files
    this.#held = new HeldFiles(filesIn(folder))
    this.#sameFolder = new HeldFiles([folder])
    this.#options = options
    this.machine = rebuilt.machine
    this.recovery = rebuilt.recovery
    this.#chain = rebuilt.chain
    this.#stateAt = rebuilt.recovery.from
    this.#insert = {
      event: db.prepare('INSERT INTO events (seq, at, kind, body, chain) VALUES (?, ?, ?, ?, ?)'),
      command: db.prepare('INSERT INTO commands (seq, n, kind, strategy, body) VALUES (?, ?, ?, ?, ?)'),
      decision: db.prepare(
        'INSERT INTO decisions (seq, n, at, strategy, ladder, body) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      sending: db.prepare('INSERT INTO sendings (order_id, seq, n) VALUES (?, ?, ?)'),
      state: db.prepare(
        'INSERT OR REPLACE INTO states (seq, at, engine, chain, hash, proof, state) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ),
    }
    const { later = laterByTimer } = options
    this.#group = new GroupCommit({
      begin: () => db.exec('BEGIN IMMEDIATE'),
      end: () => this.#endGroup(),
      errorOf: (cause) => (cause instanceof BotError ? cause : unwritten(this.#chain.seq, cause)),
      later: (act) => later(act, groupMs),
    })
    // Names the engine of the records that follow.
    if (rebuilt.engine !== options.engine) {
      this.#group.write(() => this.#keepState(true))
      this.#group.commit()
    }
  }

  append(event: Event, outcome: StepOutcome): void {
    this.#group.write(() => {
      this.#indexSendings()
      const bodies = bodiesOf(JSON.stringify(event), outcome)
      const link = this.#chain.add(contentOf(bodies))
      const { seq } = this.#chain
      this.#insert.event.run(seq, event.at, event.kind, bodies.event, link)
      for (const [n, command] of outcome.commands.entries()) {
        const strategy = 'strategy' in command ? command.strategy : null
        this.#insert.command.run(seq, n, command.kind, strategy, bodies.commands[n] ?? null)
        if (command.kind === 'submit') for (const { id } of command.orders) this.#sent.push({ id, n })
      }
      for (const [n, { at, strategy, ladder }] of outcome.decisions.entries()) {
        this.#insert.decision.run(seq, n, at, strategy, ladder, bodies.decisions[n] ?? null)
      }
      this.#keepNowAndThen(event.at)
    })
    this.#pending += 1
    if (this.#pending >= groupMost) this.commit()
  }

  commit(): void {
    this.#group.commit()
  }

  /** Number and link of the last record. */
  get end(): LogEnd {
    return this.#chain
  }

  /** The record after which the newest whole state was stored. */
  get stateAt(): number {
    return this.#stateAt
  }

  /** What the journal holds, the last steps included. */
  get stored(): StoredRecords {
    return new StoredRecords(this.#files.db)
  }

  /**
   * Adds records of another process that went on with this journal. `writer` is its engine: this one repeats its own records,
   * and recalls those of another version.
   */
  adopt(records: readonly StoredRecord[], writer: string): void {
    const isOwn = writer === this.#options.engine
    for (const record of records) {
      this.append(...repeated(this.machine, record, isOwn ? null : writer))
      if (this.#chain.link !== record.chain) throw damaged(`record ${this.#chain.seq} of another process`)
    }
    // Recalled records are not repeated: the next start begins after them.
    if (!isOwn && records.length > 0) this.#group.write(() => this.#keepState(true))
    this.commit()
  }

  abandon(error: unknown): void {
    this.#group.fail(error)
  }

  close(): void {
    try {
      if (this.#group.hasReported) return
      if (this.#stateAt !== this.#chain.seq || this.#sent.length > 0) {
        this.#group.write(() => {
          this.#indexSendings()
          this.#keepState(true)
        })
      }
      this.#group.commit()
    } finally {
      this.#group.cancel()
      letGo(this.#files.opened)
    }
  }

  #indexSendings(): void {
    for (const { id, n } of this.#sent) this.#insert.sending.run(id, this.#chain.seq, n)
    this.#sent = []
  }

  #endGroup(): void {
    const { folder, db, end } = this.#files
    this.#pending = 0
    db.exec('COMMIT')
    end.write(this.#chain.seq)
    const lost = this.#held.lost()
    if (lost === undefined) return
    // Writes nothing into a folder that has replaced this one.
    const isSame = this.#sameFolder.lost() === undefined
    throw moved(lost, isSame ? rescue(folder, db, this.#chain.seq) : undefined)
  }

  /** Stores the state or its hash after every so many records, and deletes the oldest records of a large journal. */
  #keepNowAndThen(at: number): void {
    const { seq } = this.#chain
    if (seq % hashEvery === 0) {
      const isWhole = seq % stateEvery === 0
      const bytes = this.#keepState(isWhole)
      if (isWhole) this.#options.onState?.({ at, records: seq, bytes })
    }
    if (seq % pruneEvery !== 0) return
    const { mostBytes = mostBytesUsually } = this.#options
    if (this.#bytes() > mostBytes) prune(this.#files.db, this.machine.state, 2 * pruneEvery)
  }

  /** Returns the length of the state. */
  #keepState(isWhole: boolean): number {
    const { state } = this.machine
    const { seq, link: chain } = this.#chain
    const text = JSON.stringify(state)
    const mark = { seq, engine: this.#options.engine, chain, hash: hash('sha256', text) }
    const stored = isWhole ? text : null
    this.#insert.state.run(seq, state.at, mark.engine, chain, mark.hash, proofOf(mark), stored)
    if (!isWhole) return text.length
    this.#stateAt = seq
    // The state before stays: the new one may be damaged on the disk.
    this.#files.db.exec(
      `DELETE FROM states WHERE seq < (SELECT min(seq) FROM (
         SELECT seq FROM states WHERE state IS NOT NULL ORDER BY seq DESC LIMIT 2))`,
    )
    return text.length
  }

  #bytes(): number {
    const read = (name: string) => Number(this.#files.db.prepare(`PRAGMA ${name}`).get()?.[name])
    return (read('page_count') - read('freelist_count')) * read('page_size')
  }
}
