import { statSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import type { Submit } from '#src/engine/commands.ts'
import { wholeExplanations, type Explanation } from '#src/engine/explain/explanation.ts'
import type { Answered, Event } from '#src/engine/events.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import type { State } from '#src/engine/state/state.ts'
import { notedEnd } from './end-note.ts'
import { rebuild } from './recovery.ts'
import { beginningOf, link, type Bodies, type JournaledEngine } from './record.ts'
import { answersMost, journalPath } from './schema.ts'
import { cutShort, damaged, readTrouble } from './journal-errors.ts'

/** A decision with the event that led to it. */
export type StoredExplanation = { seq: number; event: Event; decision: Explanation }

/** One time that an order was sent: by which command, what was decided by then, and what the venue said. */
export type SentRequest = {
  seq: number
  event: Event
  command: Submit
  decided: StoredExplanation | null
  answer: Answered | null
}

/** Reads a journal, also while its bot runs. Nothing is told that is not what was written. */
export class History implements Disposable {
  readonly #folder: string
  readonly #path: string
  readonly #db: DatabaseSync

  constructor(folder: string) {
    this.#folder = folder
    this.#path = journalPath(folder)
    try {
      statSync(this.#path)
    } catch (error) {
      const code = systemCode(error) ?? 'unknown'
      throw new BotError('FILE_UNREADABLE', {
        seen: `${this.#path} (${code})`,
        cause: error,
        fix: 'Name the state folder of the bot with --state-dir, or start a bot with: rungs run FILE',
      })
    }
    // Read first, because a running bot goes on meanwhile.
    const end = notedEnd(folder)
    this.#db = this.#reading(() => new DatabaseSync(this.#path, { readOnly: true, timeout: 5000 }))
    try {
      const seq = this.#reading(() =>
        Number(this.#db.prepare('SELECT max(seq) AS seq FROM events').get()?.['seq']),
      )
      if (seq < end) throw cutShort(seq, end)
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }

  /** The engine as it was after the last record. */
  machine<M extends JournaledEngine>(engine: string, begin: (state: State | null) => M): M {
    return this.#reading(() => {
      const end = notedEnd(this.#folder)
      // All tables as they are at one moment: a running bot goes on meanwhile.
      this.#db.exec('BEGIN')
      try {
        const account = String(this.#db.prepare('SELECT account FROM meta').get()?.['account'])
        return rebuild(this.#db, end, { account, engine, begin }).machine
      } finally {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      }
    })
  }

  /** What was last decided about a ladder. */
  decided(strategy: string, ladder: string): StoredExplanation | null {
    return this.#reading(() => this.#decidedBy(strategy, ladder, Number.MAX_SAFE_INTEGER))
  }

  /** Every ladder that anything was decided about, as STRATEGY.LADDER. */
  ladders(): string[] {
    return this.#reading(() =>
      this.#db
        .prepare('SELECT DISTINCT strategy, ladder FROM decisions')
        .all()
        .map(({ strategy, ladder }) => `${text(strategy)}.${text(ladder)}`),
    )
  }

  /** Every time that an order was sent, the first one first. */
  sendings(orderId: string): SentRequest[] {
    return this.#reading(() => {
      const rows = this.#db
        .prepare('SELECT seq, n FROM sendings WHERE order_id = ? ORDER BY seq')
        .all(orderId)
      return rows.map((row) => {
        const seq = Number(row['seq'])
        const { event, commands } = this.#record(seq)
        const command: Submit = JSON.parse(commands[Number(row['n'])] ?? '')
        const order = command.orders.find(({ id }) => id === orderId)
        const decided =
          order === undefined ? null : this.#decidedBy(order.strategy, order.ladder, this.#explained(seq))
        return { seq, event: JSON.parse(event), command, decided, answer: this.#answer(command.chunk, seq) }
      })
    })
  }

  #decidedBy(strategy: string, ladder: string, seq: number): StoredExplanation | null {
    const row = this.#db
      .prepare(
        'SELECT seq, n FROM decisions WHERE strategy = ? AND ladder = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
      )
      .get(strategy, ladder, seq)
    if (row === undefined) return null
    const record = this.#record(Number(row['seq']))
    const decisions = wholeExplanations(record.decisions.map((text): Explanation => JSON.parse(text)))
    const decision = decisions[Number(row['n'])]
    return decision ? { seq: Number(row['seq']), event: JSON.parse(record.event), decision } : null
  }

  /** The record that tells the reasons of this one: itself, or the one that was made when its commands had left. */
  #explained(seq: number): number {
    const next = this.#db.prepare('SELECT kind FROM events WHERE seq = ?').get(seq + 1)
    return next?.['kind'] === 'carried' ? seq + 1 : seq
  }

  #answer(chunk: number, after: number): Answered | null {
    const row = this.#db
      .prepare(
        `SELECT seq FROM (SELECT seq, body FROM events WHERE kind = 'answered' AND seq > ? ORDER BY seq LIMIT ?)
         WHERE body ->> 'chunk' = ? LIMIT 1`,
      )
      .get(after, answersMost, chunk)
    return row === undefined ? null : JSON.parse(this.#record(Number(row['seq'])).event)
  }

  #record(seq: number): Bodies {
    const row = this.#db.prepare('SELECT body, chain FROM events WHERE seq = ?').get(seq)
    const record = {
      event: String(row?.['body']),
      commands: this.#bodies('commands', seq),
      decisions: this.#bodies('decisions', seq),
    }
    if (link(this.#chainBefore(seq), record) !== row?.['chain']) {
      throw damaged(`record ${seq} of ${this.#path} was changed after it was written`)
    }
    return record
  }

  #chainBefore(seq: number): string {
    if (seq === 1) return beginningOf(text(this.#db.prepare('SELECT account FROM meta').get()?.['account']))
    return text(this.#db.prepare('SELECT chain FROM events WHERE seq = ?').get(seq - 1)?.['chain'])
  }

  #bodies(table: 'commands' | 'decisions', seq: number): string[] {
    const rows = this.#db.prepare(`SELECT body FROM ${table} WHERE seq = ? ORDER BY n`).all(seq)
    return rows.map(({ body }) => text(body))
  }

  #reading<Result>(read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      throw readTrouble(this.#path, error)
    }
  }
}

function text(value: SQLOutputValue | undefined): string {
  return String(value)
}
