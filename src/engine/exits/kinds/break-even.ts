import { onTick } from '#src/engine/exits/exit-orders.ts'
import { away, badTick, isFallenTo, isReached, priceText, type ExitKind } from './exit-kind.ts'

/** A stop near the average entry, once the price was far enough in our favour; it stays active if the average entry moves. */
export const breakEven: ExitKind = {
  text: 'break-even stop',
  lasts: true,
  marks: (leaving) => {
    const { ladder, own, market, side, entry } = leaving
    const { break_even: stop } = ladder.file.exit ?? {}
    if (!stop) return { price: undefined }
    if (own.exits.breakEven !== true) {
      const start = onTick(market, side, away(leaving, entry, entry.times(stop.activate)))
      return { price: start, good: start }
    }
    const price = badTick(leaving, away(leaving, entry, entry.times(stop.at)))
    return { price, bad: price }
  },
  isActive: ({ exits }) => exits.breakEven === true,
  isDue: (leaving, { bad }) => isFallenTo(leaving, bad),
  follow: (leaving, { good }) => {
    if (isReached(leaving, good)) leaving.own.exits.breakEven = true
  },
  reason: ({ own }, { price }, { far }) =>
    own.exits.breakEven === true
      ? `the break-even stop is at ${priceText(price)}${far(price)}`
      : `the break-even stop becomes active at ${priceText(price)}${far(price)}`,
}
