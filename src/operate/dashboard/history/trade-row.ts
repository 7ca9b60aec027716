import { formatAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { readExitLabel, type ExitName } from '#src/strategy/schema/exit-labels.ts'
import type { ClosedPart } from './closings.ts'

/** A round trip: what one order closed, such as a mirror, a stop or an opposite entry, with the fills that opened it. */
export type TradeRow = {
  strategy: string
  /** The symbol. */
  market: string
  ladder: string
  /** The rungs that opened it, separated by commas. */
  rungs: string
  /** Label of the closing order, and what kind of order it is; `gone` is an amount that left without an order of the bot. */
  exit: string
  kind: ExitName | 'entry' | 'gone'
  side: 'long' | 'short'
  amount: string
  /** Average prices. */
  entry: string
  close: string
  /** After fees. */
  profit: string
  /** Of the money that was paid or received at the entry. */
  percent: string
  fees: string
  /** Null if unknown: the lot is older than the history. */
  openedAt: number | null
  closedAt: number
}

const priceDigits = 12
const percentDigits = 4

/** The sum of the fills of one closing order. */
export function tradeRowOf(
  of: Pick<TradeRow, 'strategy' | 'market' | 'ladder' | 'exit' | 'side'>,
  parts: readonly ClosedPart[],
): TradeRow {
  const sum = (value: (part: ClosedPart) => string) =>
    parts.reduce((total, part) => total + parseSignedAtoms(value(part)), 0n)
  const [amount, opening, closing, fees] = [
    sum((part) => part.amount),
    sum((part) => part.opening),
    sum((part) => part.closing),
    sum((part) => part.fees),
  ]
  const profit = formatAtoms(-(opening + closing + fees))
  const size = formatAtoms(amount)
  const opened = parts.map(({ openedAt }) => openedAt)
  return {
    ...of,
    kind: of.exit === 'gone' ? 'gone' : (readExitLabel(of.exit)?.name ?? 'entry'),
    rungs: [...new Set(parts.map(({ level }) => level))].join(', '),
    amount: size,
    entry: ratio(formatAtoms(opening), size, priceDigits),
    close: ratio(formatAtoms(closing), size, priceDigits),
    profit,
    percent: percentOf(profit, formatAtoms(opening)),
    fees: formatAtoms(fees),
    openedAt: opened.reduce(
      (first, at) => (first === null || at === null ? null : Math.min(first, at)),
      Infinity,
    ),
    closedAt: Math.max(...parts.map(({ at }) => at)),
  }
}

/** Money as a percentage of other money, without the sign of the other one. */
export function percentOf(part: string, whole: string): string {
  if (Number(whole) === 0) return '0'
  return new Decimal(part).times(100).div(new Decimal(whole).abs()).toDecimalPlaces(percentDigits).toFixed()
}

function ratio(money: string, amount: string, digits: number): string {
  return Number(amount) === 0 ? '0' : new Decimal(money).abs().div(amount).toDecimalPlaces(digits).toFixed()
}
