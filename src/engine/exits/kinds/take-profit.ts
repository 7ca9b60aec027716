import { cutTo, Decimal } from '#src/core/money/decimal.ts'
import { partLabel } from '#src/strategy/schema/exit-labels.ts'
import { isEnough, onTick, type LadderExit } from '#src/engine/exits/exit-orders.ts'
import type { ExitState } from '#src/engine/state/exit-state.ts'
import { isReached, type ExitKind, type Part } from './exit-kind.ts'

/** Closes a position in parts, each at a distance from the average entry. A resting part is due at the venue. */
export const takeProfit: ExitKind = {
  text: 'take profit',
  lasts: false,
  marks: (leaving) => {
    const rests = leaving.ladder.file.exit?.tp?.mode === 'resting'
    const parts = partsOf(leaving)
    const price = rests ? undefined : parts[0]?.price
    return { price, good: price, parts }
  },
  isDue: (leaving, { price }) => isReached(leaving, price),
  reason: ({ ladder }, _marks, { key }) =>
    `it is part ${key} of ${ladder.file.exit?.tp?.split.length ?? 1} of the take profit`,
}

/** Until the first part is sold, the parts divide the whole position of now. */
export function settleParts({ ladder, own: { exits }, size }: LadderExit): void {
  if (ladder.file.exit?.tp && !isBegun(exits)) exits.parts = { of: size.toFixed(), gone: '0' }
}

function isBegun({ parts }: ExitState): boolean {
  return parts !== null && Number(parts.gone) !== 0
}

/**
 * The parts of the take profit that are still to be sold, in order. They divide the position at the time of the first part; the
 * last one takes the whole rest. A part below the minimum of the market joins the next one, or the last.
 */
export function partsOf({ ladder, market, own, size, entry, sign, side }: LadderExit): Part[] {
  const tp = ladder.file.exit?.tp
  if (!tp) return []
  const begun = isBegun(own.exits) ? own.exits.parts : null
  const whole = new Decimal(begun?.of ?? size)
  let gone = new Decimal(begun?.gone ?? 0)
  let left = size
  let share = new Decimal(0)
  let carried = new Decimal(0)
  const parts: Part[] = []
  for (const [index, ratio] of tp.split.entries()) {
    share = share.plus(ratio)
    const isLast = index === tp.split.length - 1
    const end = cutTo(market.amountDigits, whole.times(share))
    if (!isLast && gone.gte(end)) continue
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
  else if (sign === 1 && carried.gt(0)) {
    // Too small to be sold at the price of the take profit, but not at a higher one.
    const price = onTick(market, side, market.minTotal.div(carried))
    if (isEnough(market, carried, price))
      parts.push({ label: partLabel(tp.split.length - 1), price, amount: carried })
  }
  return parts
}
