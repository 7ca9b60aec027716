import { cutTo, Decimal } from '#src/core/money/decimal.ts'
import { partLabel, type ExitLabel } from '#src/strategy/schema/exit-labels.ts'
import { isEnough, onTick, type LadderExit } from './exit-orders.ts'

export type Part = { label: ExitLabel; price: Decimal; amount: Decimal }

/**
 * The parts of the take profit that are still to be sold, in order. They divide the position at the time of the first part; the
 * last one takes the whole rest. A part below the minimum of the market joins the next one, or the last.
 */
export function partsOf({ ladder, market, own, size, entry, sign, side }: LadderExit): Part[] {
  const tp = ladder.file.exit?.tp
  if (!tp) return []
  const { exits } = own
  if (!exits.parts || Number(exits.parts.gone) === 0) exits.parts = { of: size.toFixed(), gone: '0' }
  const whole = new Decimal(exits.parts.of)
  let gone = new Decimal(exits.parts.gone)
  let left = size
  let share = new Decimal(0)
  let carried = new Decimal(0)
  const parts: Part[] = []
  exits.takenParts = 0
  for (const [index, ratio] of tp.split.entries()) {
    share = share.plus(ratio)
    const isLast = index === tp.split.length - 1
    const end = cutTo(market.amountDigits, whole.times(share))
    if (!isLast && gone.gte(end)) {
      exits.takenParts = index + 1
      continue
    }
    const fresh = isLast ? left : Decimal.min(left, end.minus(gone))
    const amount = carried.plus(fresh)
    left = left.minus(fresh)
    gone = Decimal.max(gone, end)
    const distance = tp.pct.plus(tp.gap.times(index)).times(sign)
    const price = onTick(market, side, entry.times(distance.plus(1)))
    const goes = isEnough(market, amount, price)
    if (goes) parts.push({ label: partLabel(index), price, amount })
    carried = goes ? new Decimal(0) : amount
  }
  const last = parts.at(-1)
  if (last) last.amount = last.amount.plus(carried)
  return parts
}
