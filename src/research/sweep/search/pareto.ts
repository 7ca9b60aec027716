/** Whether the first scores are at least as good in each objective, and better in one. Higher is better. */
function dominates(one: readonly number[], other: readonly number[]): boolean {
  let isBetter = false
  for (const [objective, score] of one.entries()) {
    const against = other[objective] ?? -Infinity
    if (score < against) return false
    isBetter ||= score > against
  }
  return isBetter
}

/** The indexes of the scores that no other ones dominate, in the order of the list: the Pareto front. */
export function paretoFront(scores: readonly (readonly number[])[]): number[] {
  // After this order, no later scores dominate earlier ones, so that a comparison with the front suffices.
  const order = scores.map((_, index) => index).sort((a, b) => lexical(scores[b], scores[a]) || a - b)
  const front: number[] = []
  for (const index of order) {
    const own = scores[index] ?? []
    if (!front.some((other) => dominates(scores[other] ?? [], own))) front.push(index)
  }
  return front.sort((a, b) => a - b)
}

/** Positive if the first scores are larger, by the first objective that differs. */
function lexical(one: readonly number[] = [], other: readonly number[] = []): number {
  for (const [objective, score] of one.entries()) {
    const against = other[objective] ?? -Infinity
    if (score !== against) return score > against ? 1 : -1
  }
  return 0
}

/**
 * The indexes of at least `count` scores, the best first: front after front, and within a front first those that lie
 * farthest from their neighbours, so that the best ones cover the whole front.
 */
export function bestOf(scores: readonly (readonly number[])[], count: number): number[] {
  const best: number[] = []
  let left = scores.map((_, index) => index)
  while (best.length < count && left.length > 0) {
    const front = paretoFront(left.map((index) => scores[index] ?? [])).map((place) => left[place] ?? 0)
    const gaps = gapsOf(front.map((index) => scores[index] ?? []))
    const places = front.map((_, place) => place)
    places.sort((a, b) => descending(gaps[a], gaps[b]) || a - b)
    best.push(...places.map((place) => front[place] ?? 0))
    const taken = new Set(front)
    left = left.filter((index) => !taken.has(index))
  }
  return best.slice(0, count)
}

export function descending(a = 0, b = 0): number {
  return a === b ? 0 : b > a ? 1 : -1
}

/** For each scores of a front: the sum of the distances between its two neighbours, each as a share of the whole distance. */
function gapsOf(front: readonly (readonly number[])[]): number[] {
  const gaps = front.map(() => 0)
  const objectives = front[0]?.length ?? 0
  for (let objective = 0; objective < objectives; objective++) {
    const at = (place: number | undefined) => front[place ?? -1]?.[objective] ?? 0
    const order = front.map((_, place) => place).sort((a, b) => descending(at(a), at(b)) || a - b)
    const span = at(order[0]) - at(order.at(-1))
    for (const [rank, place] of order.entries()) {
      const [before, after] = [order[rank - 1], order[rank + 1]]
      const isEnd = before === undefined || after === undefined
      const gap = isEnd ? Infinity : span > 0 ? (at(before) - at(after)) / span : 0
      gaps[place] = (gaps[place] ?? 0) + (Number.isNaN(gap) ? 0 : gap)
    }
  }
  return gaps
}
