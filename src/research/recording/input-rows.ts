import { headers } from '#src/market/data/csv/header-fault.ts'
import { bookHeader, levelsMost } from '#src/market/data/csv/column-layout.ts'
import { market as marketName } from '#src/venues/whitebit/contract/fields.ts'
import { futures } from '#src/venues/whitebit/contract/market-data/futures.ts'
import { orderbook } from '#src/venues/whitebit/contract/market-data/market-data.ts'
import { stemOf } from '#src/venues/whitebit/contract/wire/public-call.ts'
import type { TapeEvent } from './tape.ts'

/** Order books or listed values of futures of a market from a tape, as rows of a file for a backtest. */
export type InputRows = { market: string; kind: 'depth' | 'futures'; header: string; rows: string[] }

type Level = readonly [price: string, amount: string]
type Book = { at: number; asks: readonly Level[]; bids: readonly Level[] }

const bookStem = stemOf(orderbook)

/** What the bot has polled, at the times at which the answers came. */
export function inputRows(events: Iterable<TapeEvent>): InputRows[] {
  const books = new Map<string, Book[]>()
  const listed = new Map<string, string[]>()
  for (const event of events) {
    if (event.kind !== 'call' || !('json' in event.got)) continue
    const at = Math.ceil(event.at + event.tookMs)
    if (event.path.startsWith(bookStem)) {
      const read = orderbook.response.safeParse(event.got.json)
      const market = marketName.safeParse(event.path.slice(bookStem.length))
      // Grouped prices are no levels of the book.
      if (!read.success || !market.success || new URLSearchParams(event.query).has('level')) continue
      const { asks, bids } = read.data
      add(books, market.data, { at, asks: asks.slice(0, levelsMost), bids: bids.slice(0, levelsMost) })
    } else if (event.path === futures.path) {
      const read = futures.response.safeParse(event.got.json)
      for (const row of read.success ? read.data.result : []) {
        const values = [row.mark_price ?? '', row.index_price, row.open_interest, row.funding_rate]
        add(listed, row.ticker_id, [at, ...values.map(priced), row.next_funding_rate_timestamp].join(','))
      }
    }
  }
  return [
    ...[...books].map(([market, own]) => bookRows(market, own)),
    ...[...listed].map(([market, rows]): InputRows => ({
      market,
      kind: 'futures',
      header: headers.futures,
      rows,
    })),
  ]
}

/** A venue writes an empty text, or 0, for a price that it does not have. */
function priced(text: string, place: number): string {
  return place < 2 && Number(text) === 0 ? '' : text
}

function bookRows(market: string, books: readonly Book[]): InputRows {
  const levels = Math.max(...books.map(({ asks, bids }) => Math.max(asks.length, bids.length)))
  const rows = books.map(({ at, asks, bids }) => {
    const cells = Array.from({ length: levels }, (_, level) =>
      [asks, bids].flatMap((side) => side[level] ?? ['', '']),
    )
    return [at, ...cells.flat()].join(',')
  })
  return { market, kind: 'depth', header: bookHeader(levels).join(','), rows }
}

function add<Value>(map: Map<string, Value[]>, market: string, value: Value): void {
  const known = map.get(market)
  if (known) known.push(value)
  else map.set(market, [value])
}
