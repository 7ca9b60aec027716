import type { Decimal } from '#src/core/money/decimal.ts'
import { plus, type Long } from './long-double.ts'
import type { WeightShape } from './plan.ts'
import { digitsOf, long, longWhole } from './tick-numbers.ts'
import { sumOf, weightsOf } from './weights.ts'

/** The weights of both sides with twice the digits, all at the same scale. */
export type Weights = {
  high: Float64Array
  low: Float64Array
  sum: Long
  /** Whether they and their sum are whole numbers. */
  isExact: boolean
  first: Decimal | undefined
  total: Decimal
}

/** By the rungs of each side: a price that moves in a range changes them. */
const weightsByShape = new WeakMap<WeightShape, Map<string, Weights>>()
const keptMost = 256

/** `counts` are the rungs of each side. */
export function tickWeights(shape: WeightShape, counts: readonly number[]): Weights {
  let known = weightsByShape.get(shape)
  if (!known) weightsByShape.set(shape, (known = new Map()))
  const key = counts.join(' ')
  let weights = known.get(key)
  if (weights) return weights
  weights = computed(shape, counts)
  if (known.size === keptMost) known.clear()
  known.set(key, weights)
  return weights
}

function computed(shape: WeightShape, counts: readonly number[]): Weights {
  const exact = counts.flatMap((count) => weightsOf(shape, count))
  const digits = digitsOf(exact)
  const high = new Float64Array(exact.length)
  const low = new Float64Array(exact.length)
  let sum = long(0)
  let each = sum
  for (const [index, weight] of exact.entries()) {
    if (weight !== exact[index - 1]) each = longWhole(weight, digits)
    high[index] = each.high
    low[index] = each.low
    sum = plus(sum, each)
  }
  const isExact = sum.low === 0 && sum.high <= Number.MAX_SAFE_INTEGER
  return { high, low, sum, isExact, first: exact[0], total: sumOf(exact) }
}
