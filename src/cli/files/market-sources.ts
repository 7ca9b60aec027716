import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { noSimulation, type Sources } from '#src/exchange/simulation/begin-simulation.ts'
import type { FillRule, RecordedMarkets } from '#src/exchange/simulation/recorded/recorded-market.ts'
import type { World } from '#src/exchange/world-file.ts'
import type { HistoricalMarket, FileFindings } from '#src/market/data/historical-market.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { spanText } from '#src/cli/words/text.ts'

/**
 * What --market asks for: constant prices, or files for some markets and, with `seeded`, random walks for the others. `notes` is
 * for the operator.
 */
export function sourcesOf(
  words: readonly string[],
  fill: FillRule,
  world: World,
): { sources: Sources; notes: string[] } {
  if (words.includes('still')) {
    if (words.length === 1) return { sources: noSimulation, notes: [] }
    throw usage('--market still excludes other --market flags', 'Omit one of them')
  }
  const taken = new Set<string>()
  const notes: string[] = []
  const files: RecordedMarkets['files'][number][] = []
  for (const path of words.filter((word) => word !== 'seeded')) {
    if (!existsSync(path)) {
      throw usage(
        `--market ${path.slice(0, 200)} is neither still nor seeded nor a file`,
        'Check the word or the path',
      )
    }
    const market = readMarket(path)
    const markets = marketsOf(path, market.name, world)
    const twice = markets.find((market) => taken.has(market))
    if (twice !== undefined) throw usage(`${path} is the second file for ${twice}`, 'Omit one of them')
    for (const market of markets) taken.add(market)
    files.push({ markets, market })
    const seen = walkThrough(market)
    const span = spanText(seen.endsAt - market.beginsAt)
    notes.push(
      `${path} sets the price of ${markets.join(', ')} for ${span}; after that the price stays constant.`,
      ...seenNotes(seen),
    )
  }
  const seeded = words.includes('seeded')
  for (const [name, { base }] of seeded ? Object.entries(world.markets) : []) {
    if (!taken.has(name) && world.assets[base]?.price === 0n) {
      throw new BotError('SETTING_INVALID', {
        seen: `--market seeded has no start price for ${name}: ${base} has no price in the world file`,
        fix: `Write price: next to the networks of ${base} in the world file`,
      })
    }
  }
  if (seeded) notes.push(`${files.length > 0 ? 'Other markets have' : 'All markets have'} simulated prices.`)
  return { sources: { seeded, ...(files.length > 0 && { recorded: { files, fill, moved: true } }) }, notes }
}

/** Errors of a file are reported before the exchange listens; after that the file is read as time passes. */
function walkThrough(market: HistoricalMarket): FileFindings {
  const blocks = market.blocks()
  while (blocks.next().done !== true);
  if (market.seen === undefined) throw new Error('the file was not read to its end')
  return market.seen
}

/** A comment in the file or its name says which market it belongs to; a file named after an asset is for all its markets. */
function marketsOf(path: string, said: string | undefined, world: World): string[] {
  const markets = Object.entries(world.markets)
  const ofAsset = (asset: string) => markets.filter(([, { base }]) => base === asset).map(([name]) => name)
  if (said !== undefined) {
    const named = said.toUpperCase()
    const found = Object.hasOwn(world.markets, named) ? [named] : ofAsset(named)
    if (found.length > 0) return found
    throw nameless(path, `names the market ${said.slice(0, 40)}, which this world does not have`)
  }
  const name = basename(path)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
  const exact = markets.map(([market]) => market).filter((market) => `_${name}_`.includes(`_${market}_`))
  if (exact.length === 1) return exact
  const assets = new Set(markets.map(([, { base }]) => base))
  const begun = [...assets].filter((asset) => name.startsWith(asset))
  const [asset] = begun.toSorted((a, b) => b.length - a.length)
  if (exact.length === 0 && asset !== undefined) return ofAsset(asset)
  throw nameless(path, 'does not name its market')
}

export function seenNotes({ gaps, gapPlaces, notes }: FileFindings): string[] {
  if (gaps === 0) return notes
  const places = gapPlaces.map(({ line, at, ms }) => {
    const where = line === undefined ? `from ${new Date(at).toISOString()}` : `before line ${line}`
    return `${spanText(ms)} ${where}`
  })
  const more = gaps > gapPlaces.length ? `, and ${gaps - gapPlaces.length} more` : ''
  return [`The file has gaps without trades: ${places.join(', ')}${more}.`, ...notes]
}

function nameless(path: string, what: string): BotError {
  return new BotError('FILE_INVALID', {
    seen: `${path} ${what}`,
    fix: 'Name the file after its market, such as BTC_PERP.csv, or write # market: BTC_PERP above its header',
  })
}
