import { normalBelow, normalQuantile } from '../luck/normal-distribution.ts'

/** A parameter of a search: the number of its values, and whether neighbours are similar, as with numbers. */
export type SearchDimension = { count: number; isOrdered: boolean }
/** The number of the value of each parameter. */
export type SearchPoint = readonly number[]
/** A random number from 0 to 1, not included. */
export type SearchChance = () => number

/** The density of one parameter around one point. */
type Kernel = { draw: (chance: SearchChance) => number; logDensity: (value: number) => number }
type Component = readonly Kernel[]

/**
 * The width of a kernel as a share of the range: the distance to the farther one of the two neighbours, within these limits.
 * So it is narrow where many points are. The upper limit is that for one point, and falls slowly as the points become more.
 */
const width = { least: 0.02, most: 0.15 }
/** The weight of all other values together, in a kernel of a parameter without an order. */
const otherWeight = 0.5

/**
 * A density over all points: the mean of kernels around the given ones, and of one that covers everything, so that no point
 * is impossible. A kernel has one width for each parameter, and no correlation.
 */
export class ParzenDensity {
  readonly #components: Component[]

  constructor(dimensions: readonly SearchDimension[], points: readonly SearchPoint[]) {
    const most = width.most * points.length ** (-1 / (dimensions.length + 4))
    const everything = dimensions.map(({ count }) => uniform(count))
    const sorted = dimensions.map((_, place) =>
      points.map((point) => point[place] ?? 0).sort((a, b) => a - b),
    )
    const around = points.map((point) =>
      dimensions.map(({ count, isOrdered }, place) => {
        const value = point[place] ?? 0
        if (!isOrdered) return spike(count, value)
        const share = farNeighbour(sorted[place] ?? [], value, count) / count
        return bell(count, value, Math.min(most, Math.max(width.least, share)))
      }),
    )
    this.#components = [everything, ...around]
  }

  draw(chance: SearchChance): number[] {
    const component = this.#components[Math.floor(chance() * this.#components.length)] ?? []
    return component.map((kernel) => kernel.draw(chance))
  }

  logDensity(point: SearchPoint): number {
    const logs = this.#components.map((component) =>
      component.reduce((sum, kernel, place) => sum + kernel.logDensity(point[place] ?? 0), 0),
    )
    const most = Math.max(...logs)
    return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / logs.length)
  }
}

/** The larger distance to a neighbour among the sorted values; beyond them lie the ends of the range. */
function farNeighbour(sorted: readonly number[], value: number, count: number): number {
  const at = sorted.indexOf(value)
  return Math.max(value - (sorted[at - 1] ?? -0.5), (sorted[at + 1] ?? count - 0.5) - value)
}

function uniform(count: number): Kernel {
  const log = -Math.log(count)
  return { draw: (chance) => Math.floor(chance() * count), logDensity: () => log }
}

/** A normal distribution around a value, cut at half a value beyond the ends. */
function bell(count: number, middle: number, share: number): Kernel {
  const deviation = Math.max(share * count, 0.5)
  const [low, high] = [-0.5, count - 0.5].map((end) => normalBelow((end - middle) / deviation))
  const [from, mass] = [low ?? 0, (high ?? 1) - (low ?? 0)]
  const logScale = Math.log(deviation * Math.sqrt(2 * Math.PI) * mass)
  return {
    draw(chance) {
      const value = Math.round(middle + deviation * normalQuantile(from + chance() * mass))
      return Math.min(count - 1, Math.max(0, value))
    },
    logDensity: (value) => -(((value - middle) / deviation) ** 2) / 2 - logScale,
  }
}

function spike(count: number, value: number): Kernel {
  const other = otherWeight / count / (1 + otherWeight)
  const [logOther, logOwn] = [Math.log(other), Math.log(other + 1 / (1 + otherWeight))]
  return {
    draw(chance) {
      return chance() < 1 / (1 + otherWeight) ? value : Math.floor(chance() * count)
    },
    logDensity: (at) => (at === value ? logOwn : logOther),
  }
}
