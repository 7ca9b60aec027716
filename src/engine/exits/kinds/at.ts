import { valueOf } from '#src/strategy/check/rungs.ts'
import { onTick } from '#src/engine/exits/exit-orders.ts'
import { isReached, type ExitKind } from './exit-kind.ts'

/** A price of the file, which may follow the market: the position is closed there, and at no worse price. */
export const at: ExitKind = {
  text: 'exit at a price',
  lasts: false,
  marks: ({ ladder, scene, market, side }) => {
    const found = ladder.programs.exitAt && valueOf(ladder.programs.exitAt, scene.views.now)
    const price =
      found && 'value' in found && found.value.gt(0) ? onTick(market, side, found.value) : undefined
    return { price, good: price }
  },
  isDue: (leaving, { price }) => isReached(leaving, price),
  reason: (_leaving, { price }, { far }) => `exit.at is ${price?.toFixed() ?? 'unknown'}${far(price)}`,
}
