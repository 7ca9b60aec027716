import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededChance } from '#src/research/sweep/plan.ts'
import { bestOf, paretoFront } from '#src/research/sweep/search/pareto.ts'
import { ParzenDensity, type SearchDimension, type SearchPoint } from '#src/research/sweep/search/parzen.ts'
import { nextPoints, type Tried } from '#src/research/sweep/search/tree-parzen.ts'
import { isSlowRun, runs, times } from '#test/properties/runs.ts'

type Objective = (point: SearchPoint) => readonly number[]

const roundPoints = 10

/** Points of a search, or random ones, with their scores. */
function searched(
  dimensions: readonly SearchDimension[],
  objective: Objective,
  tries: number,
  seed: string,
): Tried[] {
  const chance = seededChance(seed)
  const tried: Tried[] = []
  while (tried.length < tries) {
    const points = nextPoints(dimensions, tried, Math.min(roundPoints, tries - tried.length), chance)
    if (points.length === 0) break
    tried.push(...points.map((point) => ({ point, scores: objective(point) })))
  }
  return tried
}

function drawn(
  dimensions: readonly SearchDimension[],
  objective: Objective,
  tries: number,
  seed: string,
): Tried[] {
  const chance = seededChance(seed)
  return Array.from({ length: tries }, () => {
    const point = dimensions.map(({ count }) => Math.floor(chance() * count))
    return { point, scores: objective(point) }
  })
}

const bestScore = (tried: readonly Tried[]) =>
  Math.max(...tried.map(({ scores: [score = -Infinity] }) => score))
const valuesOf = (count: number, dimensions: number): SearchDimension[] =>
  Array.from({ length: dimensions }, () => ({ count, isOrdered: true }))

/** Branin's function, whose largest value is -0.3979. */
const branin: Objective = ([first = 0, second = 0]) => {
  const [x, y] = [(first / 1000) * 15 - 5, (second / 1000) * 15]
  const valley = y - (5.1 * x * x) / (4 * Math.PI ** 2) + (5 * x) / Math.PI - 6
  return [-(valley ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10)]
}

/** Hartmann's function of six variables, whose largest value is 3.3224: its parameters as published with the function. */
const peaks = [
  { height: 1, widths: [10, 3, 17, 3.5, 1.7, 8], at: [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886] },
  { height: 1.2, widths: [0.05, 10, 17, 0.1, 8, 14], at: [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991] },
  { height: 3, widths: [3, 3.5, 1.7, 10, 17, 8], at: [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665] },
  { height: 3.2, widths: [17, 8, 0.05, 10, 0.1, 14], at: [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381] },
]
const hartmann: Objective = (point) => [
  peaks.reduce((sum, { height, widths, at }) => {
    const far = widths.reduce(
      (distance, width, place) => distance + width * ((point[place] ?? 0) / 1000 - (at[place] ?? 0)) ** 2,
      0,
    )
    return sum + height * Math.exp(-far)
  }, 0),
]

/** Neighbours say nothing about each other. */
const worth = (value: number) => (value * 17) % 40
const shuffled: Objective = ([a = 0, b = 0]) => [worth(a) + worth(b)]

/** The best points have zeros behind `a`, whose share is exchanged between the objectives. */
const exchanged: Objective = ([a = 0, ...others]) => {
  const loss = others.reduce((sum, value) => sum + value / 200, 0)
  return [a / 200 - loss, 1 - (a / 200) ** 2 - loss]
}

/** Half of the points are equal, and a hill beside them is better. */
const plateauAndHill: Objective = ([a = 0, b = 0, c = 0]) => [
  a < 12 ? 1 : 2 - Math.hypot(a - 20, 2 * (b - 4), c - 20) / 5,
]

/** What the front dominates, above -3. */
const area = (tried: readonly Tried[]) => {
  const scores = tried.map((each) => each.scores)
  const front = paretoFront(scores).map((index) => scores[index] ?? [])
  let [sum, floor] = [0, -3]
  for (const [x = 0, y = 0] of front.toSorted((one, other) => (other[0] ?? 0) - (one[0] ?? 0))) {
    sum += Math.max(0, x + 3) * Math.max(0, y - floor)
    floor = Math.max(floor, y)
  }
  return sum
}

describe('a search with tree-structured Parzen estimators', () => {
  const objectives: [string, SearchDimension[], Objective, number][] = [
    ['Branin', valuesOf(1001, 2), branin, -0.6],
    ['Hartmann', valuesOf(1001, 6), hartmann, 2.8],
  ]
  test.for(objectives.slice(0, times(2, 2, 1)))(
    'of 200 points is better than 200 random ones with most seeds: %s',
    ([name, dimensions, objective, typical]) => {
      const seeds = times(4, 20)
      const bests = Array.from({ length: seeds }, (_, seed) => [
        bestScore(searched(dimensions, objective, 200, `tpe ${seed}`)),
        bestScore(drawn(dimensions, objective, 200, `random ${seed}`)),
      ])
      const wins = bests.filter(([ours = 0, random = 0]) => ours > random).length
      expect(wins).toBeGreaterThanOrEqual(Math.ceil(0.75 * seeds))
      const [middle = -Infinity, usual] = [0, 1].map(
        (side) => bests.map((each) => each[side] ?? 0).toSorted((a, b) => a - b)[Math.floor(seeds / 2)],
      )
      if (isSlowRun)
        process.stderr.write(`${name}: better with ${wins} of ${seeds}, median ${middle} against ${usual}\n`)
      expect(middle).toBeGreaterThan(typical)
    },
  )

  test('leaves a plateau of equal scores for a hill beside it', () => {
    const dimensions = [25, 9, 25].map((count) => ({ count, isOrdered: true }))
    for (const seed of ['0', '1', '2', '3', '4', '5', '6', '7'])
      expect(bestScore(searched(dimensions, plateauAndHill, 100, seed))).toBeGreaterThan(1.5)
  })

  test('finds the best of values without an order', () => {
    const dimensions = [
      { count: 40, isOrdered: false },
      { count: 40, isOrdered: false },
    ]
    const seeds = Array.from({ length: times(8, 8, 4) }, (_, number) => String(number + 1))
    const wins = seeds.filter(
      (seed) =>
        bestScore(searched(dimensions, shuffled, 200, seed)) >
        bestScore(drawn(dimensions, shuffled, 200, seed)),
    )
    expect(wins.length).toBeGreaterThanOrEqual(0.75 * seeds.length)
  })

  test('covers the front of two objectives better than random points with most seeds', () => {
    const dimensions = valuesOf(201, 4)
    const seeds = ['1', '2', '3', '4', '5', '6', '7', '8'].slice(0, times(8, 8, 4))
    const areas = seeds.map((seed) =>
      [searched, drawn].map((by) => area(by(dimensions, exchanged, 150, seed))),
    )
    expect(areas.filter(([ours = 0, random = 0]) => ours > random).length).toBeGreaterThanOrEqual(
      0.75 * seeds.length,
    )
    const [mean = 0, usual = 0] = [0, 1].map((side) =>
      areas.reduce((sum, each) => sum + (each[side] ?? 0), 0),
    )
    expect(mean).toBeGreaterThan(1.1 * usual)
  })

  test('tries no point twice, and ends when all are tried', () => {
    const dimensions = [
      { count: 5, isOrdered: true },
      { count: 6, isOrdered: false },
    ]
    const tried = searched(dimensions, ([a = 0, b = 0]) => [a - b], 100, 'all')
    expect(new Set(tried.map(({ point }) => String(point))).size).toBe(tried.length)
    expect(tried.length).toBe(30)
  })

  test('depends only on the seed and the scores', () => {
    const first = searched(valuesOf(50, 3), branin, 60, 'one')
    expect(searched(valuesOf(50, 3), branin, 60, 'one')).toEqual(first)
    expect(searched(valuesOf(50, 3), branin, 60, 'two')).not.toEqual(first)
  })

  test('goes on if many or all variants are invalid', () => {
    const tried = searched(valuesOf(100, 2), ([a = 0]) => [a < 50 ? -Infinity : a], 100, 'some')
    expect(bestScore(tried)).toBeGreaterThan(95)
    expect(searched(valuesOf(100, 2), () => [-Infinity], 60, 'all')).toHaveLength(60)
  })
})

test('a Parzen density sums to one, and draws points in proportion', () => {
  const dimensions = [
    { count: 7, isOrdered: true },
    { count: 4, isOrdered: false },
  ]
  const density = new ParzenDensity(dimensions, [
    [0, 1],
    [2, 3],
    [2, 3],
  ])
  const points = Array.from({ length: 28 }, (_, number) => [Math.floor(number / 4), number % 4])
  const shares = points.map((point) => Math.exp(density.logDensity(point)))
  // The kernels of ordered values are densities, so that the sum over whole numbers is near to one.
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 1)
  const chance = seededChance('draws')
  const counts = new Map<string, number>()
  for (let draw = 0; draw < 20_000; draw++) {
    const point = String(density.draw(chance))
    counts.set(point, (counts.get(point) ?? 0) + 1)
  }
  for (const [index, point] of points.entries())
    expect((counts.get(String(point)) ?? 0) / 20_000).toBeCloseTo(shares[index] ?? 0, 1)
})

const scoreLists = fc.integer({ min: 1, max: 3 }).chain((objectives) =>
  fc.array(fc.array(fc.integer({ min: 0, max: 6 }), { minLength: objectives, maxLength: objectives }), {
    minLength: 1,
    maxLength: 30,
  }),
)

test('a Pareto front has exactly the scores that no others dominate', () => {
  fc.assert(
    fc.property(scoreLists, (scores) => {
      const isDominated = (own: number[]) =>
        scores.some(
          (other) =>
            other.every((score, place) => score >= (own[place] ?? 0)) &&
            other.some((score, place) => score > (own[place] ?? 0)),
        )
      const expected = scores.flatMap((own, index) => (isDominated(own) ? [] : [index]))
      expect(paretoFront(scores)).toEqual(expected)
    }),
    runs(300, 20_000),
  )
})

test('the best of several scores are taken front after front', () => {
  fc.assert(
    fc.property(scoreLists, fc.integer({ min: 1, max: 10 }), (scores, count) => {
      const best = bestOf(scores, count)
      expect(new Set(best).size).toBe(Math.min(count, scores.length))
      const front = paretoFront(scores)
      if (best.length <= front.length) expect(front).toEqual(expect.arrayContaining(best))
      else expect(best).toEqual(expect.arrayContaining(front))
    }),
    runs(300, 20_000),
  )
  // The ends of a front come first, then the largest gap.
  const line = [0, 1, 2, 6, 10].map((x) => [x, 10 - x])
  expect(bestOf(line, 3)).toEqual([0, 4, 3])
})
