import { expect, test } from 'vitest'
import { addCandle } from '#src/market/indicators/indicator-values.ts'
import { decimalText } from '#src/core/money/decimal.ts'
import { truthOf } from '#src/strategy/expressions/condition.ts'
import { stepKey, type Price } from '#src/strategy/expressions/programs.ts'
import { valueOf } from '#src/strategy/check/rungs.ts'
import { beginFeed, inputsOf, viewsOf } from '#src/strategy/expressions/context-values.ts'
import { strategyFiles, strategyIn } from './strategy-files.ts'

function opened(part: string, changes: readonly (readonly [string, string])[] = []) {
  let text = strategyFiles.find(({ name }) => name.includes(part))?.text ?? ''
  for (const [from, to] of changes) text = text.replace(from, to)
  const { strategy, programs } = strategyIn(text)
  const sights = inputsOf(strategy)
  const views = viewsOf(programs, sights)
  const truth = (rule: string) => {
    const condition = programs.conditions.get(rule)
    return condition && truthOf(condition, views)
  }
  const value = (price: Price | undefined) => {
    const found = price && valueOf(price, views.now)
    return found && ('unknown' in found ? found.unknown : decimalText(found.value))
  }
  return { programs, sights, views, truth, value }
}

const candle = (close: number) => ({ open: close, high: close, low: close, close, volume: 1 })

test('a strategy sees new inputs after `forget`', () => {
  const { programs, sights, views, truth } = opened('static-grid')
  expect(truth('place')).toBe('unknown')
  const feed = beginFeed(programs, 'px')
  sights.candles['px']!.feed.readings = feed
  addCandle(feed, candle(60_000))
  expect(truth('place')).toBe('unknown')
  views.forget()
  expect([truth('place'), truth('out')]).toEqual(['true', 'false'])
  addCandle(feed, candle(50_000))
  expect([truth('place'), truth('out')]).toEqual(['true', 'false'])
  views.forget()
  expect([truth('place'), truth('out')]).toEqual(['false', 'true'])
  sights.candles['px']!.feed.readings = null
  views.forget()
  expect([truth('place'), truth('out')]).toEqual(['unknown', 'unknown'])
})

test('a let has a value for now and one for a candle ago', () => {
  const { programs, sights, views, truth } = opened('mean-reversion')
  for (const [name, count] of [
    ['px', 40],
    ['d1', 220],
  ] as const) {
    const feed = beginFeed(programs, name)
    sights.candles[name]!.feed.readings = feed
    for (let index = 0; index < count; index++) addCandle(feed, candle(150 - index / 1000))
  }
  sights.clock.minute = 720
  expect(truth('arm')).toBe('false')
  addCandle(sights.candles['px']!.feed.readings!, candle(144))
  views.forget()
  expect(truth('arm')).toBe('true')
})

test('the price of an exit and the amount of an investment are computed when they are due', () => {
  const reversion = opened('mean-reversion')
  const exitAt = reversion.programs.ladders.get('fade')?.exitAt
  expect(reversion.value(exitAt)).toMatch(/too few candles/)
  const feed = beginFeed(reversion.programs, 'px')
  reversion.sights.candles['px']!.feed.readings = feed
  for (let index = 0; index < 20; index++) addCandle(feed, candle(100.1))
  reversion.views.forget()
  expect(reversion.value(exitAt)).toBe('100.1')

  const saving = opened('accumulation')
  expect([...saving.programs.amounts.keys()]).toEqual([stepKey('park', 0)])
  const amount = saving.programs.amounts.get(stepKey('park', 0))
  expect(saving.value(amount)).toBe('the main balance of USDT is unknown')
  saving.sights.account.mainBalances = { USDT: 2100.5 }
  expect(saving.value(amount)).toBe('600.5')
})

test('a rule may look back several candles, and readings keep as many as the longest look back needs', () => {
  const { programs, sights, views, truth } = opened('mean-reversion', [
    ['price < 0.85 * sma(d1, 200)', '{ any: [{ falls: price }, { falls: { of: price, candles: 3 } }] }'],
  ])
  expect(programs.depth).toBe(5)
  const feed = beginFeed(programs, 'px')
  sights.candles['px']!.feed.readings = feed
  const truths = [100, 99, 101, 102, 101, 102, 101.5, 101.7, 101.9].map((close) => {
    addCandle(feed, candle(close))
    views.forget()
    return truth('trend_break')
  })
  expect(truths.join(' ')).toBe('unknown true unknown false true false true false true')
  expect(feed.past.map(({ close }) => close)).toEqual([102, 101, 102, 101.5, 101.7])
})

const minute = 60_000

test('a crossing compares both sides at the same earlier time, whatever feeds they read', () => {
  const { programs, sights, views, truth } = opened('mean-reversion', [
    ['price < 0.85 * sma(d1, 200)', '{ crosses_below: [price, "last(d1)"] }'],
  ])
  const feeds = new Map(Object.entries(sights.candles).map(([name, { feed }]) => [name, feed]))
  for (const [name, feed] of feeds) feed.readings = beginFeed(programs, name)
  const close = (name: 'px' | 'd1', at: number, price: number) => {
    const feed = feeds.get(name)!
    addCandle(feed.readings!, candle(price))
    feed.opened = at - feed.intervalMs
    views.forget()
    return truth('trend_break')
  }
  const day = 24 * 60 * minute
  close('d1', 9 * day, 90)
  close('px', 10 * day - 15 * minute, 100)
  // A day has closed above the unchanged price: it has crossed just now, and not any more a quarter of an hour later.
  expect(close('d1', 10 * day, 110)).toBe('true')
  expect(close('px', 10 * day, 100)).toBe('true')
  expect(close('px', 10 * day + 15 * minute, 100)).toBe('false')
  expect(close('px', 10 * day + 30 * minute, 111)).toBe('false')
  expect(close('px', 10 * day + 45 * minute, 109)).toBe('true')
  expect(close('px', 10 * day + 60 * minute, 108)).toBe('false')
})
