import { Decimal, ShortDecimal } from '#src/core/money/decimal.ts'
import type { WeightShape } from './plan.ts'

const one: Decimal = new ShortDecimal(1)

/** The share of the budget for each rung, relative to the others: the rung next to the anchor first. */
export function weightsOf(shape: WeightShape, count: number): Decimal[] {
  switch (shape.kind) {
    case 'flat':
      return filled(count, () => one)
    case 'linear': {
      const step = count > 1 ? new ShortDecimal(shape.to).minus(shape.from).div(count - 1) : one
      return filled(count, (index) => shape.from.plus(step.times(index)))
    }
    case 'geometric': {
      let next = one
      return filled(count, () => {
        const weight = next
        next = next.times(shape.ratio)
        return weight
      })
    }
    case 'fibonacci': {
      let [last, next] = [one, one]
      return filled(count, () => {
        const weight = last
        ;[last, next] = [next, last.plus(next)]
        return weight
      })
    }
    // Both use twice the distance from the middle: odd numbers make two middle rungs equal.
    case 'valley':
      return filled(count, (index) => new Decimal(Math.abs(count - 1 - 2 * index) + 1))
    case 'mountain':
      return filled(count, (index) => new Decimal(count - Math.abs(count - 1 - 2 * index)))
    case 'list':
      return filled(count, (index) => shape.weights[index] ?? one)
  }
}

/** Added in the order of the rungs, because the sum is rounded on the way. */
export function sumOf(weights: readonly Decimal[]): Decimal {
  return weights.reduce((sum, weight) => sum.plus(weight), new ShortDecimal(0))
}

function filled(count: number, weight: (index: number) => Decimal): Decimal[] {
  return Array.from({ length: count }, (_, index) => weight(index))
}
