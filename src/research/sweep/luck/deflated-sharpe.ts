import { normalBelow, normalQuantile } from './normal-distribution.ts'

const eulerMascheroni = 0.5772156649015329

/** Moments of returns. The variance is that of a sample, the skew and the kurtosis (3 for the normal) those of the population. */
type Moments = { count: number; mean: number; variance: number; skew: number; kurtosis: number }

export function momentsOf(values: readonly number[]): Moments {
  const count = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  const sum = (power: number) => values.reduce((all, value) => all + (value - mean) ** power, 0)
  const squares = sum(2)
  const deviation = Math.sqrt(squares / count)
  return {
    count,
    mean,
    variance: squares / (count - 1),
    skew: sum(3) / count / deviation ** 3,
    kurtosis: sum(4) / count / deviation ** 4,
  }
}

/** Of one period, not annualised; zero for returns that are all zero. */
export function sharpeOf({ mean, variance }: Moments): number {
  return variance > 0 ? mean / Math.sqrt(variance) : 0
}

/** The largest Sharpe ratio to expect from so many independent trials without an edge, whose ratios have this variance. */
export function expectedMaximum(trials: number, variance: number): number {
  if (trials <= 1) return 0
  const one = normalQuantile(1 - 1 / trials)
  const other = normalQuantile(1 - 1 / (trials * Math.E))
  return Math.max(0, Math.sqrt(variance) * ((1 - eulerMascheroni) * one + eulerMascheroni * other))
}

/**
 * The probability that the true Sharpe ratio of these returns is above the given one: the probabilistic Sharpe ratio, and the
 * deflated one if the other ratio is that of `expectedMaximum`.
 */
export function probabilisticSharpe(moments: Moments, than: number): number {
  const ratio = sharpeOf(moments)
  const { count, skew, kurtosis } = moments
  const spread = 1 - skew * ratio + ((kurtosis - 1) / 4) * ratio ** 2
  return normalBelow(((ratio - than) * Math.sqrt(count - 1)) / Math.sqrt(spread))
}

/**
 * The number of independent trials that are as many as these correlated ones, from the mean of the correlations of all pairs.
 * It is between 1 and the number of trials. Trials whose returns are all equal do not count.
 */
export function effectiveTrials(trials: readonly (readonly number[])[]): number {
  const standard = trials.flatMap((returns) => {
    const { mean, variance, count } = momentsOf(returns)
    const scale = Math.sqrt(variance * (count - 1))
    return variance > 0 ? [returns.map((value) => (value - mean) / scale)] : []
  })
  const count = standard.length
  if (count < 2) return 1
  const sums =
    standard[0]?.map((_, period) => standard.reduce((sum, each) => sum + (each[period] ?? 0), 0)) ?? []
  const correlations = sums.reduce((sum, value) => sum + value * value, 0)
  const mean = (correlations - count) / (count * (count - 1))
  return Math.min(count, Math.max(1, mean + (1 - mean) * count))
}
