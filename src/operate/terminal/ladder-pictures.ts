import { Decimal } from '#src/core/money/decimal.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'
import { ladderPicture, marks, type Center, type PictureRung } from './ladder-picture.ts'
import type { TextLine, Size, TextSpan } from './line.ts'

const stands = {
  resting: 'rests',
  sent: 'sent',
  doubtful: 'doubtful',
  filled: 'filled',
  missing: 'waits',
} as const
const exits = { resting: 'exit', sending: 'sent', doubtful: 'doubtful' } as const

const legend: TextLine = Object.values(marks).flatMap(({ sign, text, tone }): TextSpan[] => [
  [tone, sign],
  ['dim', ` ${text}  `],
])

/** Pictures of a strategy's ladders and exits, one for each market; `needed` is the number of rows for all of them. */
export function picturesOf(
  tables: Tables,
  chosen: string | undefined,
): { needed: number; draw: (size: Size) => TextLine[] } {
  const ladders = Object.values(tables.ladders).filter(({ strategy }) => strategy === chosen)
  const all = ladders.flatMap(({ ladder, goal, rungs, resting, anchor, missing }): TextLine[] => {
    const from = anchor === null ? '' : `, from ${anchor}`
    const words = rungs === 0 ? goal : `${goal}, ${resting} of ${rungs} resting${from}`
    return [
      [['bold', ladder], `  ${words}`, ...(missing === null ? [] : [['yellow', `  ${missing}`] as const])],
    ]
  })
  const markets = [...new Set(ladders.map(({ market }) => market))].filter((market) => market !== '')
  const pictures = markets.map((market) => {
    const center = centerOf(tables, market)
    const rungs = rungsOf(tables, chosen, market)
    return { center, rungs, rows: rungs.length + (center ? 1 : 0) }
  })
  const needed = all.length + pictures.reduce((sum, { rows }) => sum + rows, 0) + 1
  return {
    needed,
    draw({ columns, rows }) {
      // With little room, the lines about ladders are left out first, then the legend.
      const isFull = rows >= needed
      const about = isFull || rows >= 2 * all.length + 8 ? all : []
      const under = isFull ? [legend] : []
      let [left, count] = [rows - about.length - under.length, pictures.length]
      const drawn = pictures.map((picture) => {
        const own = Math.min(picture.rows, Math.floor(left / count))
        left -= own
        count -= 1
        return ladderPicture(picture.rungs, picture.center, { rows: own, columns })
      })
      return [...about, ...drawn.flat(), ...under]
    },
  }
}

function centerOf({ markets }: Tables, market: string): Center | null {
  const quote = markets[market]
  if (!quote) return null
  const { bid, ask, last } = quote
  if (bid === null || ask === null) return last === null ? null : { price: last, label: market }
  // The last trade may be older than the book. The middle is shown with as many digits as the book.
  const digits = Math.max(new Decimal(bid).decimalPlaces(), new Decimal(ask).decimalPlaces())
  const price = new Decimal(bid).plus(ask).div(2).toFixed(digits)
  return { price, label: `${market}  bid ${bid}  ask ${ask}` }
}

function rungsOf({ rungs, orders }: Tables, chosen: string | undefined, market: string): PictureRung[] {
  const isHere = (row: { strategy: string; market: string }) =>
    row.strategy === chosen && row.market === market
  return [
    ...Object.values(rungs)
      // Rungs of a ladder that was never computed may have no price.
      .filter((rung) => isHere(rung) && rung.price !== '' && rung.amount !== '')
      .map(({ ladder, level, side, price, amount, state, why }) => ({
        label: `${ladder}.${level}`,
        side,
        price,
        amount,
        mark: stands[state],
        why,
      })),
    ...Object.values(orders)
      .filter((order) => order.role === 'exit' && isHere(order))
      .map(({ ladder, label, side, price, amount, status, why }) => ({
        label: `${ladder}.${label}`,
        side,
        price,
        amount,
        mark: exits[status],
        why,
      })),
  ]
}
