import { away, badTick, isFallenTo, priceText, type ExitKind } from './exit-kind.ts'

export const stop: ExitKind = {
  text: 'stop',
  lasts: true,
  marks: (leaving) => {
    const { entry, ladder } = leaving
    const { stop } = ladder.file.exit ?? {}
    const price = stop && badTick(leaving, away(leaving, entry, entry.times(stop.pct).neg()))
    return { price, bad: price }
  },
  isDue: (leaving, { price }) => isFallenTo(leaving, price),
  reason: (_leaving, { price }, { far }) => `the stop is at ${priceText(price)}${far(price)}`,
}
