import { normal, chanceOf, uniform, type RandomState } from './random.ts'
import { approximateExp, volatilityChanges } from './price-walk.ts'

/**
 * The simulated price of worlds that began before ADR 0030: a walk with trends and a pull towards its start, plus a fast
 * mean-reverting swing. The store of such a world holds the commands of its users only, so the same walk must run again
 * to give the same fills.
 */
export type RevertingWalk = {
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

/** Standard deviation of one step of the slow walk at normal volatility. */
const stepSize = 0.000_053
/** Share of the market-wide movement in the movement of each asset. */
const shared = 0.75
const alone = 0.66
/** The swing halves in four seconds and reaches about 0.008 %; less in quiet times. */
const swingPull = 0.042
const swingPush = 0.000_12
/** Pull towards the start price, with a time constant of four days. */
const homePull = 0.000_000_72
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

export function beginRevertingWalk(seed: string, asset: string, price: number): RevertingWalk {
  const chance = chanceOf(seed, `walk ${asset}`)
  return { chance, home: price, price, swing: 0, trend: 0, moods: moods.map(() => normal(chance)), pace: 1 }
}

/** Makes one step; `common` is the market-wide part. Returns the price. */
export function stepReverting(walk: RevertingWalk, number: number, shape: number, common: number): number {
  const { chance } = walk
  if (volatilityChanges(number)) updateMoods(walk, shape)
  const push = shared * common + alone * normal(chance)
  walk.price *=
    1 + stepSize * walk.pace * push + walk.trend - homePull * (walk.price / walk.home - 1) + jump(walk)
  walk.swing += swingPush * (1 + walk.pace) * normal(chance) - swingPull * walk.swing
  return walk.price * (1 + walk.swing)
}

function updateMoods(walk: RevertingWalk, shape: number): void {
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

function jump(walk: RevertingWalk): number {
  const { chance } = walk
  if (uniform(chance) * stepsPerJump >= 1) return 0
  const size = jumpLeast + jumpMore * uniform(chance) * uniform(chance)
  for (const [index, added] of shock.entries()) walk.moods[index] = (walk.moods[index] ?? 0) + added
  return uniform(chance) < 0.5 ? -size : size
}
