import { hash } from 'node:crypto'
import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '#src/core/disk/folder.ts'
import { HeldFiles } from '#src/core/disk/held-files.ts'
import type { Event } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { EndNote, notedEnd } from './end-note.ts'
import { holdFolder } from './folder-lock.ts'
import { prune } from './prune.ts'
import { rescue } from './rescue.ts'
import { rebuild, type Rebuilt, type Recovery } from './recovery.ts'
import { bodiesOf, link, proofOf, type JournaledEngine, type StepOutcome } from './record.ts'
import { filesIn, journalPath, migrate, migrations } from './schema.ts'
import { moved, readTrouble } from './journal-errors.ts'

/** The whole state after so many records, and its hash more often. */
export const stateEvery = 16_384
const hashEvery = 4096
/** Twice as many old records are forgotten at once: a few, so that nothing waits long. */
const pruneEvery = 1024
/** What brings no command may wait so long for the disk, or until so much has come together. */
const groupMs = 50
const groupMost = 4096
const mostBytesUsually = 2 ** 30

type Options<M> = {
  /** Whose journal this is: account and venue. Another one's is refused. */
  account: string
  /** The version of what decides. Records that no state holds yet are done again by the same version only. */
  engine: string
  begin: (state: State | null) => M
  /** Beyond this size the oldest records are forgotten. */
  mostBytes?: number
  /** Told when the whole state has been stored in passing: after how many records, and how long it is. */
  onState?: (kept: { at: number; records: number; bytes: number }) => void
  /** Runs it after so many milliseconds, and gives a function that cancels it; a timer of the process unless given. */
  later?: (act: () => void, ms: number) => () => void
}

function laterByTimer(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms).unref()
  return () => clearTimeout(timer)
}

type Files = { folder: string; db: DatabaseSync; end: EndNote; opened: Disposable[] }

/**
 * All that the engine has learned, decided and wanted, on disk before anybody acts on it. Its folder belongs to one
 * process; `journal.sqlite` may be read by anybody meanwhile.
 */
export function openJournal<M extends JournaledEngine>(folder: string, options: Options<M>): Journal<M> {
  const path = journalPath(folder)
  const opened: Disposable[] = []
  try {
    makeFolder(folder)
    opened.push(holdFolder(folder))
    // Made for its owner alone, and SQLite gives its other files the same mode.
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
    // Long enough for somebody who looks at it with a tool that locks it for a moment.
    const db = new DatabaseSync(path, { timeout: 5000 })
    opened.push(db)
    const end = new EndNote(folder)
    opened.push(end)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY')
    migrate(db, path, migrations)
    claim(db, path, options.account)
    const rebuilt = rebuild(db, notedEnd(folder), options)
    db.exec(indexLastSendings)
    return new Journal({ folder, db, end, opened }, rebuilt, options)
  } catch (error) {
    letGo(opened)
    throw readTrouble(path, error)
  }
}

/** What the last record sent, where nothing came behind it. */
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

export class Journal<M extends JournaledEngine> {
  /** As it was after the last record. Every step of it from now on must be appended. */
  readonly machine: M
  readonly recovery: Recovery
  readonly #db: DatabaseSync
  readonly #end: EndNote
  readonly #folder: string
  readonly #held: HeldFiles
  readonly #sameFolder: HeldFiles
  readonly #opened: Disposable[]
  readonly #engine: string
  readonly #mostBytes: number
  readonly #onState: Options<M>['onState']
  readonly #insert
  #seq: number
  #chain: string
  #stateAt: number
  #pending = 0
  /** What the last record sends, by its commands. It is put into its index with the next one: no order waits for that. */
  #sent: { id: string; n: number }[] = []
  readonly #later: NonNullable<Options<M>['later']>
  /** Cancels the end of the open group; undefined while no group is open. */
  #cancelEnd: (() => void) | undefined
  /** Why nothing may be written any more, and whether anybody has been told. */
  #broken: { error: unknown; told: boolean } | undefined

  constructor({ folder, db, end, opened }: Files, rebuilt: Rebuilt<M>, options: Options<M>) {
    this.#db = db
    this.#end = end
    this.#folder = folder
    this.#held = new HeldFiles(filesIn(folder))
    this.#sameFolder = new HeldFiles([folder])
    this.#opened = opened
    this.#engine = options.engine
    this.#onState = options.onState
    this.#mostBytes = options.mostBytes ?? mostBytesUsually
    this.#later = options.later ?? laterByTimer
    this.machine = rebuilt.machine
    this.recovery = rebuilt.recovery
    this.#seq = rebuilt.seq
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
    // Says which engine the records from here on belong to.
    if (rebuilt.engine !== this.#engine) {
      this.#attempt(() => {
        this.#keepState(true)
        this.#endGroup()
      })
    }
  }

  /** Takes down a step that the machine has just made. On disk within a moment, or with the next `commit`. */
  append(event: Event, outcome: StepOutcome): void {
    this.#attempt(() => {
      this.#beginGroup()
      this.#indexSendings()
      this.#pending += 1
      this.#seq += 1
      const bodies = bodiesOf(JSON.stringify(event), outcome)
      this.#chain = link(this.#chain, bodies)
      this.#insert.event.run(this.#seq, event.at, event.kind, bodies.event, this.#chain)
      for (const [n, command] of outcome.commands.entries()) {
        const strategy = 'strategy' in command ? command.strategy : null
        this.#insert.command.run(this.#seq, n, command.kind, strategy, bodies.commands[n] ?? null)
        if (command.kind === 'submit') for (const { id } of command.orders) this.#sent.push({ id, n })
      }
      for (const [n, { at, strategy, ladder }] of outcome.decisions.entries()) {
        this.#insert.decision.run(this.#seq, n, at, strategy, ladder, bodies.decisions[n] ?? null)
      }
      if (this.#seq % hashEvery === 0) {
        const bytes = this.#keepState(this.#seq % stateEvery === 0)
        if (this.#stateAt === this.#seq) this.#onState?.({ at: event.at, records: this.#seq, bytes })
      }
      if (this.#seq % pruneEvery === 0 && this.#bytes() > this.#mostBytes) {
        prune(this.#db, this.machine.state, 2 * pruneEvery)
      }
      if (this.#pending >= groupMost) this.#endGroup()
    })
  }

  /** Everything appended so far is on disk when this returns. When it throws, nothing may leave any more. */
  commit(): void {
    this.#attempt(() => this.#endGroup())
  }

  /**
   * The machine has failed in the middle of a step: nothing can go on from what its state is now, and none of it is
   * written. What was committed stays.
   */
  abandon(error: unknown): void {
    this.#broken ??= { error, told: true }
  }

  /** Leaves the whole state behind, so that any later version can go on from it. */
  close(): void {
    try {
      if (this.#broken?.told === true) return
      this.#attempt(() => {
        this.#indexSendings()
        if (this.#stateAt !== this.#seq) this.#keepState(true)
        this.#endGroup()
      })
    } finally {
      this.#cancelEnd?.()
      letGo(this.#opened)
    }
  }

  #beginGroup(): void {
    if (this.#cancelEnd !== undefined) return
    this.#db.exec('BEGIN IMMEDIATE')
    this.#cancelEnd = this.#later(() => {
      try {
        this.commit()
      } catch (error) {
        // Whoever appends, commits or closes next is told: nothing leaves without that.
        this.#broken = { error, told: false }
      }
    }, groupMs)
  }

  #indexSendings(): void {
    if (this.#sent.length === 0) return
    this.#beginGroup()
    for (const { id, n } of this.#sent) this.#insert.sending.run(id, this.#seq, n)
    this.#sent = []
  }

  #endGroup(): void {
    if (this.#cancelEnd === undefined) return
    this.#cancelEnd()
    this.#cancelEnd = undefined
    this.#pending = 0
    this.#db.exec('COMMIT')
    this.#end.write(this.#seq)
    const lost = this.#held.lost()
    if (lost === undefined) return
    // Writes nothing into a folder that has replaced this one.
    const isSame = this.#sameFolder.lost() === undefined
    throw moved(lost, isSame ? rescue(this.#folder, this.#db, this.#seq) : undefined)
  }

  /** Gives the length of the state. */
  #keepState(whole: boolean): number {
    this.#beginGroup()
    const { state } = this.machine
    const text = JSON.stringify(state)
    const mark = { seq: this.#seq, engine: this.#engine, chain: this.#chain, hash: hash('sha256', text) }
    const stored = whole ? text : null
    this.#insert.state.run(mark.seq, state.at, mark.engine, mark.chain, mark.hash, proofOf(mark), stored)
    if (!whole) return text.length
    this.#stateAt = this.#seq
    // The one before stays, should this one be spoiled.
    this.#db.exec(
      `DELETE FROM states WHERE seq < (SELECT min(seq) FROM (
         SELECT seq FROM states WHERE state IS NOT NULL ORDER BY seq DESC LIMIT 2))`,
    )
    return text.length
  }

  #bytes(): number {
    const read = (name: string) => Number(this.#db.prepare(`PRAGMA ${name}`).get()?.[name])
    return (read('page_count') - read('freelist_count')) * read('page_size')
  }

  /** A disk that has refused once is not asked again: what it said yes to before would be in doubt too. */
  #attempt(write: () => void): void {
    if (this.#broken) {
      this.#broken.told = true
      throw this.#broken.error
    }
    try {
      write()
    } catch (cause) {
      const error = cause instanceof BotError ? cause : unwritten(this.#seq, cause)
      this.#broken = { error, told: true }
      throw error
    }
  }
}

function unwritten(seq: number, cause: unknown): BotError {
  return new BotError('DATA_BROKEN', {
    seen: `the journal could not be written after record ${seq}: ${cause instanceof Error ? cause.message : 'unknown'}`,
    fix: 'Check the disk and start again: the journal holds everything that was sent',
    cause,
  })
}
