import { Decimal } from '#src/core/money/decimal.ts'
import type { RosterRow } from './roster.ts'

/**
 * The positions of all accounts by market, in the money of the market; a process that has ended counts with its last
 * report. `net` is long less short, and `gross` long plus short; null if the price of a position is unknown.
 */
export function exposureOf(rows: readonly RosterRow[]) {
  const held = rows.flatMap(({ account, report }) =>
    (report?.strategies ?? []).flatMap(({ holdings }) =>
      holdings
        .filter(({ position }) => position !== '0')
        .map(({ market, value }) => ({ account, market, value })),
    ),
  )
  return [...Map.groupBy(held, ({ market }) => market)]
    .map(([market, parts]) => {
      const values = parts.flatMap(({ value }) => (value === null ? [] : [new Decimal(value)]))
      const isKnown = values.length === parts.length
      return {
        market,
        accounts: new Set(parts.map(({ account }) => account)).size,
        net: isKnown ? Decimal.sum(0, ...values).toFixed() : null,
        gross: isKnown ? Decimal.sum(0, ...values.map((value) => value.abs())).toFixed() : null,
      }
    })
    .toSorted((a, b) => (a.market < b.market ? -1 : 1))
}

/** A limit over all accounts; without a market, of each market. */
export type ExposureLimit = { market: string | undefined; most: string }

/** What is above a limit, or may be, in words. */
export function exposureFaults(rows: readonly RosterRow[], limits: readonly ExposureLimit[]): string[] {
  const exposures = exposureOf(rows)
  const unread = limits.length === 0 ? [] : rows.filter(({ report }) => report === null)
  return [
    ...unread.map(({ account }) => `the positions of ${account} are unknown`),
    ...limits.flatMap(({ market, most }) =>
      exposures
        .filter((each) => market === undefined || each.market === market)
        .filter(({ gross }) => gross === null || new Decimal(gross).gt(most))
        .map(
          (each) => `the exposure in ${each.market} is ${each.gross ?? 'unknown'}, and the limit is ${most}`,
        ),
    ),
  ]
}
