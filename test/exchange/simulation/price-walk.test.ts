import { describe, expect, test } from 'vitest'
import { beginSimulation } from '#src/exchange/simulation/begin-simulation.ts'
import { moveIndexPrices } from '#src/exchange/simulation/index-prices.ts'
import {
  beginVolatility,
  beginWalk,
  changeOf,
  moveOf,
  moveVolatility,
  nextBasis,
  shapeOfDay,
  stepMs,
  stepSizesOf,
  volatilityMs,
} from '#src/exchange/simulation/price-walk.ts'
import { normal, chanceOf, uniform } from '#src/exchange/simulation/random.ts'
import { beginState } from '#src/exchange/state.ts'
import { rateOfPremium } from '#src/exchange/trading/positions/funding.ts'
import { paperWorld } from '#test/exchange/exchange-fixture.ts'
import { times } from '#test/properties/runs.ts'
import { midnight, seeded } from './market-fixture.ts'
import {
  autocorrelation,
  correlation,
  deviation,
  kurtosis,
  mean,
  returnsOf,
  varianceRatio,
} from './statistics.ts'

const days = 30
const minutesPerDay = 1440
const minuteMs = 60_000
const dayMs = minutesPerDay * minuteMs
/** The bounds are those of twenty seeds. */
const seeds = Array.from({ length: times(20, 20, 8) }, (_, number) => `seed ${number}`)
/** Of the market that runs step by step. */
const runningDays = times(30, 30, 10)
const assets = ['BTC', 'ETH', 'SOL'] as const
type Series = Record<(typeof assets)[number], number[]>

/** A month, one price a minute: the walk in the steps that the history before the start of a world is made of. */
function month(seed: string): Series {
  const walks = assets.map((asset) => beginWalk(seed, asset, { price: 1000, volatility: dailyOf(asset) }))
  const volatility = beginVolatility(seed)
  const tide = chanceOf(seed, 'tide')
  const sizes = stepSizesOf(volatilityMs)
  const prices: Series = { BTC: [], ETH: [], SOL: [] }
  for (let at = midnight; at < midnight + days * dayMs; at += volatilityMs) {
    moveVolatility(volatility, tide, sizes, shapeOfDay(at))
    const common = changeOf(tide, sizes, volatility.pace)
    for (const [index, walk] of walks.entries()) {
      walk.price *= 1 + moveOf(walk, sizes, volatility.pace, common)
      if (at % minuteMs === 0) prices[assets[index]!].push(walk.price)
    }
  }
  return prices
}

function dailyOf(asset: string): number {
  return paperWorld.assets[asset]?.volatility ?? NaN
}

const months = seeds.map(month)
const returns = months.map(({ BTC, ETH, SOL }) => ({
  BTC: returnsOf(BTC),
  ETH: returnsOf(ETH),
  SOL: returnsOf(SOL),
}))

describe.each(assets)(`%s, mean of ${seeds.length} seeds with 30 days each`, (asset) => {
  const minutes = returns.map((each) => each[asset])

  test.each([5, 15, 60])('neither trends nor reverts: the variance ratio of %d minutes is 1', (span) => {
    const ratio = mean(months.map((each) => varianceRatio(each[asset], span)))
    expect(ratio).toBeGreaterThan(0.95)
    expect(ratio).toBeLessThan(1.05)
  })

  test('a minute says nothing about the direction of the next one', () => {
    expect(Math.abs(mean(minutes.map((each) => autocorrelation(each, 1))))).toBeLessThan(0.01)
  })

  test('extreme minutes are frequent', () => {
    expect(mean(minutes.map(kurtosis))).toBeGreaterThan(8)
  })

  test('volatile minutes follow volatile minutes for hours', () => {
    const sizes = minutes.map((each) => each.map(Math.abs))
    expect(mean(sizes.map((each) => autocorrelation(each, 1)))).toBeGreaterThan(0.2)
    expect(mean(sizes.map((each) => autocorrelation(each, 60)))).toBeGreaterThan(0.08)
    expect(mean(sizes.map((each) => autocorrelation(each, 240)))).toBeGreaterThan(0.02)
  })

  test('a day moves by the volatility of the world file', () => {
    const daily = months.flatMap((each) =>
      returnsOf(each[asset].filter((_, minute) => minute % minutesPerDay === 0)),
    )
    expect(deviation(daily) / dailyOf(asset)).toBeGreaterThan(0.85)
    expect(deviation(daily) / dailyOf(asset)).toBeLessThan(1.15)
  })
})

test('BTC moves by 2 to 4 % a day, ETH by more, SOL by most', () => {
  const [btc, eth, sol] = assets.map((asset) =>
    mean(returns.map((each) => deviation(each[asset]) * Math.sqrt(minutesPerDay))),
  )
  expect(btc).toBeGreaterThan(0.02)
  expect(btc).toBeLessThan(0.04)
  expect(eth).toBeGreaterThan((btc ?? NaN) * 1.1)
  expect(sol).toBeGreaterThan((eth ?? NaN) * 1.1)
})

test('the assets move together', () => {
  const between = mean(returns.map(({ BTC, SOL }) => correlation(BTC, SOL)))
  expect(between).toBeGreaterThan(0.7)
  expect(between).toBeLessThan(0.85)
})

/** Mean size of a minute's move in these hours of the day. */
function moveBetween(from: number, to: number): number {
  const chosen = returns.flatMap(({ BTC }) =>
    BTC.filter((_, minute) => {
      const hour = (minute % minutesPerDay) / 60
      return hour >= from && hour < to
    }),
  )
  return mean(chosen.map(Math.abs))
}

test('afternoons are more volatile than nights', () => {
  expect(moveBetween(13, 17) / moveBetween(3, 7)).toBeGreaterThan(1.4)
})

test('jumps are rare: a minute moves by more than eight deviations a few times a week', () => {
  for (const asset of assets) {
    const usual = deviation(returns.flatMap((each) => each[asset]))
    const extreme = returns.flatMap((each) => each[asset].filter((move) => Math.abs(move) > 8 * usual))
    const perWeek = extreme.length / ((seeds.length * days) / 7)
    expect(perWeek).toBeGreaterThan(2)
    expect(perWeek).toBeLessThan(7)
  }
})

test('funding is 0.01 % in most settlements, and near it on average', () => {
  const rates = seeds.flatMap((seed) => {
    const chance = chanceOf(seed, 'basis')
    const paid: number[] = []
    let basis = 0
    for (let at = 0; at < days * dayMs; at += volatilityMs) {
      basis = nextBasis(basis, chance)
      if (at % (dayMs / 3) === 0) paid.push(rateOfPremium(Math.round(basis * 1e8), 10_000) / 1e8)
    }
    return paid
  })
  expect(mean(rates)).toBeCloseTo(0.0001, 5)
  expect(rates.filter((rate) => rate === 0.0001).length / rates.length).toBeGreaterThan(0.9)
})

test('the steps of a running market have the same law', () => {
  const found = seeds.slice(0, times(1, 20)).map((seed) => {
    const state = beginState(paperWorld, seed, midnight)
    beginSimulation(state, paperWorld, seeded)
    const { flow } = state
    if (flow === undefined) throw new Error('the world is not simulated')
    const prices: number[] = []
    for (; flow.steps < (runningDays * dayMs) / stepMs; flow.steps++) {
      moveIndexPrices(flow, flow.beganAt + flow.steps * stepMs)
      if ((flow.steps * stepMs) % minuteMs === 0) prices.push(flow.indexes[0]?.units ?? NaN)
    }
    const minutes = returnsOf(prices)
    return {
      daily: deviation(minutes) * Math.sqrt(minutesPerDay),
      fat: kurtosis(minutes),
      ratio: varianceRatio(prices, 5),
      next: autocorrelation(minutes, 1),
    }
  })
  expect(mean(found.map(({ daily }) => daily)) / dailyOf('BTC')).toBeCloseTo(1, 0.5)
  expect(mean(found.map(({ fat }) => fat))).toBeGreaterThan(8)
  expect(mean(found.map(({ ratio }) => ratio))).toBeCloseTo(1, 1)
  expect(mean(found.map(({ next }) => next))).toBeCloseTo(0, 1)
})

test('uniform numbers are uniform, and normal ones have mean 0 and deviation 1', () => {
  const chance = chanceOf('a seed', 'a test')
  const drawn = Array.from({ length: 100_000 }, () => uniform(chance))
  for (let tenth = 0; tenth < 10; tenth++) {
    const share = drawn.filter((value) => Math.floor(value * 10) === tenth).length / drawn.length
    expect(share).toBeCloseTo(0.1, 2)
  }
  const bells = Array.from({ length: 100_000 }, () => normal(chance))
  expect(mean(bells)).toBeCloseTo(0, 1)
  expect(deviation(bells)).toBeCloseTo(1, 1)
})
