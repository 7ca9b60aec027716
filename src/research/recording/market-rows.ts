import { z } from 'zod'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { kline } from '#src/venues/whitebit/contract/market-data/candles.ts'
import { market as marketName } from '#src/venues/whitebit/contract/fields.ts'
import { trades } from '#src/venues/whitebit/contract/market-data/market-data.ts'
import { stemOf } from '#src/venues/whitebit/contract/wire/public-call.ts'
import { streamUpdates } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import type { TapeEvent } from './tape.ts'

/** Prices of a market from a tape, as rows of a market file. */
export type MarketRows = {
  market: string
  /** Undefined for trades. */
  interval: CandleInterval | undefined
  header: string
  rows: string[]
}

type Trade = { id: number; at: number; rest: string }
type Bar = { seconds: number; text: string }
type Call = Extract<TapeEvent, { kind: 'call' }>

const tradesHeader = 'timestamp,price,amount,side'
const barsHeader = 'timestamp,open,high,low,close,volume'
const update = z.object({ method: z.literal('trades_update'), params: streamUpdates.trades })
const tradesStem = stemOf(trades)

/** Trades of a market if the tape has any; otherwise its candles of the shortest interval. */
export function marketRows(events: Iterable<TapeEvent>): MarketRows[] {
  const prices = new RecordedPrices()
  for (const event of events) {
    if (event.kind === 'stream-frame') prices.addFrame(event.json)
    else if (event.kind === 'call' && 'json' in event.got) prices.addAnswer(event, event.got.json)
  }
  return prices.rows()
}

/** By market: trades by id, candles by interval and time. */
class RecordedPrices {
  readonly #trades = new Map<string, Map<number, Trade>>()
  readonly #bars = new Map<string, Map<CandleInterval, Map<number, Bar>>>()

  addFrame(frame: unknown): void {
    const read = update.safeParse(frame)
    if (!read.success) return
    const [market, newestFirst] = read.data.params
    for (const { id, time, price, amount, type } of newestFirst) {
      this.#tradesOf(market).set(id, { id, at: Math.floor(time * 1000), rest: `${price},${amount},${type}` })
    }
  }

  addAnswer({ path, query }: Call, answer: unknown): void {
    if (path.startsWith(tradesStem)) this.#readTrades(path.slice(tradesStem.length), answer)
    else if (path === kline.path) this.#readBars(new URLSearchParams(query), answer)
  }

  rows(): MarketRows[] {
    const names = [...new Set([...this.#trades.keys(), ...this.#bars.keys()])].sort()
    return names.flatMap((market) => this.#rowsOfTrades(market) ?? this.#rowsOfBars(market) ?? [])
  }

  #readTrades(market: string, answer: unknown): void {
    const read = trades.response.safeParse(answer)
    // The name of the market becomes a file name.
    if (!read.success || !marketName.safeParse(market).success) return
    const known = this.#tradesOf(market)
    for (const trade of read.data) {
      const { tradeID: id, price, quote_volume: amount, trade_timestamp: seconds, type } = trade
      // Times of the stream are more precise.
      if (!known.has(id)) known.set(id, { id, at: seconds * 1000, rest: `${price},${amount},${type}` })
    }
  }

  #readBars(query: URLSearchParams, answer: unknown): void {
    const asked = kline.request.safeParse({
      market: query.get('market'),
      interval: query.get('interval') ?? undefined,
    })
    const read = kline.response.safeParse(answer)
    if (!asked.success || !read.success) return
    const { market, interval = '1h' } = asked.data
    const ofMarket = getOrCreate(this.#bars, market, () => new Map<CandleInterval, Map<number, Bar>>())
    const bars = getOrCreate(ofMarket, interval, () => new Map<number, Bar>())
    for (const [seconds, open, close, high, low, volume] of read.data.result) {
      bars.set(seconds, { seconds, text: [seconds * 1000, open, high, low, close, volume].join(',') })
    }
  }

  #tradesOf(market: string): Map<number, Trade> {
    return getOrCreate(this.#trades, market, () => new Map<number, Trade>())
  }

  #rowsOfTrades(market: string): MarketRows | undefined {
    const trades = [...(this.#trades.get(market)?.values() ?? [])].sort((a, b) => a.id - b.id)
    if (trades.length === 0) return undefined
    let at = 0
    const rows = trades.map((trade) => {
      // Times of the public API are whole seconds: keep the order by id.
      at = Math.max(at, trade.at)
      return `${at},${trade.rest}`
    })
    return { market, interval: undefined, header: tradesHeader, rows }
  }

  #rowsOfBars(market: string): MarketRows | undefined {
    const found = [...(this.#bars.get(market) ?? [])].sort(
      ([one], [other]) => candleIntervals[one] - candleIntervals[other],
    )
    const [shortest] = found
    if (shortest === undefined) return undefined
    const [interval, bars] = shortest
    // The newest candle may have been open when it was read.
    const rows = [...bars.values()].sort((a, b) => a.seconds - b.seconds).slice(0, -1)
    return rows.length === 0
      ? undefined
      : { market, interval, header: barsHeader, rows: rows.map(({ text }) => text) }
  }
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
