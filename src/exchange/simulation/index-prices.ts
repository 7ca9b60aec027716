import { normal } from './random.ts'
import {
  changeOf,
  moveOf,
  moveVolatility,
  shapeOfDay,
  stepMs,
  stepSizesOf,
  volatilityChanges,
  volatilityMs,
  type Walk,
} from './price-walk.ts'
import { stepReverting, type RevertingWalk } from './reverting-walk.ts'
import type { SimulationState } from './simulation-records.ts'

const sizes = stepSizesOf(stepMs)
const volatilitySizes = stepSizesOf(volatilityMs)

/** Moves the index price of each asset by one step. */
export function moveIndexPrices({ volatility, tide, steps, indexes }: SimulationState, at: number): void {
  const shape = shapeOfDay(at)
  if (volatility && volatilityChanges(steps)) moveVolatility(volatility, tide, volatilitySizes, shape)
  const pace = volatility?.pace ?? 1
  const common = volatility ? changeOf(tide, sizes, pace) : normal(tide)
  for (const index of indexes) {
    const { walk } = index
    const price =
      'swing' in walk
        ? stepReverting(walk, steps, shape, common)
        : (walk.price *= 1 + moveOf(walk, sizes, pace, common))
    index.units = Math.round(price * 1e9)
  }
}

/** How active the markets of an asset are, 1 on average. */
export function paceOf({ volatility }: SimulationState, walk: Walk | RevertingWalk): number {
  return 'swing' in walk ? walk.pace : (volatility?.pace ?? 1)
}
