import { over, plus, times, type Long } from './long-double.ts'
import type { WeightShape } from './plan.ts'
import { digitsOf, fraction, long, whole } from './tick-numbers.ts'

export type Weights = { high: Float64Array; low: Float64Array; sum: Long; isExact: boolean }

/** The weights of `weightsOf`, all at the same scale; exact if they and their sum are whole numbers. */
export function tickWeights(shape: WeightShape, counts: readonly number[]): Weights {
  const all = counts.reduce((sum, count) => sum + count, 0)
  const high = new Float64Array(all)
  const low = new Float64Array(all)
  let sum = long(0)
  let at = 0
  let areWhole = true
  for (const count of counts) {
    const { weightOf, isWhole } = weigher(shape, count)
    areWhole &&= isWhole
    for (let index = 0; index < count; index++) {
      const weight = weightOf(index)
      high[at] = weight.high
      low[at] = weight.low
      sum = plus(sum, weight)
      at += 1
    }
  }
  return { high, low, sum, isExact: areWhole && sum.low === 0 && sum.high <= Number.MAX_SAFE_INTEGER }
}

type Weigher = { isWhole: boolean; weightOf: (index: number) => Long }

function weigher(shape: WeightShape, count: number): Weigher {
  switch (shape.kind) {
    case 'flat':
      return { isWhole: true, weightOf: () => long(1) }
    case 'linear': {
      const digits = digitsOf([shape.from, shape.to])
      const [from, to] = [whole(shape.from, digits), whole(shape.to, digits)]
      const last = long(Math.max(count - 1, 1))
      return {
        isWhole: false,
        weightOf: (index) => plus(long(from), over(long((to - from) * index), last)),
      }
    }
    case 'geometric': {
      const ratio = fraction(shape.ratio)
      let next = long(1)
      const weightOf = () => {
        const weight = next
        next = times(next, ratio)
        return weight
      }
      return { isWhole: false, weightOf }
    }
    case 'fibonacci': {
      let [last, next] = [long(1), long(1)]
      const weightOf = () => {
        const weight = last
        ;[last, next] = [next, plus(last, next)]
        return weight
      }
      return { isWhole: true, weightOf }
    }
    case 'valley':
      return { isWhole: true, weightOf: (index) => long(Math.abs(count - 1 - 2 * index) + 1) }
    case 'mountain':
      return { isWhole: true, weightOf: (index) => long(count - Math.abs(count - 1 - 2 * index)) }
    case 'list': {
      const digits = digitsOf(shape.weights)
      const weights = shape.weights.map((weight) => whole(weight, digits))
      return { isWhole: true, weightOf: (index) => long(weights[index] ?? NaN) }
    }
  }
}
