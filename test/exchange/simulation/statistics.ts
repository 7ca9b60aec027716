/**
 * Statistics of price series, from their published formulas and not from the code that makes the prices. Returns are
 * differences of logarithms (Cont, Empirical properties of asset returns, Quantitative Finance 1, 2001).
 */
export function returnsOf(prices: readonly number[]): number[] {
  return prices.slice(1).map((price, index) => Math.log(price / (prices[index] ?? price)))
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function deviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
}

/** Sample autocorrelation at this lag: 0 none, 1 full. */
export function autocorrelation(values: readonly number[], lag: number): number {
  const middle = mean(values)
  let [product, square] = [0, 0]
  for (const [index, value] of values.entries()) {
    square += (value - middle) ** 2
    if (index >= lag) product += (value - middle) * ((values[index - lag] ?? middle) - middle)
  }
  return product / square
}

/** Fourth moment over the squared second moment; 3 for a normal distribution. */
export function kurtosis(values: readonly number[]): number {
  const middle = mean(values)
  return (
    mean(values.map((value) => (value - middle) ** 4)) /
    mean(values.map((value) => (value - middle) ** 2)) ** 2
  )
}

/** Pearson's correlation. */
export function correlation(some: readonly number[], others: readonly number[]): number {
  const [one, other] = [mean(some), mean(others)]
  const product = mean(some.map((value, index) => (value - one) * ((others[index] ?? other) - other)))
  return product / (deviation(some) * deviation(others))
}

/**
 * Variance ratio of `span` steps, with overlapping spans and unbiased variances (Lo and MacKinlay, Stock market prices do
 * not follow random walks, Review of Financial Studies 1, 1988): 1 for a random walk, less if prices revert, more if they
 * trend.
 */
export function varianceRatio(prices: readonly number[], span: number): number {
  const logs = prices.map((price) => Math.log(price))
  const count = logs.length - 1
  const drift = ((logs[count] ?? 0) - (logs[0] ?? 0)) / count
  const squares = (over: number) => {
    let sum = 0
    for (let end = over; end <= count; end++)
      sum += ((logs[end] ?? 0) - (logs[end - over] ?? 0) - over * drift) ** 2
    return sum
  }
  const ofOne = squares(1) / (count - 1)
  return squares(span) / (span * (count - span + 1) * (1 - span / count)) / ofOne
}
