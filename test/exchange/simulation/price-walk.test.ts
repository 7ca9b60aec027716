import { expect, test } from 'vitest'
import { normal, chanceOf, uniform } from '#src/exchange/simulation/random.ts'
import { beginWalk, shapeOfDay, step, stepMs } from '#src/exchange/simulation/price-walk.ts'
import { midnight } from './market-fixture.ts'

const days = 30
const stepsPerMinute = 60_000 / stepMs
const minutesPerDay = 1440

/** A month of one asset, one price a minute, and the number of single steps as large as a jump. */
function month(seed: string): { prices: number[]; jumps: number } {
  const walk = beginWalk(seed, 'BTC', 65_000)
  const tide = chanceOf(seed, 'tide')
  const prices: number[] = []
  let jumps = 0
  let before = walk.home
  for (let number = 0; number < days * minutesPerDay * stepsPerMinute; number++) {
    const price = step(walk, number, shapeOfDay(midnight + number * stepMs), normal(tide))
    if (Math.abs(price / before - 1) >= 0.003) jumps += 1
    if (number % stepsPerMinute === 0) prices.push(price)
    before = price
  }
  return { prices, jumps }
}

const months = ['one', 'two', 'three'].map(month)

function movesOf(prices: readonly number[]): number[] {
  return prices.slice(1).map((price, index) => Math.abs(price / (prices[index] ?? price) - 1))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Autocorrelation of values at this lag: 0 none, 1 full. */
function likeness(values: readonly number[], lag: number): number {
  const middle = mean(values)
  const off = values.map((value) => value - middle)
  return (
    mean(off.slice(lag).map((value, index) => value * (off[index] ?? 0))) /
    mean(off.map((value) => value * value))
  )
}

test('uniform numbers are uniform, and normal ones have mean 0 and deviation 1', () => {
  const chance = chanceOf('a seed', 'a test')
  const drawn = Array.from({ length: 100_000 }, () => uniform(chance))
  for (let tenth = 0; tenth < 10; tenth++) {
    const share = drawn.filter((value) => Math.floor(value * 10) === tenth).length / drawn.length
    expect(share).toBeCloseTo(0.1, 2)
  }
  const bells = Array.from({ length: 100_000 }, () => normal(chance))
  expect(mean(bells)).toBeCloseTo(0, 1)
  expect(mean(bells.map((value) => value * value))).toBeCloseTo(1, 1)
})

test('within a month no price becomes absurd, and none stops moving', () => {
  for (const { prices } of months) {
    const low = prices.reduce((least, price) => Math.min(least, price))
    const high = prices.reduce((most, price) => Math.max(most, price))
    expect(low).toBeGreaterThan(65_000 * 0.6)
    expect(high).toBeLessThan(65_000 * 1.6)
    expect(high / low).toBeGreaterThan(1.05)
  }
})

test('volatile minutes follow volatile minutes for more than an hour', () => {
  for (const { prices } of months) {
    const moves = movesOf(prices)
    expect(likeness(moves, 1)).toBeGreaterThan(0.1)
    expect(likeness(moves, 60)).toBeGreaterThan(0.04)
  }
})

/** Mean price move within a minute, in these hours of the day. */
function moveBetween(from: number, to: number): number {
  const chosen = months.flatMap(({ prices }) =>
    movesOf(prices).filter((_, minute) => {
      const hour = (minute % minutesPerDay) / 60
      return hour >= from && hour < to
    }),
  )
  return mean(chosen)
}

test('afternoons are more volatile than nights', () => {
  expect(moveBetween(13, 17) / moveBetween(3, 7)).toBeGreaterThan(1.4)
})

test('jumps are rare: a few a day', () => {
  for (const { jumps } of months) {
    expect(jumps / days).toBeGreaterThan(1.5)
    expect(jumps / days).toBeLessThan(6)
  }
})

test('prices trend: an hour continues the direction of the one before more often than not', () => {
  const hourly = months.flatMap(({ prices }) => {
    const hours = prices.filter((_, minute) => minute % 60 === 0)
    return hours.slice(1).map((price, index) => price / (hours[index] ?? price) - 1)
  })
  expect(likeness(hourly, 1)).toBeGreaterThan(0.03)
})
