import { printable } from '#src/operate/terminal/printable.ts'
import { columns } from '#src/cli/words/text.ts'
import { isRecord } from '#src/core/objects/objects.ts'

type Flat = Record<string, string | number | boolean | null>

/** Fields that hold Unix seconds: printed as a time. */
const timeFields = new Set([
  'createdAt',
  'updatedAt',
  'timestamp',
  'trade_timestamp',
  'time',
  'ctime',
  'ftime',
  'startTime',
  'cancellationTime',
  'openDate',
  'modifyDate',
])
/** Beyond it lies the year 10000, and soon no valid date. */
const secondsMax = 253_402_300_800
const widthMax = 110

/**
 * Formats an answer for people: lists of equal objects become tables, single objects a line for each field. `--json` prints the
 * exact bytes.
 */
export function answerText(value: unknown): string {
  return linesOf(value).join('\n')
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return ['Nothing.']
    if (value.every(isFlat)) return table(value)
    // Price levels and candles: a line for each.
    return value.every(Array.isArray)
      ? columns(value.map((line: unknown[]) => line.map((each) => cell('', each))))
      : value.flatMap(linesOf)
  }
  if (!isRecord(value)) return [cell('', value)]
  const entries = Object.entries(value)
  if (entries.length === 0) return ['Nothing.']
  // Balances: objects of one kind under their names.
  const members = Object.values(value)
  if (members.every(isFlat))
    return table(entries.flatMap(([key, member]) => (isFlat(member) ? [{ '': key, ...member }] : [])))
  return entries.flatMap(([key, member]) => {
    const inner = isRecord(member) || Array.isArray(member)
    return inner
      ? [printable(key)].concat(linesOf(member).map((line) => `  ${line}`))
      : [`${printable(key)}: ${cell(key, member)}`]
  })
}

function table(rows: readonly Flat[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const body = rows.map((row) => names.map((name) => cell(name, row[name])))
  const lines = columns([names.map(printable), ...body])
  if (lines.every((line) => line.length <= widthMax)) return lines
  // Too wide for a table: one block for each object, a line for each field.
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...columns(Object.entries(row).map(([name, member]) => [printable(name), cell(name, member)])),
  ])
}

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'number' && timeFields.has(name) && value < secondsMax) {
    return new Date(value * 1000).toISOString().replace('T', ' ').replace('.000Z', 'Z')
  }
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

function isFlat(value: unknown): value is Flat {
  return (
    isRecord(value) && Object.values(value).every((member) => typeof member !== 'object' || member === null)
  )
}
