import { expect, test } from 'vitest'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { candlesOf } from '#src/market/data/candles.ts'
import type { TimedCandle } from '#src/market/candles/candle.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { endOf, startOf } from '#test/properties/models/naive-trades.ts'
import { seed } from '#test/properties/runs.ts'
import { marketFolder, start } from './market-fixture.ts'

const { fileOf } = marketFolder()

function candles(content: string, interval: CandleInterval): TimedCandle[] {
  return [...candlesOf(readMarket(fileOf(content)).blocks(), interval)]
}

type Trade = { at: number; price: number; amount: number }

/** Searches all trades for each candle. */
function naive(trades: readonly Trade[], interval: CandleInterval): TimedCandle[] {
  const found: TimedCandle[] = []
  const last = trades.at(-1)?.at ?? 0
  let opened = startOf(interval, trades[0]?.at ?? 0)
  for (; opened <= last; opened = endOf(interval, opened)) {
    const end = endOf(interval, opened)
    const inside = trades.filter(({ at }) => at >= opened && at < end)
    const prices = inside.map(({ price }) => price)
    const [open, close] = [prices[0], prices.at(-1)]
    if (open === undefined || close === undefined) continue
    found.push({
      opened,
      open,
      high: Math.max(...prices),
      low: Math.min(...prices),
      close,
      volume: inside.reduce((sum, { amount }) => sum + amount, 0),
    })
  }
  return found
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
const intervals = Object.keys(candleIntervals) as CandleInterval[]

test.each(intervals)('candles of %s equal those of a search of all trades', (interval) => {
  const chance = chanceOf(seed)
  let at = start * 1000
  const trades = Array.from({ length: 300 }, () => {
    at += chance.below(chance.percent(5) ? 4 * candleIntervals[interval] : candleIntervals[interval] / 5)
    return { at, price: (100 + chance.below(9)) * 1e9, amount: chance.below(5) * 1e9 }
  })
  const rows = trades.map(({ at, price, amount }) => `${at},${price / 1e9},${amount / 1e9}\n`)
  expect(candles(`time,price,amount\n${rows.join('')}`, interval)).toEqual(naive(trades, interval))
})

const ones = (units: number) => units / 1e9

test('bars of the same length are returned unchanged', () => {
  const chance = chanceOf(seed)
  const bars = Array.from({ length: 1000 }, (_, row) => {
    const [open, close] = [100 + chance.below(50), 100 + chance.below(50)]
    const [high, low] = [Math.max(open, close) + chance.below(3), Math.min(open, close) - chance.below(3)]
    return { opened: (start - 20 + 60 * row) * 1000, open, high, low, close, volume: chance.below(1e9) / 1e9 }
  })
  const rows = bars.map((bar) => Object.values(bar).join(','))
  const found = candles(`timestamp,open,high,low,close,volume\n${rows.join('\n')}`, '1m')
  expect(found.map((each) => [each.opened, ones(each.open), ones(each.close), ones(each.volume)])).toEqual(
    bars.map(({ opened, open, close, volume }) => [opened, open, close, volume]),
  )
  expect(found.map(({ high, low }) => [ones(high), ones(low)])).toEqual(
    bars.map(({ high, low }) => [high, low]),
  )
})
