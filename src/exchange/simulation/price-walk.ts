import { dayMs, hourMs } from '#src/exchange/time-units.ts'
import { normal, chanceOf, uniform, type RandomState } from './random.ts'

/**
 * The simulated price of an asset: a random walk, so no price predicts the direction of the next one. Published parts:
 * - volatility: the sum of three AR(1) processes is its logarithm (LeBaron 2001), times the hour of the day (Andersen and
 *   Bollerslev 1997);
 * - jumps of normal size at random times (Merton 1976);
 * - one factor that all assets share (Sharpe 1963).
 * All of it looks the same forwards and backwards in time. ADR 0030 has the sources and the measured statistics. The walk
 * uses only sums, products, quotients and square roots, which give the same bits on every machine.
 */
export type Walk = {
  chance: RandomState
  /** The start price. */
  home: number
  price: number
  /** Standard deviation of the change of a day, as a share of the price. */
  volatility: number
}

/** The volatility factor that all assets share. */
export type MarketVolatility = {
  /** The three processes, each with mean 0 and deviation 1. */
  levels: number[]
  /** The factor now; the mean of its square is 1. */
  pace: number
}

export const stepMs = 250
/** The volatility and the basis change once in this time. */
export const volatilityMs = 4000

/** An asset whose world file names no volatility: 4 % a day. */
export const volatilityDefault = 0.04
/** Weight of the market-wide change; two assets have its square as their correlation. */
const shared = 0.88
const alone = Math.sqrt(1 - shared * shared)
/** The processes decay within a minute, half an hour and a working day. */
const processes = [
  { pull: 0.067, weight: 0.3 },
  { pull: 0.0022, weight: 0.4 },
  { pull: 0.000_14, weight: 0.3 },
]
/** Makes the mean square of the factor 1. */
const paceScale = 0.71
const paceLeast = 0.4
const paceMost = 4
const jumpsPerDay = 4
/** Standard deviation of a jump, in daily volatilities. */
const jumpSize = 0.15
const diffusion = Math.sqrt(1 - jumpsPerDay * jumpSize * jumpSize)
/** The distance of a market price from its index reaches a few hundredths of a percent and halves in twenty minutes. */
const basisPull = 0.0022
const basisPush = 0.000_013

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

export function beginWalk(seed: string, asset: string, about: { price: number; volatility: number }): Walk {
  const { price, volatility } = about
  return { chance: chanceOf(seed, `walk ${asset}`), home: price, price, volatility }
}

export function beginVolatility(seed: string): MarketVolatility {
  const chance = chanceOf(seed, 'volatility')
  return { levels: processes.map(() => normal(chance)), pace: 1 }
}

/** Whether the volatility changes at this step. */
export function volatilityChanges(number: number): boolean {
  return (number * stepMs) % volatilityMs === 0
}

/** What one step of a given length takes: computed once for a length. */
export type StepSizes = ReturnType<typeof stepSizesOf>

/** The sizes of a step of `ms`. */
export function stepSizesOf(ms: number) {
  const kept = processes.map(({ pull }) => {
    let share = 1
    for (let done = 0; done < ms; done += volatilityMs) share *= 1 - pull
    return share
  })
  return {
    deviation: diffusion * Math.sqrt(ms / dayMs),
    jumpChance: (jumpsPerDay * ms) / dayMs,
    /** What each process keeps, and the deviation of what it receives. */
    kept,
    received: kept.map((share) => Math.sqrt(1 - share * share)),
  }
}

export function moveVolatility(
  volatility: MarketVolatility,
  chance: RandomState,
  { kept, received }: StepSizes,
  shape: number,
): void {
  let sum = 0
  // Without entries(), which makes two objects for each process: a year of history takes 1.6 million of these.
  for (let index = 0; index < processes.length; index++) {
    const level =
      (kept[index] ?? 0) * (volatility.levels[index] ?? 0) + (received[index] ?? 0) * normal(chance)
    volatility.levels[index] = level
    sum += (processes[index]?.weight ?? 0) * level
  }
  volatility.pace = Math.min(paceMost, Math.max(paceLeast, paceScale * shape * approximateExp(sum)))
}

/** The change of one source in one step, in daily volatilities. */
export function changeOf(chance: RandomState, sizes: StepSizes, pace: number): number {
  const change = sizes.deviation * pace * normal(chance)
  return uniform(chance) < sizes.jumpChance ? change + jumpSize * normal(chance) : change
}

/** The relative change of the price in one step; `common` is the market-wide change. */
export function moveOf(walk: Walk, sizes: StepSizes, pace: number, common: number): number {
  return walk.volatility * (shared * common + alone * changeOf(walk.chance, sizes, pace))
}

/** The basis (distance of a market price from its index, as a share) one change of the volatility later. */
export function nextBasis(basis: number, chance: RandomState): number {
  return basis + (basisPush * normal(chance) - basisPull * basis)
}

/**
 * Approximates e^x with operations that are exact on every machine; the error is below a tenth in the range used here.
 */
export function approximateExp(x: number): number {
  const bounded = Math.min(2.5, Math.max(-2.5, x))
  const square = bounded * bounded
  return (12 + 6 * bounded + square) / (12 - 6 * bounded + square)
}
