import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { makeFolder } from '#src/core/disk/folder.ts'
import { intervalOf } from '#src/cli/words/flags.ts'
import { usage } from '#src/cli/words/usage.ts'
import { writeBinary } from '#src/market/data/binary/binary-file.ts'
import { writeCsv, writeLines } from '#src/market/data/csv/csv-file.ts'
import type { FileFindings, HistoricalMarket, MarketKind } from '#src/market/data/historical-market.ts'
import { readMarketFile } from '#src/market/data/read-market.ts'
import { formatUnits } from '#src/core/money/units.ts'
import { beginsLikeTape } from '#src/research/recording/tape-bytes.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { printed } from '#src/cli/words/printed.ts'
import { columns, spanText, timeText } from '#src/cli/words/text.ts'

const unitDigits = 9

export type MarketFlags = {
  write?: string
  bars?: string
  seeded?: string
  what?: 'trades' | 'depth' | 'futures'
  for?: number
  seed?: string
  json?: boolean
}

const seededMs = 86_400_000

/** `rungs market FILE`: describes a market file, with its irregularities, and converts it. */
export async function market(path: string | undefined, flags: MarketFlags): Promise<number> {
  if (path !== undefined && beginsLikeTape(path)) {
    for (const flag of ['bars', 'seeded', 'what', 'for', 'seed'] as const)
      if (flags[flag] !== undefined) throw usage(`--${flag} has no effect on a tape`, 'Omit it')
    const { tapeMarket } = await import('./tape-market.ts')
    return tapeMarket(path, flags)
  }
  const bars = flags.bars === undefined ? undefined : intervalOf(flags.bars)
  refuseIdle(path, flags)
  if (flags.what === 'futures') return seededFutures(flags)
  const found = await open(path, flags)
  const written = flags.write === undefined ? undefined : await write(found, flags.write, bars)
  if (!written) for (const _ of found.blocks());
  const { seen } = found
  if (!seen) throw new Error('the file was not read to its end')
  const name = path ?? `${flags.seeded} of the embedded exchange`
  if (flags.json === true) return printed(JSON.stringify(facts(name, found, seen, written)))
  return printed(tell(name, found, seen, written).map(printable).join('\n'))
}

function refuseIdle(path: string | undefined, { seeded, seed, bars, what, write, ...flags }: MarketFlags) {
  if ((path === undefined) === (seeded === undefined)) {
    throw usage('market needs a file, or --seeded with a market', 'Pass one of them')
  }
  if (path !== undefined && (seed !== undefined || flags.for !== undefined)) {
    throw usage('--seed and --for need --seeded', 'Omit them')
  }
  if (path !== undefined && what !== undefined) throw usage('--what needs --seeded', 'Omit it')
  if (bars !== undefined && (write === undefined || !isCsv(write))) {
    throw usage(
      '--bars needs --write with a name that ends in .csv, .csv.gz or .csv.zst',
      'Pass such a name with --write',
    )
  }
  if (bars !== undefined && what !== undefined && what !== 'trades')
    throw usage(`--bars has no effect with --what ${what}`, 'Omit it')
  if (what === 'futures' && (write === undefined || !isCsv(write)))
    throw usage('--what futures needs --write with a name that ends in .csv', 'Pass such a name with --write')
}

async function open(path: string | undefined, flags: MarketFlags): Promise<HistoricalMarket<MarketKind>> {
  if (path !== undefined) return readMarketFile(path)
  const { seededBooks, seededMarket } = await import('./seeded-market.ts')
  return (flags.what === 'depth' ? seededBooks : seededMarket)(flags.seeded ?? '', simulatedOf(flags))
}

function simulatedOf({ seed = 'demo', for: ms = seededMs }: MarketFlags) {
  return { seed, ms }
}

/** These are no points of a price. */
async function seededFutures(flags: MarketFlags): Promise<number> {
  const { seeded = '', write: file = '' } = flags
  if (existsSync(file)) throw usage(`${file} exists`, 'Name a new file')
  const { seededListing } = await import('./seeded-market.ts')
  const lines = seededListing(seeded, simulatedOf(flags))
  makeFolder(dirname(file))
  const bytes = await writeLines(lines, file)
  const about = `${seeded} of the embedded exchange: values of futures written to ${file}, ${bytes.toLocaleString('en')} bytes`
  return printed(flags.json === true ? JSON.stringify({ market: seeded, written: { file, bytes } }) : about)
}

async function write(
  found: HistoricalMarket<MarketKind>,
  file: string,
  bars?: CandleInterval,
): Promise<Written> {
  if (existsSync(file)) throw usage(`${file} exists`, 'Name a new file')
  const { barMs, kind } = found
  if (bars !== undefined && kind === 'depth') throw usage('order books have no bars', 'Omit --bars')
  if (bars !== undefined && barMs !== undefined && candleIntervals[bars] % barMs !== 0)
    throw usage(
      `bars of ${bars} cannot be made of bars of ${barMs / 1000} s`,
      'Choose a multiple of the bars of the file, or a file of trades',
    )
  makeFolder(dirname(file))
  return { file, bytes: isCsv(file) ? await writeCsv(found, file, bars) : writeBinary(found, file) }
}

function isCsv(file: string): boolean {
  return /\.csv(?:\.gz|\.zst)?$/.test(file)
}

type Written = { file: string; bytes: number }

function facts(
  path: string,
  { name, kind, barMs, beginsAt }: HistoricalMarket<MarketKind>,
  seen: FileFindings,
  written: Written | undefined,
) {
  return {
    file: path,
    ...(name !== undefined && { market: name }),
    kind,
    ...(barMs !== undefined && { barMs }),
    rows: seen.rows,
    points: seen.points,
    from: beginsAt,
    to: seen.endsAt,
    low: formatUnits(seen.low, unitDigits),
    high: formatUnits(seen.high, unitDigits),
    gaps: seen.gaps,
    gapPlaces: seen.gapPlaces,
    duplicates: seen.duplicates,
    notes: seen.notes,
    ...(written && { written }),
  }
}

function tell(
  path: string,
  { name, kind, barMs, beginsAt }: HistoricalMarket<MarketKind>,
  seen: FileFindings,
  written: Written | undefined,
): string[] {
  const of = kind === 'depth' ? 'order books' : barMs === undefined ? kind : `${kind} of ${spanText(barMs)}`
  const gaps = seen.gapPlaces.map(({ at, ms, line }) => {
    const where = line === undefined ? '' : `, before line ${line}`
    return `${spanText(ms)} from ${timeText(at)}${where}`
  })
  if (seen.gaps > gaps.length) gaps.push(`and ${seen.gaps - gaps.length} more`)
  const rows = [
    ['what', printable(name === undefined ? of : `${of}, ${name}`)],
    ['rows', seen.rows.toLocaleString('en')],
    ['from', timeText(beginsAt)],
    ['to', `${timeText(seen.endsAt)}, ${spanText(seen.endsAt - beginsAt)} later`],
    ['prices', `${formatUnits(seen.low, unitDigits)} to ${formatUnits(seen.high, unitDigits)}`],
    ['gaps', seen.gaps === 0 ? 'none' : gaps.join('; ')],
    ...seen.notes.map((note) => ['note', printable(note)]),
    ...(written ? [['written', `${written.file}, ${written.bytes.toLocaleString('en')} bytes`]] : []),
  ]
  return [path, ...columns(rows).map((line) => `  ${line}`)]
}
