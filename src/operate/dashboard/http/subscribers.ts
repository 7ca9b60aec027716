import type { ServerResponse } from 'node:http'
import type { Clock } from '#src/core/time/clock.ts'
import { changesOf, wholeOf, type Changes } from '#src/operate/dashboard/table-changes.ts'
import { noTables, type Tables } from '#src/operate/dashboard/tables/tables.ts'

/** One person has a few pages open; more than that is a mistake somewhere. */
const readersMax = 16
/** Somebody who leaves so much unread is not there any more; all that can be seen at once is less than half of it. */
const unreadBytesMax = 4 * 1024 * 1024
const pauseMs = 100

/** More lines than that in one look are more than anybody reads. */
const pendingMax = 500

type Parts = {
  clock: Clock
  look: () => Tables
  /** What is told first, beside the tables: JSON texts, the oldest first. */
  before: () => Told
  /** A look that fails is ours to mend, and no reason to stop a bot. */
  onBroken: (error: unknown) => void
}
type Told = Record<'log' | 'curve', readonly string[]>

/**
 * Those who watch. All of them are told the same, ten times a second at most, and only what has changed; who comes later
 * is told first what the others know. Without a reader nobody looks.
 */
export class Subscribers {
  readonly #parts: Parts
  readonly #readers = new Set<ServerResponse>()
  /** What they know. */
  #known: Tables = noTables
  /** What has happened since they were told, as JSON texts. */
  #pending: Record<keyof Told, string[]> = { log: [], curve: [] }
  #isWatching = false
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get isFull(): boolean {
    return this.#readers.size >= readersMax
  }

  get isWatched(): boolean {
    return this.#readers.size > 0
  }

  /** To be asked only while there is room. */
  join(reader: ServerResponse): void {
    if (this.isWatched) this.#tellAll()
    else {
      // What the last one was not told any more is a part of what this one is told first.
      this.#pending = { log: [], curve: [] }
      this.#known = this.#parts.look()
    }
    this.#readers.add(reader)
    reader.once('close', () => this.#readers.delete(reader))
    this.#write(reader, bytesOf(wholeOf(this.#known), this.#known, this.#parts.before()))
    if (!this.#isWatching) void this.#watch()
  }

  /** At the next look. */
  tell(event: keyof Told, texts: readonly string[]): void {
    if (!this.isWatched) return
    const pending = this.#pending[event]
    pending.push(...texts)
    pending.splice(0, Math.max(0, pending.length - pendingMax))
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
        if (this.isWatched) this.#tellAll()
      } catch (error) {
        this.#endAll()
        this.#parts.onBroken(error)
      }
    }
    this.#isWatching = false
    this.#known = noTables
    this.#pending = { log: [], curve: [] }
  }

  #tellAll(): void {
    const seen = this.#parts.look()
    const bytes = bytesOf(changesOf(this.#known, seen), seen, this.#pending)
    this.#known = seen
    this.#pending = { log: [], curve: [] }
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

/** JSON holds no line break, so that each message is one line of data. */
function bytesOf(changes: Changes, { markets }: Tables, told: Told): Uint8Array {
  const prices = Object.keys(changes.set.markets ?? {}).flatMap((symbol) => {
    const { at, last } = markets[symbol] ?? { at: 0, last: null }
    return last === null ? [] : [[symbol, [at, last]] as const]
  })
  const messages = [['tables', JSON.stringify(changes)]]
  if (prices.length > 0) messages.push(['price', JSON.stringify(Object.fromEntries(prices))])
  for (const event of ['log', 'curve'] as const)
    if (told[event].length > 0) messages.push([event, `[${told[event].join(',')}]`])
  return Buffer.from(messages.map(([event, data]) => `event: ${event}\ndata: ${data}\n\n`).join(''))
}
