/** The first index from `low` on for which the condition is true, or `high`. Once it is true, it stays true. */
export function firstIndex(low: number, high: number, isReached: (index: number) => boolean): number {
  let [from, until] = [low, high]
  while (from < until) {
    const middle = (from + until) >> 1
    if (isReached(middle)) until = middle
    else from = middle + 1
  }
  return from
}
