import { Decimal } from './decimal.ts'

/** To the nearest multiple of `step` that is not larger. */
export function roundDown(value: Decimal, step: Decimal): Decimal {
  return value.toNearest(step, Decimal.ROUND_FLOOR)
}

/** To the nearest multiple of `step` that is not smaller. */
export function roundUp(value: Decimal, step: Decimal): Decimal {
  return value.toNearest(step, Decimal.ROUND_CEIL)
}
