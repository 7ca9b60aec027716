import { bell, chanceOf, unit, type RandomState } from './random.ts'
import { dayMs, hourMs } from '#src/exchange/time-units.ts'

/**
 * How the price of an asset wanders when nobody tells it: a slow walk with trends, jumps and a pull towards where
 * it began, and around it a quick swing; both wider in restless times, which come in clusters and follow the hour
 * of the day. Only sums, products and quotients are used, which give the same bits on every machine.
 */
export type Walk = {
  chance: RandomState
  /** Where it began. */
  home: number
  price: number
  swing: number
  /** By how much the price rises at every step. */
  trend: number
  /** Three moods of the market that pass within a minute, half an hour and a working day. */
  moods: number[]
  /** How restless it is, 1 on average. */
  pace: number
}

export const stepMs = 250
/** Moods and trend change once in so many steps. */
const stepsPerMood = 16

/** Deviation of one step of the slow walk in ordinary times. */
export const stepSize = 0.000_053
/** A quarter of the way that the market goes, all assets go together. */
export const shared = 0.75
export const alone = 0.66
/** The swing forgets half of itself in four seconds, and reaches some eight hundredths of a percent; less in quiet times. */
const swingPull = 0.042
const swingPush = 0.000_12
/** The pull of the beginning: four days. */
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
/** One in so many steps is a jump: three a day. */
const stepsPerJump = 115_200
const jumpLeast = 0.003
const jumpMore = 0.009
/** What a jump adds to the moods. */
const shock = [2, 1, 0.3]

/** For every hour of the day, UTC, and the first one again: quiet nights, a busy afternoon. */
const hours = [
  0.95, 0.9, 0.8, 0.72, 0.68, 0.68, 0.74, 0.88, 1, 1, 0.96, 0.96, 1.05, 1.3, 1.5, 1.48, 1.35, 1.2, 1.1, 1.05,
  1.02, 1, 0.96, 0.94, 0.95,
]

/** How busy the hour is, 1 on average. */
export function shapeOfDay(at: number): number {
  const time = at % dayMs
  const hour = Math.floor(time / hourMs)
  const before = hours[hour] ?? 1
  return before + (((hours[hour + 1] ?? 1) - before) * (time % hourMs)) / hourMs
}

export function beginWalk(seed: string, asset: string, price: number): Walk {
  const chance = chanceOf(seed, `walk ${asset}`)
  return { chance, home: price, price, swing: 0, trend: 0, moods: moods.map(() => bell(chance)), pace: 1 }
}

/** Whether this step is one at which moods change. */
export function moodChanges(number: number): boolean {
  return number % stepsPerMood === 0
}

/** One step; `common` is what pushes all assets. Gives the price. */
export function step(walk: Walk, number: number, shape: number, common: number): number {
  const { chance } = walk
  if (moodChanges(number)) changeMood(walk, shape)
  const push = shared * common + alone * bell(chance)
  walk.price *=
    1 + stepSize * walk.pace * push + walk.trend - homePull * (walk.price / walk.home - 1) + jump(walk)
  walk.swing += swingPush * (1 + walk.pace) * bell(chance) - swingPull * walk.swing
  return walk.price * (1 + walk.swing)
}

function changeMood(walk: Walk, shape: number): void {
  const { chance } = walk
  let sum = 0
  for (const [index, { pull, push, weight }] of moods.entries()) {
    const mood = walk.moods[index] ?? 0
    walk.moods[index] = mood + push * bell(chance) - pull * mood
    sum += weight * (walk.moods[index] ?? 0)
  }
  walk.pace = Math.min(paceMost, Math.max(paceLeast, 0.9 * shape * risen(sum)))
  walk.trend += trendPush * bell(chance) - trendPull * walk.trend
}

/** A stand-in for e^x with the operations that are exact everywhere; good to a tenth for what moods come to. */
function risen(x: number): number {
  const bounded = Math.min(2.5, Math.max(-2.5, x))
  const square = bounded * bounded
  return (12 + 6 * bounded + square) / (12 - 6 * bounded + square)
}

function jump(walk: Walk): number {
  const { chance } = walk
  if (unit(chance) * stepsPerJump >= 1) return 0
  const size = jumpLeast + jumpMore * unit(chance) * unit(chance)
  for (const [index, added] of shock.entries()) walk.moods[index] = (walk.moods[index] ?? 0) + added
  return unit(chance) < 0.5 ? -size : size
}
