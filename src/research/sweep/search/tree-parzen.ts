import { bestOf } from './pareto.ts'
import { ParzenDensity, type SearchChance, type SearchDimension, type SearchPoint } from './parzen.ts'

/** A point that was tried, with the score of each objective. Higher is better. */
export type Tried = { point: SearchPoint; scores: readonly number[] }

/** So many points are random before the search uses their scores. */
const startPoints = 20
/** Of the points that were tried, the share that counts as good, and their largest number. */
const goodShare = 0.15
const goodMost = 25
/** Points that the good density draws for each one that is tried. More of them stay closer to the good points. */
const candidates = 64

/**
 * Bayesian search with tree-structured Parzen estimators: of points that are drawn near the good ones, it takes the one where
 * the density of the good points is largest in proportion to the density of the others. Returns up to `count` points that were
 * not tried before, which depend on nothing but the arguments.
 */
export function nextPoints(
  dimensions: readonly SearchDimension[],
  tried: readonly Tried[],
  count: number,
  chance: SearchChance,
): SearchPoint[] {
  const known = new Set(tried.map(({ point }) => String(point)))
  const { good, bad } = splitOf(tried)
  const likes = new ParzenDensity(dimensions, good)
  const found: SearchPoint[] = []
  while (found.length < count) {
    // Points of this round have no scores yet. They count as bad, so that the round does not try one place only.
    const dislikes = new ParzenDensity(dimensions, [...bad, ...found])
    const isStart = tried.length + found.length < startPoints
    const best = isStart ? undefined : likeliest(likes, dislikes, known, chance)
    const point = best ?? untried(dimensions, known, chance)
    if (!point) break
    known.add(String(point))
    found.push(point)
  }
  return found
}

/**
 * Variants with equal scores have mostly made the same trades. Only the first one of them can be good, and the others are bad:
 * else a plateau could be all that is good, and the search would stay there.
 */
function splitOf(tried: readonly Tried[]): { good: SearchPoint[]; bad: SearchPoint[] } {
  const distinct = [...Map.groupBy(tried, ({ scores }) => String(scores)).values()].flatMap(
    ([first]) => first ?? [],
  )
  const count = Math.min(goodMost, Math.ceil(tried.length * goodShare))
  const scores = distinct.map((each) => each.scores)
  const isGood = new Set(bestOf(scores, count).map((index) => distinct[index]))
  const [good, bad]: [SearchPoint[], SearchPoint[]] = [[], []]
  for (const each of tried) (isGood.has(each) ? good : bad).push(each.point)
  return { good, bad }
}

function likeliest(
  likes: ParzenDensity,
  dislikes: ParzenDensity,
  known: ReadonlySet<string>,
  chance: SearchChance,
): SearchPoint | undefined {
  let [found, most]: [SearchPoint | undefined, number] = [undefined, -Infinity]
  for (let candidate = 0; candidate < candidates; candidate++) {
    const point = likes.draw(chance)
    if (known.has(String(point))) continue
    const gain = likes.logDensity(point) - dislikes.logDensity(point)
    if (gain > most) [found, most] = [point, gain]
  }
  return found
}

/** A random point, or the next one that was not tried; undefined if all were. */
function untried(
  dimensions: readonly SearchDimension[],
  known: ReadonlySet<string>,
  chance: SearchChance,
): SearchPoint | undefined {
  const point = dimensions.map(({ count }) => Math.floor(chance() * count))
  for (let attempt = 0; attempt <= known.size; attempt++) {
    if (!known.has(String(point))) return point
    for (let place = point.length - 1; place >= 0; place--) {
      point[place] = ((point[place] ?? 0) + 1) % (dimensions[place]?.count ?? 1)
      if (point[place] !== 0) break
    }
  }
  return undefined
}
