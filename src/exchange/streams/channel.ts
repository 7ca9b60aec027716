import { z } from 'zod'
import { market as marketName } from '#src/venues/whitebit/contract/fields.ts'
import type { streamUpdates } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import { streamErrors, type Closing } from '#src/venues/whitebit/contract/streams/streams.ts'
import type { ExchangeAccount } from '../state.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

/** One connection, as the channels see it. */
export type Reader = { account: ExchangeAccount | undefined }

/** Sends one text to many readers, after all texts posted before. */
export type SendFrame = (readers: Iterable<Reader>, text: string) => void

/** A channel handles its own methods and posts updates to its subscribers. */
export type Channel = Partial<NonNullable<Trading['listener']>> & {
  methods: Readonly<Record<string, Method>>
  /** Called when the connection is closed. */
  leave(reader: Reader): void
  /** Called every 100 milliseconds, with a count. */
  tick?(count: number, now: number): void
  /** Called after each batch of changes, to post the updates. */
  flush?(now: number): void
}

type Method<Answer = ChannelAnswer> = (call: StreamCall, params: unknown) => Answer
export type StreamCall = { reader: Reader; now: number }
/** The result as JSON and the frames that follow it directly, or the error. */
export type ChannelAnswer = { json: string; first?: readonly string[] } | Refused | { closing: Closing }
type Refused = { error: { code: number; message: string } }
/** The topics that a reader asks for, and the frames that follow the confirmation directly. */
type Subscription = { topics: readonly string[]; first?: readonly string[] }

export const invalid: Refused = { error: streamErrors.invalid }
export const success = '{"status":"success"}'

export function method<Params extends z.ZodType, Answer>(
  schema: Params,
  answer: (call: StreamCall, params: z.output<Params>) => Answer,
): Method<Answer | Refused> {
  return (call, params) => {
    const read = schema.safeParse(params)
    return read.success ? answer(call, read.data) : invalid
  }
}

/** A method that requires an authorized connection. */
export function privateMethod<Params extends z.ZodType, Answer>(
  schema: Params,
  answer: (call: StreamCall & { account: ExchangeAccount }, params: z.output<Params>) => Answer,
): Method<Answer | Refused> {
  const known = method(schema, (call, params) => {
    const { account } = call.reader
    return account === undefined ? unauthorized : answer({ ...call, account }, params)
  })
  return (call, params) => (call.reader.account === undefined ? unauthorized : known(call, params))
}

const unauthorized: Refused = { error: streamErrors.unauthorized }

/** A method whose parameters are names of markets. */
export function marketsMethod<Answer>(
  venue: VenueContext,
  answer: (call: StreamCall, markets: readonly Market[]) => Answer,
): Method<Answer | Refused> {
  return method(z.array(marketName), (call, names) => {
    const markets = marketsOf(venue, names)
    return 'error' in markets ? markets : answer(call, markets)
  })
}

/** The markets with these names, each once, or all if there is no name; or an error for the first unknown name. */
export function marketsOf(venue: VenueContext, names: readonly string[]): Market[] | Refused {
  if (names.length === 0) return [...venue.markets.values()]
  const found: Market[] = []
  for (const name of new Set(names)) {
    const market = venue.markets.get(name)
    if (market === undefined) return { error: streamErrors.marketUnknown(name) }
    found.push(market)
  }
  return found
}

type UpdateName = keyof typeof streamUpdates
/** The parameters of an update. */
export type UpdateOf<Name extends UpdateName> = z.input<(typeof streamUpdates)[Name]>

/** An update frame. */
export function update<Name extends UpdateName>(name: Name, params: UpdateOf<Name>): string {
  return writtenUpdate(name, JSON.stringify(params))
}

/** An update frame. `params` is JSON already. */
export function writtenUpdate(name: UpdateName, params: string): string {
  return `{"method":"${name}_update","params":${params},"id":null}`
}

/** The subscribers of one channel, by topic. */
export class Audience {
  readonly #readers = new Map<string, Set<Reader>>()
  readonly #topics = new Map<Reader, ReadonlySet<string>>()

  /** Replaces the topics of a subscriber. */
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

  topicsOf(reader: Reader): readonly string[] {
    return [...(this.#topics.get(reader) ?? [])]
  }

  /** Undefined if the topic has no subscriber. */
  of(topic: string): ReadonlySet<Reader> | undefined {
    return this.#readers.get(topic)
  }

  /** Every topic with a subscriber. */
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

export type TopicsChannel = ReturnType<typeof topicsChannel>

/** The subscriptions of a channel: new topics of a reader replace those before, and it leaves whatever the parameters. */
export function topicsChannel(name: string, wanted: Method<Subscription | Refused>) {
  const audience = new Audience()
  const methods: Channel['methods'] = {
    [`${name}_subscribe`](call, params) {
      const found = wanted(call, params)
      if ('error' in found) return found
      audience.set(call.reader, found.topics)
      return { json: success, first: found.first ?? [] }
    },
    [`${name}_unsubscribe`]({ reader }) {
      audience.set(reader, [])
      return { json: success }
    },
  }
  return { audience, methods, leave: (reader: Reader) => audience.set(reader, []) }
}
