/** Enough for skew and kurtosis, and few enough to store with each result. */
const piecesMost = 100
/** Digits behind the point: a share of the start equity. */
const digits = 12

/**
 * Changes of the equity in equal parts of a backtest, as shares of the start equity. Days would be too few for a period of weeks.
 * Shares of the start equity add up, so that they do not depend on the balance beside the strategy.
 */
export function pieceReturns(equity: readonly number[], start: number): number[] {
  const count = Math.min(piecesMost, equity.length)
  let before = start
  return Array.from({ length: count }, (_, piece) => {
    const end = equity[Math.floor(((piece + 1) * equity.length) / count) - 1] ?? before
    const change = Number(((end - before) / start).toFixed(digits))
    before = end
    return change
  })
}
