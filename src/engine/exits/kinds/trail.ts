import { Decimal } from '#src/core/money/decimal.ts'
import type { ExitFile } from '#src/strategy/schema/exit-schema.ts'
import { onTick } from '#src/engine/exits/exit-orders.ts'
import { away, badTick, isFallenTo, isReached, priceText, type ExitKind } from './exit-kind.ts'

type Distance = NonNullable<ExitFile['trail']>['activate']

/** A stop that follows the best price at a distance, once the price has moved far enough in our favour. */
export const trail: ExitKind = {
  text: 'trailing stop',
  lasts: true,
  marks: (leaving) => {
    const { ladder, own, market, side, entry } = leaving
    const { trail } = ladder.file.exit ?? {}
    if (!trail) return { price: undefined }
    const distance = ({ of, by }: Distance, from: Decimal) =>
      by.times(of === 'unit' ? new Decimal(own.unit ?? 0) : from)
    // A ladder that was never laid, such as one from another file, has no unit.
    const isUnknown = trail.retrace.of === 'unit' || trail.activate.of === 'unit'
    if (isUnknown && !new Decimal(own.unit ?? 0).gt(0)) return { price: undefined }
    if (own.exits.trailBest === null) {
      const start = onTick(market, side, away(leaving, entry, distance(trail.activate, entry)))
      return { price: start, good: start }
    }
    const best = new Decimal(own.exits.trailBest)
    const price = badTick(leaving, away(leaving, best, distance(trail.retrace, best).neg()))
    const tick = new Decimal(10).pow(-market.priceDigits)
    return { price, bad: price, best: away(leaving, best, tick) }
  },
  isActive: ({ exits }) => exits.trailBest !== null,
  isDue: (leaving, { bad }) => isFallenTo(leaving, bad),
  /** From the price on at which it is activated. */
  follow: (leaving, { good, best = good }) => {
    const { touch, own } = leaving
    if (touch && isReached(leaving, best)) own.exits.trailBest = touch.toNumber()
  },
  reason: ({ own }, { price }, { far }) =>
    own.exits.trailBest === null
      ? `it trails the price from ${priceText(price)}${far(price)}`
      : `it exits at ${priceText(price)}, behind the best price ${own.exits.trailBest}`,
}
