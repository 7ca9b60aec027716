import { Decimal } from '#src/core/money/decimal.ts'
import { onTick } from '#src/engine/exits/exit-orders.ts'
import { away, badTick, isFallenTo, isReached, priceText, type ExitKind } from './exit-kind.ts'

/** A stop that follows the best price at a distance, once the price has moved far enough in our favour. */
export const trail: ExitKind = {
  text: 'trailing stop',
  lasts: true,
  marks: (leaving) => {
    const { ladder, own, market, side, entry } = leaving
    const { trail } = ladder.file.exit ?? {}
    const unit = new Decimal(own.unit ?? 0)
    if (!trail || !unit.gt(0)) return { price: undefined }
    if (own.exits.trailBest === null) {
      const start = onTick(market, side, away(leaving, entry, unit.times(trail.activate)))
      return { price: start, good: start }
    }
    const best = new Decimal(own.exits.trailBest)
    const price = badTick(leaving, away(leaving, best, unit.times(trail.retrace).neg()))
    const tick = new Decimal(10).pow(-market.priceDigits)
    return { price, bad: price, best: away(leaving, best, tick) }
  },
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
