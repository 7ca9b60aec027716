import { z } from 'zod'
import { jsonIn } from '#src/core/objects/json.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { OpenSocket, StreamSocket } from './socket.ts'
import type { StreamRequest } from './stream-feed.ts'

const reply = z.object({
  id: z.int(),
  result: z.unknown(),
  error: z.object({ code: z.int(), message: z.string() }).nullable(),
})

/** What became of a request: the words of the venue when it said no, ours when it said nothing. */
export type Reply = { kind: 'answer'; result: unknown } | { kind: 'refused'; reason: string }

/** One socket: requests get their answers, updates go on, and its end has a reason in our own words. */
export class StreamConnection {
  /** Settles with the reason when nothing more will come; `over` is aborted at the same moment. */
  readonly ended: Promise<string>
  readonly over: AbortSignal
  readonly #socket: StreamSocket
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #asked = new Map<number, { at: number; settle: (reply: Reply) => void }>()
  #ids = 0
  /** When the last frame came, or before the first one, when the connection began. */
  #heardAt: number
  #open = false
  #reason: string | undefined

  constructor(
    url: string,
    openSocket: OpenSocket,
    clock: Pick<Clock, 'monotonic'>,
    on: {
      open: () => void
      update: (method: string, params: unknown) => void
    },
  ) {
    this.#clock = clock
    this.#heardAt = clock.monotonic()
    const over = new AbortController()
    this.over = over.signal
    const { promise, resolve } = Promise.withResolvers<string>()
    this.ended = promise
    this.#socket = openSocket(url, {
      open: () => {
        this.#open = true
        on.open()
      },
      frame: (text) => {
        this.#heardAt = clock.monotonic()
        if (this.#reason === undefined) this.#hear(text, on.update)
      },
      over: (reason) => {
        this.#reason ??= reason
        for (const { settle } of this.#asked.values()) settle({ kind: 'refused', reason: this.#reason })
        this.#asked.clear()
        over.abort()
        resolve(this.#reason)
      },
    })
  }

  ask({ method, params }: StreamRequest): Promise<Reply> {
    return new Promise((settle) => {
      if (!this.#open || this.#reason !== undefined) {
        settle({ kind: 'refused', reason: this.#reason ?? 'Not connected' })
        return
      }
      const id = ++this.#ids
      this.#asked.set(id, { at: this.#clock.monotonic(), settle })
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }

  /** How long the oldest question has been waiting for its answer. */
  waitingMs(): number {
    for (const { at } of this.#asked.values()) return this.#clock.monotonic() - at
    return 0
  }

  /** How long ago the last frame came. */
  silentMs(): number {
    return this.#clock.monotonic() - this.#heardAt
  }

  /** Nothing of it is heard from here on. */
  end(reason: string): void {
    this.#reason ??= reason
    this.#socket.end()
  }

  #hear(text: string, onUpdate: (method: string, params: unknown) => void): void {
    const value = jsonIn(text)
    if (isUpdate(value)) {
      onUpdate(value.method, value.params)
      return
    }
    const answered = reply.safeParse(value)
    const asked = this.#asked.get(answered.data?.id ?? 0)
    if (!answered.success || asked === undefined) {
      this.end('A frame is neither an answer nor an update')
      return
    }
    const { id, result, error } = answered.data
    this.#asked.delete(id)
    asked.settle(
      error === null
        ? { kind: 'answer', result }
        : { kind: 'refused', reason: `${error.message} (${error.code})` },
    )
  }
}

/** All that comes but answers, so that it is not the schemas' to look at. */
function isUpdate(value: unknown): value is { method: string; params?: unknown } {
  return typeof value === 'object' && value !== null && 'method' in value && typeof value.method === 'string'
}
