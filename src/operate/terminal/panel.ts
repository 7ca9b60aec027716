import { Decimal, moneyText } from '#src/core/money/decimal.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'
import { padded, type TextLine, type TextSpan } from './line.ts'

const nameCells = 9
const limitCells = 20
const barCells = 8

/** The column beside the pictures: all strategies, and limits and rules of the selected one. */
export function panelOf({ strategies, limits, rules }: Tables, chosen: string | undefined): TextLine[] {
  const own = <Row extends { strategy: string }>(rows: Readonly<Record<string, Row>>) =>
    Object.values(rows).filter(({ strategy }) => strategy === chosen)
  return [
    heading('strategies       result     fees  rest'),
    ...Object.entries(strategies).map(([name, row]): TextLine => {
      const { result, fees, resting, halted, pauses } = row
      const state = halted !== null ? 'halted' : pauses !== null ? 'paused' : row.running ? '' : 'not running'
      return [
        name === chosen ? ['bold', `▸ ${padded(name, nameCells)}`] : `  ${padded(name, nameCells)}`,
        gainText(new Decimal(result), 10),
        ` ${moneyText(fees).padStart(8)}  ${String(resting).padStart(4)}  `,
        ['yellow', state],
      ]
    }),
    [],
    heading(`limits of ${chosen ?? ''}`),
    ...own(limits).map(({ limit, used, most }) => limitLine(limit, used, most)),
    [],
    heading(`rules of ${chosen ?? ''}`),
    ...own(rules).map(({ rule, truth }): TextLine => [
      `  ${padded(rule, limitCells)} `,
      [truth === 'true' ? 'green' : 'dim', truth],
    ]),
  ]
}

function limitLine(limit: string, used: string | null, most: string | null): TextLine {
  const isNothing = used === null || most === null || most === '0'
  const share = isNothing ? new Decimal(0) : Decimal.min(1, new Decimal(used).div(most))
  const cells = Math.ceil(share.times(barCells).toNumber())
  const bar = '█'.repeat(cells) + '░'.repeat(barCells - cells)
  return [
    `  ${padded(limit, limitCells)} `,
    [share.gte(0.9) ? 'yellow' : 'dim', bar],
    ` ${[used, most].map((each) => (each === null ? 'unknown' : shortText(each))).join(' of ')}`,
  ]
}

function heading(text: string): TextLine {
  return [['dim', text]]
}

function shortText(number: string): string {
  return new Decimal(number).toDecimalPlaces(2).toFixed()
}

/** A profit or loss with its sign, cut to hundredths. */
export function gainText(money: Decimal, cells = 0): TextSpan {
  const text = moneyText(money)
  const signed = (money.gt(0) ? `+${text}` : text).padStart(cells)
  return money.isZero() ? signed : [money.gt(0) ? 'green' : 'red', signed]
}
