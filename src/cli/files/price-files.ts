import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PriceRows } from '#src/runtime/feeds/recorded-prices.ts'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

/** Prices for a venue without public prices, from the files that its own file names, and the time of their first row. */
export function pricesFor(
  markets: readonly string[],
  { url, prices }: Pick<VenueSettings, 'url' | 'prices'>,
  stateDir: string,
  now: () => number,
): { prices: ReadonlyMap<string, PriceRows>; begins: number } {
  const found = new Map<string, PriceRows>()
  for (const market of markets) {
    const path = Object.hasOwn(prices, market) ? prices[market] : undefined
    if (path === undefined) {
      throw new BotError('SETTING_INVALID', {
        seen: `${url} reports no prices, and its venue file names no price file for ${market}`,
        fix: `Name a CSV file of bars or trades in the venue file: prices: { ${market}: ${market}.csv }`,
      })
    }
    found.set(market, recordedOf(path))
  }
  return { prices: found, begins: beginOf(join(stateDir, 'prices-began'), now()) }
}

/** Checked before a changed file is applied: without prices its feeds could not be opened. */
export function pricesFaults(
  { markets }: Strategy,
  { prices }: Pick<VenueSettings, 'prices'>,
): StrategyFault[] {
  return Object.entries(markets).flatMap(([alias, { symbol }]): StrategyFault[] => {
    if (Object.hasOwn(prices, symbol)) return []
    const message = `no prices for ${symbol}: the venue reports none, and the venue file names no price file`
    const hint = `name a file of bars or trades in the venue file: prices: { ${symbol}: ${symbol}.csv }, and restart`
    return [{ path: ['markets', alias], message, hint }]
  })
}

/** Stored for the next start, so that prices continue. */
function beginOf(path: string, now: number): number {
  if (!existsSync(path)) {
    writeWholeFile(path, `${now}\n`)
    return now
  }
  const text = readFileSync(path, 'utf8').trim()
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new BotError('FILE_INVALID', {
    seen: `${path} does not hold the start time of the prices`,
    fix: 'Remove the file: the prices start again',
  })
}

/** All points of a market file, in milliseconds since the first. */
function recordedOf(path: string): PriceRows {
  const market = sharedMarket(loadMarket(path))
  const points = market.seen?.points ?? 0
  const [allAt, allUnits] = [new Float64Array(points), new Float64Array(points)]
  let place = 0
  for (const { count, at, units } of market.blocks()) {
    allAt.set(at, place)
    allUnits.set(units, place)
    place += count
  }
  return { at: allAt.map((time) => time - market.beginsAt), units: allUnits }
}
