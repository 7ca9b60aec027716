import type { z } from 'zod'
import { streamErrors, type Closing } from '#src/venues/whitebit/contract/streams/streams.ts'
import type { ExchangeAccount } from '../state.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

/** One connection, as far as channels know it. */
export type Reader = { account: ExchangeAccount | undefined }

/** Sends one text to many, after everything that was posted before. */
export type SendFrame = (readers: Iterable<Reader>, text: string) => void

/** A channel answers the methods that belong to it, and posts what its readers asked for. */
export type Channel = Partial<NonNullable<Trading['tell']>> & {
  methods: Readonly<Record<string, Method>>
  /** The connection is closed. */
  leave(reader: Reader): void
  /** Every 100 milliseconds, counted. */
  tick?(count: number, now: number): void
  /** A turn of work is over: what it changed can be told. */
  flush?(now: number): void
}

export type Method = (call: StreamCall, params: unknown) => ChannelAnswer
export type StreamCall = { reader: Reader; now: number }
/** The result as JSON, and the frames that follow it before anything else of their channel; or why not. */
export type ChannelAnswer =
  | { json: string; first?: readonly string[] }
  | { error: StreamError }
  | { closing: Closing }
type StreamError = { code: number; message: string }

export const invalid: ChannelAnswer = { error: streamErrors.invalid }
export const success = '{"status":"success"}'

export function method<Params extends z.ZodType>(
  schema: Params,
  answer: (call: StreamCall, params: z.output<Params>) => ChannelAnswer,
): Method {
  return (call, params) => {
    const read = schema.safeParse(params)
    return read.success ? answer(call, read.data) : invalid
  }
}

/** For those who have said who they are. */
export function privateMethod<Params extends z.ZodType>(
  schema: Params,
  answer: (call: StreamCall & { account: ExchangeAccount }, params: z.output<Params>) => ChannelAnswer,
): Method {
  const known = method(schema, (call, params) => {
    const { account } = call.reader
    return account === undefined ? unauthorized : answer({ ...call, account }, params)
  })
  return (call, params) => (call.reader.account === undefined ? unauthorized : known(call, params))
}

const unauthorized: ChannelAnswer = { error: streamErrors.unauthorized }

/** The markets of these names, each once, and all when there is no name; or the first name that is none. */
export function marketsOf(venue: VenueContext, names: readonly string[]): Market[] | { error: StreamError } {
  if (names.length === 0) return [...venue.markets.values()]
  const found: Market[] = []
  for (const name of new Set(names)) {
    const market = venue.markets.get(name)
    if (market === undefined) return { error: streamErrors.marketUnknown(name) }
    found.push(market)
  }
  return found
}

/** A frame that nobody asked for. `params` is JSON already. */
export function update(method: string, params: string): string {
  return `{"method":"${method}_update","params":${params},"id":null}`
}

/** Who reads what within one channel. */
export class Audience {
  readonly #readers = new Map<string, Set<Reader>>()
  readonly #topics = new Map<Reader, ReadonlySet<string>>()

  /** These topics and no others, from now on. */
  set(reader: Reader, topics: readonly string[]): void {
    for (const topic of this.#topics.get(reader) ?? []) this.#drop(reader, topic)
    if (topics.length === 0) this.#topics.delete(reader)
    else this.#topics.set(reader, new Set(topics))
    for (const topic of topics) {
      const readers = this.#readers.get(topic)
      if (readers) readers.add(reader)
      else this.#readers.set(topic, new Set([reader]))
    }
  }

  leave(reader: Reader): void {
    this.set(reader, [])
  }

  topicsOf(reader: Reader): readonly string[] {
    return [...(this.#topics.get(reader) ?? [])]
  }

  /** Undefined when nobody reads it. */
  of(topic: string): ReadonlySet<Reader> | undefined {
    return this.#readers.get(topic)
  }

  /** Every topic that somebody reads. */
  topics(): IterableIterator<string> {
    return this.#readers.keys()
  }

  get size(): number {
    return this.#readers.size
  }

  #drop(reader: Reader, topic: string): void {
    const readers = this.#readers.get(topic)
    readers?.delete(reader)
    if (readers?.size === 0) this.#readers.delete(topic)
  }
}

/** Ends a channel, whatever is named. */
export function unsubscribe(audience: Audience): Method {
  return ({ reader }) => {
    audience.leave(reader)
    return { json: success }
  }
}
