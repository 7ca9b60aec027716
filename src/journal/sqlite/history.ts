import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Command } from '#src/engine/commands.ts'
import type { Answered } from '#src/engine/events.ts'
import { wholeExplanations, type Explanation } from '#src/engine/explain/explanation.ts'
import type { State } from '#src/engine/state/state.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import { linkOf } from '#src/core/log/hash-chain.ts'
import { cutShort, damaged } from '#src/journal/journal-errors.ts'
import type { History, JournaledEngine, SentRequest, StoredExplanation } from '#src/journal/port.ts'
import { beginningOf, contentOf, journalChain } from '#src/journal/record.ts'
import type { StoredRecord } from '#src/journal/rebuild.ts'
import { notedEnd } from './end-note.ts'
import { readError } from './read-error.ts'
import { answersMost, journalPath } from './schema.ts'
import { rebuildFrom, StoredRecords } from './stored-records.ts'

export class SqliteHistory implements History {
  readonly #folder: string
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #stored: StoredRecords

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
    // Read first: a running bot continues the journal meanwhile.
    const end = notedEnd(folder)
    this.#db = this.#reading(() => new DatabaseSync(this.#path, { readOnly: true, timeout: 5000 }))
    try {
      const seq = this.#reading(() => Number(this.#value('SELECT max(seq) AS value FROM events')))
      if (seq < end) throw cutShort(seq, end)
      this.#stored = this.#reading(() => new StoredRecords(this.#db))
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }

  machine<M extends JournaledEngine>(engine: string, begin: (state: State | null) => M): M {
    return this.#reading(() => {
      const end = notedEnd(this.#folder)
      // One transaction reads all tables as of one moment: a running bot continues them meanwhile.
      this.#db.exec('BEGIN')
      try {
        return rebuildFrom(this.#db, end, { account: this.#account(), engine, begin }).machine
      } finally {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      }
    })
  }

  decided(strategy: string, ladder: string): StoredExplanation | null {
    return this.#reading(() => this.#decidedBy(strategy, ladder, Number.MAX_SAFE_INTEGER))
  }

  ladders(): string[] {
    return this.#reading(() =>
      this.#db
        .prepare('SELECT DISTINCT strategy, ladder FROM decisions')
        .all()
        .map(({ strategy, ladder }) => `${String(strategy)}.${String(ladder)}`),
    )
  }

  sendings(orderId: string): SentRequest[] {
    return this.#reading(() =>
      this.#db
        .prepare('SELECT seq FROM sendings WHERE order_id = ? ORDER BY seq')
        .all(orderId)
        .flatMap(({ seq }) => this.#sendingsIn(Number(seq), orderId)),
    )
  }

  /** The commands of a record that sent an order. The index may be damaged, so the record says which they are. */
  #sendingsIn(seq: number, orderId: string): SentRequest[] {
    const { event, commands } = this.#record(seq)
    return commands.flatMap((text) => {
      const command: Command = JSON.parse(text)
      const order = command.kind === 'submit' && command.orders.find(({ id }) => id === orderId)
      if (!order) return []
      const decided = this.#decidedBy(order.strategy, order.ladder, this.#explained(seq))
      return [{ seq, event: JSON.parse(event), command, decided, answer: this.#answer(command.chunk, seq) }]
    })
  }

  #decidedBy(strategy: string, ladder: string, until: number): StoredExplanation | null {
    const row = this.#db
      .prepare(
        'SELECT seq, n FROM decisions WHERE strategy = ? AND ladder = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
      )
      .get(strategy, ladder, until)
    if (row === undefined) return null
    const seq = Number(row['seq'])
    const record = this.#record(seq)
    const decisions = wholeExplanations(record.decisions.map((text): Explanation => JSON.parse(text)))
    const decision = decisions[Number(row['n'])]
    return decision ? { seq, event: JSON.parse(record.event), decision } : null
  }

  /** The record with the reasons of this one: itself, or the next one, which was made after its commands had left. */
  #explained(seq: number): number {
    return this.#value('SELECT kind AS value FROM events WHERE seq = ?', seq + 1) === 'carried'
      ? seq + 1
      : seq
  }

  #answer(chunk: number, after: number): Answered | null {
    const seq = this.#value(
      `SELECT seq AS value FROM (SELECT seq, body FROM events WHERE kind = 'answered' AND seq > ? ORDER BY seq LIMIT ?)
       WHERE body ->> 'chunk' = ? LIMIT 1`,
      after,
      answersMost,
      chunk,
    )
    return seq === undefined ? null : JSON.parse(this.#record(Number(seq)).event)
  }

  #record(seq: number): StoredRecord {
    const record = this.#stored.record(seq)
    const before =
      seq === 1
        ? beginningOf(this.#account())
        : String(this.#value('SELECT chain AS value FROM events WHERE seq = ?', seq - 1))
    if (linkOf(journalChain, before, contentOf(record)) === record.chain) return record
    throw damaged(`record ${seq} of ${this.#path} was changed after it was written`)
  }

  #account(): string {
    return String(this.#value('SELECT account AS value FROM meta'))
  }

  #value(sql: string, ...parameters: (string | number)[]) {
    return this.#db.prepare(sql).get(...parameters)?.['value']
  }

  #reading<Result>(read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      throw readError(this.#path, error)
    }
  }
}
