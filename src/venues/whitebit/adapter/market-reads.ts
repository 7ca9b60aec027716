import type { FuturesValues } from '#src/engine/futures-event.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { OpenSocket } from '#src/venues/whitebit/client/streams/socket.ts'
import { Stream, type StreamEvent } from '#src/venues/whitebit/client/streams/stream.ts'
import { candlesMax } from '#src/venues/whitebit/contract/market-data/candles.ts'
import { levelsMax } from '#src/venues/whitebit/contract/market-data/market-data.ts'
import { streamPath } from '#src/venues/whitebit/contract/streams/streams.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { MarketReads, StreamedEvent } from '#src/venue/port.ts'
import { unreadText } from '#src/venues/whitebit/client/answers/partial-answer.ts'
import { failedRead, readOf } from './read-of.ts'

/** The address of the streams, by default beside that of the calls. */
export function streamUrlOf({ url, streamUrl }: { url: string; streamUrl?: string | undefined }): string {
  return streamUrl ?? `${url.replace('http', 'ws')}${streamPath}`
}

/** Prices and candles of the venue, by reads and by its stream. */
export function marketReads(about: {
  client: Client
  clock: Clock
  streamUrl: string
  openSocket: OpenSocket | undefined
  random: (() => number) | undefined
}): MarketReads {
  const { client, clock, streamUrl: url, openSocket, random } = about
  return {
    async lastPrices() {
      return readOf(
        await client.ticker(),
        'prices',
        (all) => new Map(Object.entries(all).map(([market, row]) => [market, row.last_price])),
      )
    },
    async quote(market) {
      const answer = await client.marketTicker({ market })
      if (answer.kind !== 'answer') return failedRead(answer)
      const { bid, ask, last } = answer.value.result
      return { kind: 'read', value: { bid: priceOf(bid), ask: priceOf(ask), last: priceOf(last) } }
    },
    async futures() {
      return readOf(
        await client.futures(),
        'futures',
        ({ result }) => new Map(result.map((row) => [row.ticker_id, futuresValues(row)])),
      )
    },
    async orderBook(market) {
      const answer = await client.orderbook({ market, limit: levelsMax })
      if (answer.kind !== 'answer') return failedRead(answer)
      return { kind: 'read', value: { bids: answer.value.bids, asks: answer.value.asks } }
    },
    trades: (market) => tradesOf(client, market),
    async candles({ market, interval, from, until }) {
      const range = { start: Math.max(0, Math.floor(from / 1000)), end: Math.floor(until / 1000) }
      const answer = await client.kline({ market, interval, ...range, limit: candlesMax })
      if (answer.kind !== 'answer') return failedRead(answer)
      const rows = answer.value.result
      const candles = rows.map(([seconds, open, close, high, low, volume]) => ({
        opened: seconds * 1000,
        open: Number(open),
        high: Number(high),
        low: Number(low),
        close: Number(close),
        volume: Number(volume),
      }))
      return { kind: 'read', value: { candles, isFull: rows.length >= candlesMax } }
    },
    stream(markets, emit, silenceMsMax) {
      const channels = ['bookTicker', 'lastprice', 'ordersPending', 'ordersExecuted'] as const
      return new Stream({
        url,
        client,
        clock,
        silenceMsMax,
        ...(openSocket && { openSocket }),
        ...(random && { random }),
        onEvent(event) {
          const streamed = streamedEvent(event, url)
          if (streamed) emit(streamed)
        },
        wanted: channels.map((channel) => ({ channel, markets: [...markets] })),
      })
    },
  }
}

async function tradesOf(client: Client, market: string): ReturnType<MarketReads['trades']> {
  const answer = await client.trades({ market })
  if (answer.kind !== 'answer') return failedRead(answer)
  const [unread] = answer.unread ?? []
  // A sum without the trade would be wrong.
  if (unread) return { kind: 'failed', reason: unreadText('trades', unread) }
  const trades = answer.value.map((trade) => ({
    id: trade.tradeID,
    second: trade.trade_timestamp * 1000,
    price: trade.price,
    amount: trade.quote_volume,
    side: trade.type,
  }))
  return { kind: 'read', value: trades }
}

/** An event of the stream as the port has it; undefined where the bot does not use it. */
export function streamedEvent(event: StreamEvent, url: string): StreamedEvent | undefined {
  switch (event.kind) {
    case 'bookTicker': {
      const [[, at, market, , bid, , ask]] = event.told
      return { kind: 'sides', market, at: at * 1000, bid: priceOf(bid), ask: priceOf(ask) }
    }
    case 'lastprice': {
      const [market, last] = event.told
      return { kind: 'last', market, last: priceOf(last) }
    }
    case 'ordersPending':
    case 'ordersExecuted':
      return { kind: 'orders' }
    case 'connected':
      return { kind: 'connected', url }
    case 'alive':
      return { kind: 'alive' }
    case 'disconnected':
      return {
        kind: 'disconnected',
        url,
        reason: `${event.reason}; the bot connects again in ${Math.ceil(event.retryMs / 1000)} s`,
      }
    case 'gap': {
      const isPrices = event.channel === 'bookTicker' || event.channel === 'lastprice'
      return { kind: 'gap', feed: event.channel, isPrices, reason: event.reason }
    }
    default:
      return undefined
  }
}

type Listed = Extract<Awaited<ReturnType<Client['futures']>>, { kind: 'answer' }>['value']['result'][number]

function futuresValues(row: Listed): FuturesValues {
  const fundingAt = Number(row.next_funding_rate_timestamp)
  return {
    funding: Number(row.funding_rate),
    fundingAt: fundingAt > 0 ? fundingAt : null,
    mark: priceOf(row.mark_price ?? ''),
    index: priceOf(row.index_price),
    openInterest: Number(row.open_interest),
  }
}

/** The venue writes 0 for an empty side of the book. */
function priceOf(text: string): number | null {
  const price = Number(text)
  return price > 0 ? price : null
}
