import { expect, test } from 'vitest'
import type { Sources } from '#src/exchange/flow/begin.ts'
import { unitsAt, type Recording } from '#src/exchange/flow/recording.ts'
import { bestPrice } from '#src/exchange/trading/book.ts'
import { canonical } from '../canonical.ts'
import { midnight, openMarkets } from './market-in-hand.ts'

const minute = 60_000

/** Prices in whole dollars at minutes. */
function recordingOf(markets: string[], prices: number[], even: boolean): Recording {
  return {
    markets,
    print: 'a print',
    at: Float64Array.from(prices.keys(), (index) => index * minute),
    units: Float64Array.from(prices, (price) => price * 1e9),
    even,
  }
}

const stairs = recordingOf(['BTC_USDT', 'BTC_PERP'], [70_000, 70_100, 69_900, 71_000], false)
const slopes = recordingOf(['ETH_PERP'], [3000, 3010, 2990], true)

function marksOf({ state }: ReturnType<typeof openMarkets>): number[] {
  return state.markets.map(({ mark }) => mark)
}

const at = (recording: Recording, time: number) => unitsAt(recording, time) / 1e9

test('between trades the price stands, inside a bar it goes evenly, and after the last one it stands for good', () => {
  expect([0, 1, 59_999, 60_000, 119_999, 180_000, 1e12].map((time) => at(stairs, time))).toEqual([
    70_000, 70_000, 70_000, 70_100, 70_100, 71_000, 71_000,
  ])
  expect([0, 6000, 30_000, 60_000, 90_000, 120_000, 1e12].map((time) => at(slopes, time))).toEqual([
    3000, 3001, 3005, 3010, 3000, 2990, 2990,
  ])
})

test('markets follow what was recorded of them, from the beginning of the world on; the others stand still', () => {
  const exchange = openMarkets({ sources: { seeded: false, recordings: [stairs, slopes] } })
  exchange.advance(midnight)
  // BTC_USDT, ETH_USDT, SOL_USDT, BTC_PERP, ETH_PERP, SOL_PERP, in ticks.
  expect(marksOf(exchange)).toEqual([7_000_000, 0, 0, 700_000, 300_000, 0])
  exchange.advance(midnight + 90_000)
  expect(marksOf(exchange)).toEqual([7_010_000, 0, 0, 701_000, 300_000, 0])
  exchange.advance(midnight + 10 * minute)
  expect(marksOf(exchange)).toEqual([7_100_000, 0, 0, 710_000, 299_000, 0])
  for (const [number, { book, last }] of exchange.state.markets.entries()) {
    const moves = [0, 3, 4].includes(number)
    expect(bestPrice(book, true) > bestPrice(book, false)).toBe(moves)
    expect(last > 0).toBe(moves)
  }
})

test('the book comes along: seconds after a step it stands around the new price', () => {
  const exchange = openMarkets({ sources: { seeded: false, recordings: [stairs] } })
  for (const [time, price] of [
    [50_000, 700_000],
    [70_000, 701_000],
    [130_000, 699_000],
    [190_000, 710_000],
  ] as const) {
    exchange.advance(midnight + time)
    const book = exchange.state.markets[3]?.book
    for (const sells of [false, true]) {
      const best = book ? bestPrice(book, sells) : 0
      expect(Math.abs(best / price - 1)).toBeLessThan(0.001)
    }
  }
})

test('with a walk for the markets that have no recording, all of them move, and a leap equals many steps', () => {
  const sources: Sources = { seeded: true, recordings: [stairs, slopes] }
  const leap = openMarkets({ sources })
  const steps = openMarkets({ sources })
  leap.advance(midnight + 4 * minute)
  for (let time = 0; time <= 4 * minute; time += 777) steps.advance(midnight + time)
  steps.advance(midnight + 4 * minute)
  expect(canonical(steps.state)).toBe(canonical(leap.state))
  expect(marksOf(leap).every((mark) => mark > 0)).toBe(true)
  expect(leap.state.markets.every(({ last }) => last > 0)).toBe(true)
})
