import { basename } from 'node:path'

/** A measured row. The limits are those of the ratio, or of our value if there is no ratio. */
export type MeasuredRow = {
  goal?: string | undefined
  what: string
  ours: number
  /** The value of another program. */
  peer?: number
  /** The value of the least code that does the same. */
  floor?: number
  /** In the direction that the goal states. */
  ratio?: number
  unit?: string
  /** A row with one of these two limits must meet it. */
  atMost?: number | undefined
  atLeast?: number | undefined
  wanted?: number | undefined
  detail?: string | undefined
}

const isJson = process.env['RUNGS_BENCH_JSON'] === '1'

/** Prints a row, as text or as a JSON line. One that misses its limit gives the benchmark a non-zero exit code. */
export function report(row: MeasuredRow): void {
  const { ratio, ours, atMost, atLeast } = row
  const judged = ratio ?? ours
  const must = atMost !== undefined || atLeast !== undefined
  const isMet = (atMost === undefined || judged <= atMost) && (atLeast === undefined || judged >= atLeast)
  process.stdout.write(`${isJson ? jsonOf(row, must, isMet) : textOf(row, isMet)}\n`)
  if (!isMet) process.exitCode = 1
}

/** Prints what is no row. Standard output has only rows if they are JSON. */
export function note(text: string): void {
  const stream = isJson ? process.stderr : process.stdout
  stream.write(`${text}\n`)
}

/** A number for people. A ratio far below one is easier to read as a fraction. */
export function ratioText(ratio: number): string {
  return ratio > 0 && ratio < 0.1 ? `1/${(1 / ratio).toFixed(0)}` : numberText(ratio)
}

function jsonOf(row: MeasuredRow, must: boolean, isMet: boolean): string {
  const { goal, what, ours, peer, floor, ratio, unit, ...limits } = row
  const met = must ? isMet : undefined
  const benchmark = basename(process.argv[1] ?? '', '.ts')
  return JSON.stringify({ goal, what, ours, peer, floor, ratio, unit, must, met, ...limits, benchmark })
}

function textOf(row: MeasuredRow, isMet: boolean): string {
  const { goal = '', what, ours, ratio, unit = '', detail } = row
  const other = row.peer ?? row.floor
  const values = [ours, other].filter((value) => value !== undefined).map(numberText)
  const parts = [`${values.join(' against ')} ${unit}`.trimEnd(), detail]
  if (ratio !== undefined) parts.unshift(`${ratioText(ratio)} x`)
  const found = parts.filter((part) => part !== undefined).join(', ')
  const head = `${goal.padEnd(3)} ${what}`.padEnd(50)
  return `${head} ${found.padEnd(46)} ${limitsText(row)}${isMet ? '' : '  MISSED'}`.trimEnd()
}

/** A limit that equals the goal is printed once. */
function limitsText({ ratio, unit = '', atMost, atLeast, wanted }: MeasuredRow): string {
  const limitOf = (limit: number) =>
    ratio === undefined ? `${limit} ${unit}`.trimEnd() : `${shortText(limit)} x`
  const [sign, must] = atMost === undefined ? ['≥', atLeast] : ['≤', atMost]
  const texts = [
    ...(must === undefined || must === wanted ? [] : [`must ${sign} ${limitOf(must)}`]),
    ...(wanted === undefined ? [] : [`goal ${limitOf(wanted)}`]),
  ]
  return texts.join(', ')
}

function shortText(limit: number): string {
  return limit < 0.1 ? ratioText(limit) : String(limit)
}

function numberText(value: number): string {
  if (Number.isInteger(value)) return String(value)
  const size = Math.abs(value)
  return size < 0.1 ? value.toPrecision(2) : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}
