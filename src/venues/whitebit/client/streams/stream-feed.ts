import type { z } from 'zod'
import { streamUpdates } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import type { depthIntervals, depthLimits } from '#src/venues/whitebit/contract/streams/streams.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { LocalBook } from './local-book.ts'
import { valueReader } from '#src/venues/whitebit/contract/codec/value-reader.ts'

/** What a stream can be asked for. Lists of markets or tickers that are left empty mean all of them. */
export type ChannelWanted =
  | {
      channel: 'depth'
      market: string
      limit?: (typeof depthLimits)[number]
      interval?: (typeof depthIntervals)[number]
    }
  | {
      channel: 'trades' | 'bookTicker' | 'lastprice' | 'market' | 'marketToday'
      markets?: readonly string[]
    }
  | { channel: 'ordersPending' | 'ordersExecuted' | 'deals'; markets?: readonly string[] }
  /** A connection has one of these. */
  | { channel: 'candles'; market: string; seconds: number }
  | { channel: 'balanceSpot' | 'balanceMargin'; tickers?: readonly string[] }
  | { channel: 'positionsMargin' }

type Name = keyof typeof streamUpdates
type OtherName = Exclude<Name, 'depth' | 'trades'>
type Told<Channel extends Name> = z.output<(typeof streamUpdates)[Channel]>
type Trade = Told<'trades'>[1][number]

export type FeedEvent =
  /** The book of the market has changed. It is the one book of this market, and changes with the next event. */
  | { kind: 'book'; market: string; book: LocalBook }
  /** Oldest first, and none twice. */
  | { kind: 'trades'; market: string; trades: readonly Trade[] }
  | { [Channel in OtherName]: { kind: Channel; told: Told<Channel> } }[OtherName]
  /** Something was missed, or cannot be true: what it says is to be read before it is used again. */
  | { kind: 'gap'; channel: Name; market?: string; reason: string }

export type StreamRequest = { method: string; params: readonly unknown[] }

const privateChannels = new Set<Name>([
  'ordersPending',
  'ordersExecuted',
  'deals',
  'balanceSpot',
  'balanceMargin',
  'positionsMargin',
])
const limitUsual = 100
/** So many trades a subscription begins with, as far as there are so many. */
const tradesReplayed = 100

/**
 * What the frames of a stream mean, without a socket: updates in, events out. It remembers across connections what is
 * needed to tell whether something is missing.
 */
export class Feed {
  readonly #wanted: readonly ChannelWanted[]
  readonly #channels: ReadonlySet<Name>
  readonly #emit: (event: FeedEvent) => void
  readonly #again: (request: StreamRequest, market: string) => void
  readonly #books = new Map<string, { book: LocalBook; request: StreamRequest }>()
  /** Per market: the newest trade that was told, and whether a subscription has just begun. */
  readonly #trades = new Map<string, { last: number; begins: boolean }>()

  /** `again` is asked for one more subscription when a book cannot be believed any more. */
  constructor(
    wanted: readonly ChannelWanted[],
    emit: (event: FeedEvent) => void,
    again: (request: StreamRequest, market: string) => void,
  ) {
    this.#wanted = wanted
    this.#channels = new Set(wanted.map(({ channel }) => channel))
    this.#emit = emit
    this.#again = again
    for (const one of wanted) {
      if (one.channel !== 'depth') continue
      const { market, limit = limitUsual, interval = '0' } = one
      // With true it adds a market; without, it would replace the others.
      const request = { method: 'depth_subscribe', params: [market, limit, interval, true] }
      this.#books.set(market, { book: new LocalBook(limit), request })
    }
  }

  get isPrivate(): boolean {
    return this.#wanted.some(({ channel }) => privateChannels.has(channel))
  }

  /** Undefined while it is not known. */
  book(market: string): LocalBook | undefined {
    const book = this.#books.get(market)?.book
    return book?.updateId === undefined ? undefined : book
  }

  /** A connection begins: what it has to be asked for. What was known of books is not. */
  begin(): StreamRequest[] {
    for (const { book } of this.#books.values()) book.forget()
    for (const market of this.#trades.values()) market.begins = true
    return this.#wanted.map((one) => this.#requestOf(one))
  }

  /** Nothing was heard of this book for too long. */
  silent(market: string): void {
    this.#lose(market, 'no frames arrive any more')
  }

  take(method: string, params: unknown): void {
    const channel = channels.get(method)
    if (channel === undefined || !this.#channels.has(channel)) return
    switch (channel) {
      case 'depth':
        this.#takeDepth(params)
        break
      case 'trades':
        this.#takeTrades(params)
        break
      default:
        this.#takeOther(channel, params)
    }
  }

  #requestOf(one: ChannelWanted): StreamRequest {
    const params = one.channel === 'depth' ? this.#books.get(one.market)?.request.params : paramsOf(one)
    return { method: `${one.channel}_subscribe`, params: params ?? [] }
  }

  #takeDepth(params: unknown): void {
    const update = readUpdate('depth', params)
    if (update === undefined) {
      // Whose book it was cannot be known.
      for (const market of this.#books.keys()) this.#lose(market, unfit)
      return
    }
    const [whole, frame, market] = update
    const kept = this.#books.get(market)
    if (kept === undefined) return
    const { book } = kept
    if (!whole && book.updateId === undefined) return
    const wrong = whole ? book.replace(frame) : book.change(frame)
    if (book.updateId === undefined) this.#lose(market, wrong ?? unfit)
    else {
      if (wrong !== undefined) this.#emit({ kind: 'gap', channel: 'depth', market, reason: wrong })
      this.#emit({ kind: 'book', market, book })
    }
  }

  #lose(market: string, reason: string): void {
    const kept = this.#books.get(market)
    if (kept === undefined) return
    kept.book.forget()
    this.#emit({ kind: 'gap', channel: 'depth', market, reason })
    this.#again(kept.request, market)
  }

  #takeTrades(params: unknown): void {
    const update = readUpdate('trades', params)
    if (update === undefined) {
      this.#emit({ kind: 'gap', channel: 'trades', reason: unfit })
      return
    }
    const [market, newestFirst] = update
    const known = this.#trades.get(market)
    const { last, begins } = known ?? { last: -Infinity, begins: false }
    const trades = newestFirst.filter(({ id }) => id > last).sort((a, b) => a.id - b.id)
    this.#trades.set(market, { last: trades.at(-1)?.id ?? last, begins: false })
    if (begins && trades.length >= tradesReplayed) {
      this.#emit({
        kind: 'gap',
        channel: 'trades',
        market,
        reason: 'more trades were missed than the venue repeats',
      })
    }
    if (trades.length > 0) this.#emit({ kind: 'trades', market, trades })
  }

  #takeOther(channel: OtherName, params: unknown): void {
    const told = readUpdate(channel, params)
    if (told === undefined) this.#emit({ kind: 'gap', channel, reason: unfit })
    // The update is that of the channel; the compiler cannot see that for all of them at once.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    else this.#emit({ kind: channel, told } as FeedEvent)
  }
}

function paramsOf(one: Exclude<ChannelWanted, { channel: 'depth' }>): StreamRequest['params'] {
  switch (one.channel) {
    case 'ordersExecuted':
      return [one.markets ?? [], 0]
    case 'deals':
      return [one.markets ?? []]
    case 'candles':
      return [one.market, one.seconds]
    case 'balanceSpot':
    case 'balanceMargin':
      return one.tickers ?? []
    case 'positionsMargin':
      return []
    default:
      return one.markets ?? []
  }
}

/** By the method of their updates. */
const channels = new Map<string, Name>(keysOf(streamUpdates).map((name) => [`${name}_update`, name]))

const readers = new Map(Object.entries(streamUpdates).map(([name, schema]) => [name, valueReader(schema)]))

function readUpdate<Channel extends Name>(channel: Channel, params: unknown): Told<Channel> | undefined {
  const read = readers.get(channel)?.(params)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reader is made from the schema of the channel
  return read && 'value' in read ? (read.value as Told<Channel>) : undefined
}

const unfit = 'a frame does not fit its channel'
