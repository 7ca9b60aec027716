import { Decimal } from '#src/core/money/decimal.ts'
import { cut, padded, type TextLine, type Size, type TextSpan, type Tone } from './line.ts'

/** What an order of a rung comes to, as far as a person has to know. */
export type Mark = 'rests' | 'sent' | 'doubtful' | 'filled' | 'waits' | 'exit'
export type PictureRung = {
  label: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  mark: Mark
  why?: string | null
}
/** The price that the rungs stand around, and what it is. */
export type Center = { price: string; label: string }

export const marks: Readonly<Record<Mark, { sign: string; says: string; tone: Tone }>> = {
  rests: { sign: '●', says: 'rests', tone: 'bold' },
  exit: { sign: '◆', says: 'exit', tone: 'cyan' },
  sent: { sign: '◐', says: 'in flight', tone: 'yellow' },
  doubtful: { sign: '?', says: 'unknown', tone: 'red' },
  filled: { sign: '✓', says: 'filled', tone: 'dim' },
  waits: { sign: '·', says: 'waits', tone: 'dim' },
}

const barCellsMax = 16
/** A reason that is cut shorter says nothing. */
const whyCellsMin = 24
const gap = '  '

/**
 * Rungs as they stand around a price, the highest on top, each with a bar as long as its amount. Where not all fit, those
 * near to the price are shown, and how many stand beyond them.
 */
export function ladderPicture(rungs: readonly PictureRung[], center: Center | null, size: Size): TextLine[] {
  const known = rungs.map((rung) => ({
    ...rung,
    at: new Decimal(rung.price),
    much: new Decimal(rung.amount),
  }))
  const price = center && new Decimal(center.price)
  known.sort((one, other) => other.at.cmp(one.at) || one.label.localeCompare(other.label))
  const isAbove = ({ at, side }: Known) =>
    price !== null && (at.gt(price) || (at.eq(price) && side === 'sell'))
  const above = known.filter(isAbove)
  const below = known.filter((rung) => !isAbove(rung))
  const [upper, lower] = roomFor(above.length, below.length, Math.max(0, size.rows - (center ? 1 : 0)))
  const layout = layoutOf(known, center, size.columns)
  const line = (rung: Known) => rungLine(rung, price, layout)
  return [
    ...beyond(above.toReversed(), upper, 'up to', layout).toReversed(),
    ...above.slice(above.length - shownOf(above.length, upper)).map(line),
    ...(center ? [centerLine(center, layout)] : []),
    ...below.slice(0, shownOf(below.length, lower)).map(line),
    ...beyond(below, lower, 'down to', layout),
  ].slice(0, size.rows)
}

type Known = PictureRung & { at: Decimal; much: Decimal }
type Layout = {
  columns: number
  digits: number
  priceCells: number
  amountCells: number
  labelCells: number
  barCells: number
  tellsWhy: boolean
  most: Decimal
}

/** Rows for either side: half each, and what one does not need the other has. */
function roomFor(above: number, below: number, rows: number): [number, number] {
  const upper = Math.min(above, Math.max(Math.ceil(rows / 2), rows - below))
  return [upper, Math.min(below, rows - upper)]
}

/** The last row of a side that does not fit says what is left out. */
function shownOf(count: number, rows: number): number {
  return count <= rows ? count : Math.max(0, rows - 1)
}

/** Of rungs from the price outwards, those that have no row. */
function beyond(outwards: readonly Known[], rows: number, way: string, layout: Layout): TextLine[] {
  const left = outwards.slice(shownOf(outwards.length, rows))
  const last = left.at(-1)
  if (last === undefined || rows === 0) return []
  return [[['dim', `${padded('', layout.priceCells)} … ${left.length} more, ${way} ${last.price}`]]]
}

function layoutOf(known: readonly Known[], center: Center | null, columns: number): Layout {
  const digits = Math.max(0, ...known.map(({ at }) => at.decimalPlaces()))
  const all = center ? [...known.map(({ at }) => at), new Decimal(center.price)] : known.map(({ at }) => at)
  const priceCells = widest(all.map((price) => price.toFixed(digits)))
  const amountCells = widest(known.map(({ amount }) => amount))
  const labelCells = widest(known.map(({ label }) => label))
  // The price, its mark, the side, the amount, how far away it is; then bar, name and reason, as far as there is room.
  const needed = priceCells + 3 + 5 + amountCells + 1 + 8
  const room = columns - needed
  const named = room >= labelCells + 8 ? labelCells : 0
  const barCells = Math.max(0, Math.min(barCellsMax, room - 1 - (named > 0 ? named + gap.length : 0)))
  const rest = room - 1 - barCells - named - 2 * gap.length
  const tellsWhy = named > 0 && rest >= whyCellsMin
  const most = Decimal.max(1e-18, ...known.map(({ much }) => much))
  return { columns, digits, priceCells, amountCells, labelCells: named, barCells, tellsWhy, most }
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length))
}

const sides: Readonly<Record<PictureRung['side'], Tone>> = { buy: 'green', sell: 'red' }

function rungLine(rung: Known, price: Decimal | null, layout: Layout): TextLine {
  const { side, amount, mark, label, why, at, much } = rung
  const { sign, tone } = marks[mark]
  const isOut = mark === 'waits' || mark === 'filled'
  const cells = Math.max(1, Math.floor(much.div(layout.most).times(layout.barCells).toNumber()))
  const bar = padded((isOut ? '╌' : '━').repeat(layout.barCells === 0 ? 0 : cells), layout.barCells)
  const text = (words: string): TextSpan => (isOut ? ['dim', words] : words)
  return [
    text(at.toFixed(layout.digits).padStart(layout.priceCells)),
    ' ',
    [tone, sign],
    ' ',
    isOut ? ['dim', side.padEnd(4)] : [sides[side], side.padEnd(4)],
    text(` ${amount.padEnd(layout.amountCells)} `),
    isOut ? ['dim', bar] : [sides[side], bar],
    text(` ${price === null || price.isZero() ? '' : distanceText(at, price)}`),
    ...(layout.labelCells > 0 ? [text(gap + label.padEnd(layout.labelCells))] : []),
    ...(layout.tellsWhy && why ? [['dim', gap + why] as const] : []),
  ]
}

/** The price itself, through the whole width of the rungs. */
function centerLine({ price, label }: Center, { digits, priceCells, columns }: Layout): TextLine {
  const at = new Decimal(price)
  const shown = at.decimalPlaces() <= digits ? at.toFixed(digits) : at.toFixed()
  const head = `${shown.padStart(priceCells)} ▶ ${cut(label, Math.max(0, columns - priceCells - 4))} `
  return [['cyan', head + '─'.repeat(Math.max(0, Math.min(columns, 72) - head.length))]]
}

/** How far away, in hundredths of a percent and cut there. */
function distanceText(at: Decimal, price: Decimal): string {
  const percent = at.minus(price).div(price).times(100).toFixed(2)
  return `${percent.startsWith('-') ? '' : '+'}${percent}%`.padStart(7)
}
