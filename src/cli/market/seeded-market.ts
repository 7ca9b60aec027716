import { headers } from '#src/market/data/csv/header-fault.ts'
import { usage } from '#src/cli/words/usage.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { futures } from '#src/exchange/handlers/market-data/price-history.ts'
import { emptySide, shownLevels } from '#src/exchange/trading/book/levels.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import { BookPoints } from '#src/market/data/book-points.ts'
import { bookHeader, layoutOfHeader, levelSlot, slot } from '#src/market/data/csv/column-layout.ts'
import {
  blockPoints,
  tradeSides,
  type PointBlock,
  type HistoricalBooks,
  type HistoricalMarket,
  type FileFindings,
} from '#src/market/data/historical-market.ts'
import { addPoints, emptySeen, extremesOf } from '#src/market/data/points.ts'
import type { Rows } from '#src/market/data/rows.ts'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { readWorld } from '#src/cli/files/packaged-world.ts'
import { depthEveryMs, futuresEveryMs } from '#src/strategy/schema/poll-times.ts'

/** All simulated markets start at this time, so that two with the same seed are in step: a Monday at midnight, UTC. */
const begin = 1_767_571_200_000
const hourMs = 3_600_000
/** Levels of a side in simulated order books: they reach about 0.2 % from the best price. */
const bookLevels = 10

type Simulated = { seed: string; ms: number }

/** The trades of a simulated market of the embedded exchange, without other participants. */
export function seededMarket(name: string, { seed, ms }: Simulated): HistoricalMarket {
  const { priceDigits, amountDigits } = rulesOf(name)
  const market: HistoricalMarket = {
    name,
    print: `seeded ${seed}`,
    kind: 'trades',
    barMs: undefined,
    beginsAt: begin,
    *blocks() {
      const exchange = seededExchange(name, seed)
      const [perTick, perLot] = [10 ** (9 - priceDigits), 10 ** (9 - amountDigits)]
      const heard: Heard = { at: [], units: [], amounts: [], sides: [] }
      exchange.venue.trading.listener = {
        trade(_, { at, ticks, lots, taker }) {
          heard.at.push(at)
          heard.units.push(ticks * perTick)
          heard.amounts.push(lots * perLot)
          heard.sides.push(exchange.state.orders.sells[taker] === 1 ? tradeSides.sold : tradeSides.bought)
        },
        order() {},
        deal() {},
      }
      const seen = emptySeen()
      for (let at = begin + hourMs; at < begin + ms + hourMs; at += hourMs) {
        exchange.advance(Math.min(at, begin + ms) - 1)
        while (heard.at.length > 0) {
          const block = blockOf(heard, seen)
          if (seen.points === block.count) market.beginsAt = block.at[0] ?? begin
          yield block
        }
      }
      market.seen = seen
    },
  }
  return market
}

/** Its order books, one a second. */
export function seededBooks(name: string, { seed, ms }: Simulated): HistoricalBooks {
  const { priceDigits, amountDigits } = rulesOf(name)
  const market: HistoricalBooks = {
    name,
    print: `seeded ${seed}`,
    kind: 'depth',
    levels: bookLevels,
    barMs: undefined,
    beginsAt: begin + depthEveryMs,
    *blocks() {
      const layout = layoutOfHeader(bookHeader(bookLevels))
      if (!layout) throw new RangeError('the header of order books is not known')
      const exchange = seededExchange(name, seed)
      const { trading } = exchange.venue
      const [own] = trading.markets
      if (!own) throw new RangeError('the exchange has no market')
      const sides = (['ask', 'bid'] as const).map((side) => ({ side, shown: emptySide(bookLevels) }))
      const values = new Float64Array(layout.valueCount)
      let at = begin
      const rows: Rows = {
        name,
        layout,
        values,
        line: 0,
        sorting: '',
        notes: () => [],
        next() {
          at += depthEveryMs
          if (at >= begin + ms) return false
          exchange.advance(at)
          values.fill(NaN)
          values[slot.time] = at
          for (const { side, shown } of sides) {
            shownLevels(bookOf(trading, own), side === 'ask', 1, shown)
            for (let level = 0; level < shown.count; level++) {
              values[levelSlot(side, level)] = (shown.ticks[level] ?? 0) * 10 ** (9 - priceDigits)
              values[levelSlot(side, level) + 1] = (shown.lots[level] ?? 0) * 10 ** (9 - amountDigits)
            }
          }
          return true
        },
      }
      const points = new BookPoints(market.print, rows)
      yield* points.blocks()
      market.seen = points.seen
    },
  }
  return market
}

/** What the embedded exchange lists about its simulated perpetual, as the lines of a CSV file. */
export function* seededListing(name: string, { seed, ms }: Simulated): Generator<string> {
  if (rulesOf(name).kind !== 'futures') throw usage(`${name} is not a perpetual`, 'Name one such as BTC_PERP')
  const exchange = seededExchange(name, seed)
  yield `# market: ${name}\n`
  yield `${headers.futures}\n`
  for (let at = begin + futuresEveryMs; at < begin + ms; at += futuresEveryMs) {
    exchange.advance(at)
    const answer = futures({ venue: exchange.venue, now: at, parameters: {} })
    const [row] = 'result' in answer ? answer.result : []
    if (!row) continue
    const values = [row.mark_price, row.index_price, row.open_interest, row.funding_rate]
    yield `${[at, ...values, row.next_funding_rate_timestamp].join(',')}\n`
  }
}

function rulesOf(name: string) {
  const { markets } = readWorld()
  const rules = Object.hasOwn(markets, name) ? markets[name] : undefined
  if (rules !== undefined) return rules
  const names = Object.keys(markets)
  throw usage(
    `"${name.slice(0, 40)}" is not a market`,
    hintOf(name, names) ?? `Use one of ${names.join(', ')}`,
  )
}

function seededExchange(name: string, seed: string): Exchange {
  const world = { ...readWorld(), markets: { [name]: rulesOf(name) } }
  return new Exchange({ world, seed, begin, sources: { seeded: true } })
}

type Heard = { at: number[]; units: number[]; amounts: number[]; sides: number[] }

function blockOf(heard: Heard, seen: FileFindings): PointBlock {
  const { amounts, sides } = heard
  const at = Float64Array.from(heard.at.splice(0, blockPoints))
  const units = Float64Array.from(heard.units.splice(0, blockPoints))
  const block = {
    count: at.length,
    at,
    units,
    amounts: Float64Array.from(amounts.splice(0, blockPoints)),
    sides: Uint8Array.from(sides.splice(0, blockPoints)),
    ...extremesOf(units),
  }
  seen.rows += block.count
  addPoints(seen, block)
  return block
}
