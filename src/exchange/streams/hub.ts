import { z } from 'zod'
import { jsonIn } from '#src/core/objects/json.ts'
import { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import {
  closings,
  requestLimit,
  streamErrors,
  type Closing,
} from '#src/venues/whitebit/contract/streams/streams.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import { balancesChannels } from './balances-channel.ts'
import { bookTickerChannel } from './book-ticker-channel.ts'
import { candlesChannel } from './candles-channel.ts'
import { invalid, type ChannelAnswer, type Channel, type SendFrame, type Reader } from './channel.ts'
import { dealsChannel } from './deals-channel.ts'
import { depthChannel } from './depth-channel.ts'
import { ordersChannel } from './orders-channel.ts'
import { positionsChannel } from './positions-channel.ts'
import { serviceChannel } from './service-channel.ts'
import { statisticsChannels } from './statistics-channel.ts'
import { tradesChannel } from './trades-channel.ts'

const request = z.object({ id: z.int(), method: z.string(), params: z.array(z.unknown()) })

/**
 * All channels, without a socket: texts and times in, texts out. The hub listens to trading only while it has
 * connections.
 */
export class Hub {
  readonly #venue: VenueContext
  readonly #post: SendFrame
  readonly #channels: readonly Channel[]
  readonly #methods: ReadonlyMap<string, Channel['methods'][string]>
  readonly #readers = new Map<Reader, RollingWindow>()
  readonly #listener: NonNullable<VenueContext['trading']['listener']>
  #ticks = 0

  /** The hub calls `wake` after a change that `flush` must report. */
  constructor(venue: VenueContext, post: SendFrame, wake: () => void) {
    this.#venue = venue
    this.#post = post
    this.#channels = [
      serviceChannel(venue),
      depthChannel(venue, post),
      tradesChannel(venue, post),
      bookTickerChannel(venue, post),
      ...statisticsChannels(venue, post),
      candlesChannel(venue, post),
      ordersChannel(venue, post),
      dealsChannel(venue, post),
      ...balancesChannels(venue, post),
      positionsChannel(venue, post),
    ]
    this.#methods = new Map(this.#channels.flatMap(({ methods }) => Object.entries(methods)))
    const tell = (act: (channel: Channel) => void) => {
      for (const channel of this.#channels) act(channel)
      wake()
    }
    this.#listener = {
      trade: (...about) => tell((channel) => channel.trade?.(...about)),
      passed: (...about) => tell((channel) => channel.passed?.(...about)),
      order: (...about) => tell((channel) => channel.order?.(...about)),
      waits: (...about) => tell((channel) => channel.waits?.(...about)),
      deal: (...about) => tell((channel) => channel.deal?.(...about)),
    }
  }

  enter(): Reader {
    const reader: Reader = { account: undefined }
    this.#readers.set(reader, new RollingWindow(requestLimit))
    this.#venue.trading.listener = this.#listener
    return reader
  }

  leave(reader: Reader): void {
    for (const channel of this.#channels) channel.leave(reader)
    this.#readers.delete(reader)
    if (this.#readers.size === 0) delete this.#venue.trading.listener
  }

  /** Answers a frame, or returns why the connection must close. */
  receive(reader: Reader, text: string, now: number): Closing | undefined {
    const value = jsonIn(text)
    // The closing of the connection is the only answer.
    if (value === undefined) return closings.notJson
    const read = request.safeParse(value)
    const answer = this.#answer(reader, read.data, now)
    if ('closing' in answer) return answer.closing
    const [error, result, first] =
      'error' in answer
        ? [JSON.stringify(answer.error), 'null', []]
        : ['null', answer.json, answer.first ?? []]
    this.#post([reader], `{"error":${error},"result":${result},"id":${read.data?.id ?? null}}`)
    for (const frame of first) this.#post([reader], frame)
    return undefined
  }

  tick(now: number): void {
    this.#ticks += 1
    for (const channel of this.#channels) channel.tick?.(this.#ticks, now)
  }

  flush(now: number): void {
    for (const channel of this.#channels) channel.flush?.(now)
  }

  #answer(reader: Reader, asked: z.output<typeof request> | undefined, now: number): ChannelAnswer {
    const window = this.#readers.get(reader)
    if (window !== undefined && this.#venue.switches.rateLimits === 'on') {
      if (window.wait(now) > 0) return { error: streamErrors.tooMany }
      window.count(now)
    }
    if (asked === undefined) return invalid
    const method = this.#methods.get(asked.method)
    return method === undefined
      ? { error: streamErrors.methodUnknown }
      : method({ reader, now }, asked.params)
  }
}
