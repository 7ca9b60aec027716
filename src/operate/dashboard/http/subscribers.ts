import type { ServerResponse } from 'node:http'
import type { Clock } from '#src/core/time/clock.ts'
import { changesOf, wholeOf, type Changes } from '#src/operate/dashboard/table-changes.ts'
import { noTables, type Tables } from '#src/operate/dashboard/tables/tables.ts'

const subscribersMax = 16
/** A page with this much unread data is gone. A full update is less than half of it. */
const unreadBytesMax = 4 * 1024 * 1024
const pauseMs = 100
/** Log lines in one update. */
const pendingMax = 500

type Parts = {
  clock: Clock
  readTables: () => Tables
  /** Lines of the log as JSON, sent first, the oldest first. */
  backlog: () => readonly string[]
  /** A failed read is a defect of the dashboard and must not stop the bot. */
  onBroken: (error: unknown) => void
}

/**
 * Sends updates to the open pages: the same changes to all, at most ten times a second. A new page first gets everything.
 * Without a page the state is not read.
 */
export class Subscribers {
  readonly #parts: Parts
  readonly #readers = new Set<ServerResponse>()
  /** The tables that were sent last. */
  #sent: Tables = noTables
  /** Log lines that were not sent yet. */
  #pending: string[] = []
  #isWatching = false
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get isFull(): boolean {
    return this.#readers.size >= subscribersMax
  }

  get isWatched(): boolean {
    return this.#readers.size > 0
  }

  /** Must not be called while full. */
  join(reader: ServerResponse): void {
    if (this.isWatched) this.#sendAll()
    else {
      // The backlog contains what is pending since the last page closed.
      this.#pending = []
      this.#sent = this.#parts.readTables()
    }
    this.#readers.add(reader)
    reader.once('close', () => this.#readers.delete(reader))
    this.#write(reader, bytesOf(wholeOf(this.#sent), this.#sent, this.#parts.backlog()))
    if (!this.#isWatching) void this.#watch()
  }

  /** Sends these log lines with the next update. */
  add(lines: readonly string[]): void {
    if (!this.isWatched) return
    this.#pending.push(...lines)
    this.#pending.splice(0, Math.max(0, this.#pending.length - pendingMax))
  }

  close(): void {
    this.#closed = true
    this.#endAll()
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    while (this.isWatched && !this.#closed) {
      await this.#parts.clock.sleep(pauseMs)
      try {
        if (this.isWatched) this.#sendAll()
      } catch (error) {
        this.#endAll()
        this.#parts.onBroken(error)
      }
    }
    this.#isWatching = false
    this.#sent = noTables
    this.#pending = []
  }

  #sendAll(): void {
    const tables = this.#parts.readTables()
    const bytes = bytesOf(changesOf(this.#sent, tables), tables, this.#pending)
    this.#sent = tables
    this.#pending = []
    for (const reader of this.#readers) this.#write(reader, bytes)
  }

  #endAll(): void {
    for (const reader of this.#readers) reader.destroy()
    this.#readers.clear()
  }

  #write(reader: ServerResponse, bytes: Uint8Array): void {
    if (reader.writableLength > unreadBytesMax) reader.destroy()
    else reader.write(bytes)
  }
}

/** JSON contains no line break, so each message is one line of data. */
function bytesOf(changes: Changes, { markets }: Tables, log: readonly string[]): Uint8Array {
  const prices = Object.keys(changes.set.markets ?? {}).flatMap((symbol) => {
    const { at, last } = markets[symbol] ?? { at: 0, last: null }
    return last === null ? [] : [[symbol, [at, last]] as const]
  })
  const messages = [['tables', JSON.stringify(changes)]]
  if (prices.length > 0) messages.push(['price', JSON.stringify(Object.fromEntries(prices))])
  if (log.length > 0) messages.push(['log', `[${log.join(',')}]`])
  return Buffer.from(messages.map(([event, data]) => `event: ${event}\ndata: ${data}\n\n`).join(''))
}
