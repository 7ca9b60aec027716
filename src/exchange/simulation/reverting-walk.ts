import { normal, chanceOf, uniform, type RandomState } from './random.ts'
import { dayMs, hourMs } from '#src/exchange/time-units.ts'

/**
 * The simulated price of an asset: a slow random walk with trends, jumps and a pull towards its start, plus a fast
 * mean-reverting swing. Both are wider in volatile times, which come in clusters and depend on the hour of the day. The
 * walk uses only sums, products and quotients, which give the same bits on every machine.
 */
export type Walk = {
  chance: RandomState
  /** The start price. */
  home: number
  price: number
  swing: number
  /** The relative drift of the price in each step. */
  trend: number
  /** Three volatility states that decay within a minute, half an hour and a working day. */
  moods: number[]
  /** Volatility factor, 1 on average. */
  pace: number
}

export const stepMs = 250
/** The volatility states and the trend change once in this number of steps. */
const stepsPerMood = 16

/** Standard deviation of one step of the slow walk at normal volatility. */
export const stepSize = 0.000_053
/** Share of the market-wide movement in the movement of each asset. */
export const shared = 0.75
export const alone = 0.66
/** The swing halves in four seconds and reaches about 0.008 %; less in quiet times. */
const swingPull = 0.042
const swingPush = 0.000_12
/** Pull towards the start price, with a time constant of four days. */
export const homePull = 0.000_000_72
const trendPull = 0.000_37
const trendPush = 0.000_000_008
const moods = [
  { pull: 0.067, push: 0.366, weight: 0.3 },
  { pull: 0.0022, push: 0.0667, weight: 0.4 },
  { pull: 0.000_14, push: 0.0167, weight: 0.3 },
]
const paceLeast = 0.4
const paceMost = 4
/** One in this number of steps is a jump: about three a day. */
const stepsPerJump = 115_200
const jumpLeast = 0.003
const jumpMore = 0.009
/** What a jump adds to the volatility states. */
const shock = [2, 1, 0.3]

/** Activity of each hour of the day (UTC), with the first hour repeated at the end: quiet nights, a busy afternoon. */
const hours = [
  0.95, 0.9, 0.8, 0.72, 0.68, 0.68, 0.74, 0.88, 1, 1, 0.96, 0.96, 1.05, 1.3, 1.5, 1.48, 1.35, 1.2, 1.1, 1.05,
  1.02, 1, 0.96, 0.94, 0.95,
]

/** Activity at this time of the day, 1 on average. */
export function shapeOfDay(at: number): number {
  const time = at % dayMs
  const hour = Math.floor(time / hourMs)
  const before = hours[hour] ?? 1
  return before + (((hours[hour + 1] ?? 1) - before) * (time % hourMs)) / hourMs
}

export function beginWalk(seed: string, asset: string, price: number): Walk {
  const chance = chanceOf(seed, `walk ${asset}`)
  return { chance, home: price, price, swing: 0, trend: 0, moods: moods.map(() => normal(chance)), pace: 1 }
}

/** Whether the volatility states change at this step. */
export function moodChanges(number: number): boolean {
  return number % stepsPerMood === 0
}

/** Makes one step; `common` is the market-wide part. Returns the price. */
export function step(walk: Walk, number: number, shape: number, common: number): number {
  const { chance } = walk
  if (moodChanges(number)) updateMoods(walk, shape)
  const push = shared * common + alone * normal(chance)
  walk.price *=
    1 + stepSize * walk.pace * push + walk.trend - homePull * (walk.price / walk.home - 1) + jump(walk)
  walk.swing += swingPush * (1 + walk.pace) * normal(chance) - swingPull * walk.swing
  return walk.price * (1 + walk.swing)
}

function updateMoods(walk: Walk, shape: number): void {
  const { chance } = walk
  let sum = 0
  for (const [index, { pull, push, weight }] of moods.entries()) {
    const mood = walk.moods[index] ?? 0
    walk.moods[index] = mood + push * normal(chance) - pull * mood
    sum += weight * (walk.moods[index] ?? 0)
  }
  walk.pace = Math.min(paceMost, Math.max(paceLeast, 0.9 * shape * approximateExp(sum)))
  walk.trend += trendPush * normal(chance) - trendPull * walk.trend
}

/**
 * Approximates e^x with operations that are exact on every machine; the error is below a tenth in the range used here.
 */
function approximateExp(x: number): number {
  const bounded = Math.min(2.5, Math.max(-2.5, x))
  const square = bounded * bounded
  return (12 + 6 * bounded + square) / (12 - 6 * bounded + square)
}

function jump(walk: Walk): number {
  const { chance } = walk
  if (uniform(chance) * stepsPerJump >= 1) return 0
  const size = jumpLeast + jumpMore * uniform(chance) * uniform(chance)
  for (const [index, added] of shock.entries()) walk.moods[index] = (walk.moods[index] ?? 0) + added
  return uniform(chance) < 0.5 ? -size : size
}
