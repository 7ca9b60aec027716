import { Decimal } from '#src/core/money/decimal.ts'
import { cut, padded, type TextLine, type Size, type TextSpan, type Tone } from './line.ts'

/** Status of a rung or an exit in the picture. */
export type Mark = 'rests' | 'sent' | 'doubtful' | 'filled' | 'waits' | 'exit'
export type PictureRung = {
  label: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  mark: Mark
  why?: string | null
}
/** The price in the middle of the rungs. */
export type Center = { price: string; label: string }

export const marks: Readonly<Record<Mark, { sign: string; text: string; tone: Tone }>> = {
  rests: { sign: '●', text: 'rests', tone: 'bold' },
  exit: { sign: '◆', text: 'exit', tone: 'cyan' },
  sent: { sign: '◐', text: 'in flight', tone: 'yellow' },
  doubtful: { sign: '?', text: 'unknown', tone: 'red' },
  filled: { sign: '✓', text: 'filled', tone: 'dim' },
  waits: { sign: '·', text: 'waits', tone: 'dim' },
}

const barCellsMax = 16
/** A shorter reason is useless. */
const whyCellsMin = 24
const gap = '  '

/**
 * Draws rungs around a price, the highest on top, with a bar for the amount. If not all fit, those near the price are shown,
 * with the number of the others.
 */
export function ladderPicture(rungs: readonly PictureRung[], center: Center | null, size: Size): TextLine[] {
  const known = rungs.map((rung) => ({
    ...rung,
    at: new Decimal(rung.price),
    quantity: new Decimal(rung.amount),
  }))
  const price = center && new Decimal(center.price)
  known.sort((one, other) => other.at.cmp(one.at) || one.label.localeCompare(other.label))
  const isAbove = ({ at, side }: Known) =>
    price !== null && (at.gt(price) || (at.eq(price) && side === 'sell'))
  const above = known.filter(isAbove)
  const below = known.filter((rung) => !isAbove(rung))
  const [upper, lower] = rowsPerSide(above.length, below.length, Math.max(0, size.rows - (center ? 1 : 0)))
  const layout = layoutOf(known, center, size.columns)
  const line = (rung: Known) => rungLine(rung, price, layout)
  return [
    ...hiddenLine(above.toReversed(), upper, 'up to', layout).toReversed(),
    ...above.slice(above.length - shownCount(above.length, upper)).map(line),
    ...(center ? [centerLine(center, layout)] : []),
    ...below.slice(0, shownCount(below.length, lower)).map(line),
    ...hiddenLine(below, lower, 'down to', layout),
  ].slice(0, size.rows)
}

type Known = PictureRung & { at: Decimal; quantity: Decimal }
type Layout = {
  columns: number
  digits: number
  priceCells: number
  amountCells: number
  labelCells: number
  barCells: number
  showsReason: boolean
  most: Decimal
}

/** Half of the rows for each side; rows that one side does not need go to the other. */
function rowsPerSide(above: number, below: number, rows: number): [number, number] {
  const upper = Math.min(above, Math.max(Math.ceil(rows / 2), rows - below))
  return [upper, Math.min(below, rows - upper)]
}

/** The last row of a side that does not fit shows how many are left out. */
function shownCount(count: number, rows: number): number {
  return count <= rows ? count : Math.max(0, rows - 1)
}

/** Summary of the rungs without a row; `outwards` begins at the price. */
function hiddenLine(outwards: readonly Known[], rows: number, way: string, layout: Layout): TextLine[] {
  const left = outwards.slice(shownCount(outwards.length, rows))
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
  // Price, mark, side, amount and distance are always shown; bar, name and reason only if there is room.
  const needed = priceCells + 3 + 5 + amountCells + 1 + 8
  const room = columns - needed
  const named = room >= labelCells + 8 ? labelCells : 0
  const barCells = Math.max(0, Math.min(barCellsMax, room - 1 - (named > 0 ? named + gap.length : 0)))
  const rest = room - 1 - barCells - named - 2 * gap.length
  const showsReason = named > 0 && rest >= whyCellsMin
  const most = Decimal.max(1e-18, ...known.map(({ quantity }) => quantity))
  return { columns, digits, priceCells, amountCells, labelCells: named, barCells, showsReason, most }
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length))
}

const sides: Readonly<Record<PictureRung['side'], Tone>> = { buy: 'green', sell: 'red' }

function rungLine(rung: Known, price: Decimal | null, layout: Layout): TextLine {
  const { side, amount, mark, label, why, at, quantity } = rung
  const { sign, tone } = marks[mark]
  const isOut = mark === 'waits' || mark === 'filled'
  const cells = Math.max(1, Math.floor(quantity.div(layout.most).times(layout.barCells).toNumber()))
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
    ...(layout.showsReason && why ? [['dim', gap + why] as const] : []),
  ]
}

function centerLine({ price, label }: Center, { digits, priceCells, columns }: Layout): TextLine {
  const at = new Decimal(price)
  const shown = at.decimalPlaces() <= digits ? at.toFixed(digits) : at.toFixed()
  const head = `${shown.padStart(priceCells)} ▶ ${cut(label, Math.max(0, columns - priceCells - 4))} `
  return [['cyan', head + '─'.repeat(Math.max(0, Math.min(columns, 72) - head.length))]]
}

/** Relative distance from the price, cut to hundredths of a percent. */
function distanceText(at: Decimal, price: Decimal): string {
  const percent = at.minus(price).div(price).times(100).toFixed(2)
  return `${percent.startsWith('-') ? '' : '+'}${percent}%`.padStart(7)
}
