import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { candlesMax } from '#src/venues/whitebit/contract/market-data/candles.ts'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'

/** What to download: the rows of a market from `from` on, and before `until`, in Unix milliseconds. */
export type HistorySpan = { market: string; interval: CandleInterval; from: number; until: number }
/** Rows of a file, oldest first. All rows before `until` have been downloaded. */
type Page = { rows: string[]; until: number }
type History = {
  header: string
  /** The minimum time between two rows. */
  stepMs: (interval: CandleInterval) => number
  read: (client: Client, wanted: HistorySpan) => Promise<Page | { failed: AnyOutcome }>
}

const dayMs = 86_400_000
/** An answer has at most 100 funding rates. Some markets have a rate each hour. */
const fundingPageMs = 4 * dayMs
const fundingMax = 100

/** The histories that public calls return. They return only the last 100 trades, so trades are not among them. */
export const histories = {
  bars: {
    header: 'timestamp,open,high,low,close,volume',
    stepMs: (interval) => candleIntervals[interval],
    async read(client, { market, interval, from, until }) {
      const ms = candleIntervals[interval]
      // The venue also counts the bar that contains `from`.
      const end = Math.min(until, from + (candlesMax - 1) * ms)
      const range = { start: Math.floor(from / 1000), end: Math.ceil(end / 1000) - 1 }
      const answer = await client.kline({ market, interval, ...range, limit: candlesMax })
      if (answer.kind !== 'answer') return { failed: answer }
      const rows = answer.value.result
        .filter(([at]) => at * 1000 >= from && at * 1000 < end && at * 1000 + ms <= until)
        .sort(([a], [b]) => a - b)
        .map(([seconds, open, close, high, low, volume]) =>
          [seconds, open, high, low, close, volume].join(','),
        )
      return { rows, until: end }
    },
  },
  funding: {
    header: 'timestamp,rate,rate_calculated_time',
    stepMs: () => 1000,
    async read(client, { market, from, until }) {
      const end = Math.min(until, from + fundingPageMs)
      const range = { startDate: Math.floor(from / 1000), endDate: Math.ceil(end / 1000) - 1 }
      const answer = await client.fundingRates({ market, ...range, limit: fundingMax })
      if (answer.kind !== 'answer') return { failed: answer }
      const rows = answer.value
        .filter(({ fundingTime }) => Number(fundingTime) * 1000 >= from && Number(fundingTime) * 1000 < end)
        .sort((a, b) => Number(a.fundingTime) - Number(b.fundingTime))
        .map(({ fundingTime, fundingRate, rateCalculatedTime }) =>
          [fundingTime, fundingRate, rateCalculatedTime].join(','),
        )
      return { rows, until: end }
    },
  },
} satisfies Record<string, History>

export type HistoryKind = keyof typeof histories
