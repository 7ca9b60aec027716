import { existsSync } from 'node:fs'
import { BotError } from '#src/errors/bot-error.ts'
import { exitCodes } from '#src/errors/catalogue.ts'
import { writeBinary } from '#src/market/binary-file.ts'
import type { PastMarket, Seen } from '#src/market/past-market.ts'
import { readMarket } from '#src/market/read-market.ts'
import { formatUnits } from '#src/money/units.ts'
import { beginsLikeTape } from '#src/recording/tape-bytes.ts'
import { columns, printable, timeText } from './text.ts'

const unitDigits = 9

/** `rungs market FILE`: what a market file holds, what is odd about it, and the same in a form that is read faster. */
export async function market(path: string, flags: { write?: string; json?: boolean }): Promise<number> {
  if (beginsLikeTape(path)) {
    const { tapeMarket } = await import('./tape-market.ts')
    return tapeMarket(path, flags)
  }
  const found = readMarket(path)
  let bytes = 0
  if (flags.write === undefined) for (const _ of found.blocks());
  else {
    refuseTaken(flags.write)
    bytes = writeBinary(found, flags.write)
  }
  const { seen } = found
  if (!seen) throw new Error('a walk to the end tells what was seen')
  const written = flags.write === undefined ? undefined : { file: flags.write, bytes }
  if (flags.json === true) process.stdout.write(`${JSON.stringify(facts(path, found, seen, written))}\n`)
  else process.stdout.write(`${tell(path, found, seen, written).join('\n')}\n`)
  return exitCodes.ok
}

function refuseTaken(path: string): void {
  if (existsSync(path))
    throw new BotError('USAGE', { seen: `${path} is there already`, fix: 'Name a new file' })
}

type Written = { file: string; bytes: number } | undefined

function facts(path: string, { name, kind, barMs, beginsAt }: PastMarket, seen: Seen, written: Written) {
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
  { name, kind, barMs, beginsAt }: PastMarket,
  seen: Seen,
  written: Written,
): string[] {
  const of = barMs === undefined ? kind : `${kind} of ${spanText(barMs)}`
  const gaps = seen.gapPlaces.map(({ at, ms, line }) => {
    const where = line === undefined ? '' : `, before line ${line}`
    return `${spanText(ms)} from ${timeText(at)} on${where}`
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

const spans = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** In the largest unit of which there are two, or one without a rest. */
function spanText(ms: number): string {
  const [name, length] = spans.find(([, length]) => ms >= 2 * length || ms === length) ?? ['ms', 1]
  return `${Math.round(ms / length)} ${name}`
}
