import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { Decimal } from '#src/core/money/decimal.ts'

/** Prices of market files at each moment, by the rule of docs/backtesting.md with all digits, without code of the exchange. */

type Point = { time: number; price: Decimal }

/** Decimals of the price, as the packaged world has them. */
const digits = (symbol: string) => (symbol === 'BTC_PERP' ? 1 : 2)
export const tickOf = (symbol: string) => 10 ** -digits(symbol)
const toTick = (symbol: string, units: Decimal) =>
  units.div(1e9).toDecimalPlaces(digits(symbol), Decimal.ROUND_HALF_UP)

/** The points of a file, at prices of whole ticks. */
export function pointsOf(symbol: string, market: HistoricalMarket): Point[] {
  return [...market.blocks()].flatMap(({ at, units }) =>
    Array.from(at, (time, place) => ({ time, price: toTick(symbol, new Decimal(units[place] ?? 0)) })),
  )
}

/** Of each market the price of the last moment before one, on the line between two points of a bar, too. Moments rise. */
export function pathsOf(
  markets: ReadonlyMap<string, HistoricalMarket>,
): (before: number) => Map<string, Decimal> {
  const all = [...markets].map(([symbol, market]) => {
    const blocks = [...market.blocks()]
    const column = (of: 'at' | 'units') => blocks.flatMap((block) => Array.from(block[of]))
    return { symbol, kind: market.kind, at: column('at'), units: column('units'), place: 0 }
  })
  return (before) => {
    const last = all.map((each) => {
      while ((each.at[each.place + 1] ?? Infinity) < before) each.place += 1
      const { symbol, kind, place, at, units } = each
      const [from, to, begins, ends] = [units[place], units[place + 1], at[place], at[place + 1]]
      let now = new Decimal(from ?? 0)
      if (
        kind === 'bars' &&
        place % 4 !== 3 &&
        to !== undefined &&
        begins !== undefined &&
        ends !== undefined
      ) {
        const way = new Decimal(to).minus(now).times(before - 1 - begins)
        // Whole units, rounded towards where the line began.
        now = now.plus(way.div(ends - begins).trunc())
      }
      return [symbol, toTick(symbol, now)] as const
    })
    return new Map(last)
  }
}
