import type { Candle } from '#src/indicators/indicator.ts'
import { addCandle, beginReadings, type Readings, type Wanted } from '#src/indicators/readings.ts'
import { Decimal } from '#src/money/decimal.ts'
import { answer } from './expression.ts'
import type { Views } from './condition.ts'
import type { Programs } from './programs.ts'
import type { Given, Strategy } from './schema.ts'
import { Account, Book, Candles, Clock, Holding, Progress } from './sights.ts'

export type Scene = {
  views: Views
  equity: Decimal | undefined
  /** The values of `let`, for people; text that begins with "unknown" where there is none. */
  lets: { name: string; text: string }[]
}

/** What a strategy sees when the world is as given. */
export function sceneOf(strategy: Strategy, programs: Programs, given: Given): Scene {
  const readings = new Map<string, Readings>()
  for (const [name, { source }] of Object.entries(strategy.feeds)) {
    if (source === 'candles') readings.set(name, readingsOf(given, name, programs.wanted.get(name) ?? []))
  }
  const context = (when: 'now' | 'before') => {
    const seen: Record<string, unknown> = {
      account: new Account(given.equity?.toNumber(), numbers(given.balance), numbers(given.main_balance)),
      clock: new Clock(minuteOf(given.time)),
    }
    for (const name of Object.keys(strategy.feeds)) {
      const feed = readings.get(name)
      seen[name] = feed ? new Candles(feed, when) : bookOf(given, name)
    }
    for (const name of Object.keys(strategy.markets)) seen[name] = holdingOf(given, name)
    for (const name of Object.keys(strategy.ladder)) seen[name] = progressOf(given, name)
    return seen
  }
  const [now, before] = [context('now'), context('before')]
  const lets = programs.lets.map(({ name, program }) => {
    const [found, past] = [answer(program, now), answer(program, before)]
    if ('value' in found) now[name] = found.value
    if ('value' in past) before[name] = past.value
    return { name, text: 'value' in found ? String(found.value) : `unknown: ${found.unknown}` }
  })
  return { views: { now, before }, equity: given.equity, lets }
}

function holdingOf(given: Given, name: string): Holding {
  const entry = given.avg_entry[name]?.toNumber()
  return new Holding({
    position: given.position[name]?.toNumber() ?? 0,
    netFills: given.net_fills[name]?.toNumber() ?? 0,
    ...(entry === undefined ? {} : { entry }),
  })
}

function progressOf(given: Given, name: string): Progress {
  const openHours = given.open_hours[name]?.toNumber()
  return new Progress({
    filledLevels: given.filled_levels[name]?.toNumber() ?? 0,
    ...(openHours === undefined ? {} : { openHours }),
  })
}

function bookOf(given: Given, name: string): Book {
  const feed = given.feeds[name]
  const isBook = feed !== undefined && !Decimal.isDecimal(feed) && !Array.isArray(feed)
  return new Book(isBook ? { bid: feed.bid?.toNumber(), ask: feed.ask?.toNumber() } : {})
}

function readingsOf(given: Given, name: string, wanted: readonly Wanted[]): Readings {
  const readings = beginReadings(wanted)
  for (const candle of candlesOf(given.feeds[name], wanted)) addCandle(readings, candle)
  return readings
}

function candlesOf(feed: Given['feeds'][string] | undefined, wanted: readonly Wanted[]): Candle[] {
  if (feed === undefined) return []
  if (Array.isArray(feed)) return between(numbersOf(feed), 0)
  // Enough for the longest indicator to have left its beginning behind.
  const enough = 2 + 3 * Math.max(0, ...wanted.flatMap(({ parameters }) => parameters.map(Math.ceil)))
  if (Decimal.isDecimal(feed))
    return between(
      Array.from({ length: enough }, () => feed.toNumber()),
      0,
    )
  if (feed.from === undefined) return []
  const from = feed.from.toNumber()
  const way = (feed.to ?? feed.from).toNumber() - from
  const length = feed.candles ?? enough
  const closes = Array.from(
    { length },
    (_, index) => from + (length > 1 ? (way * index) / (length - 1) : way),
  )
  return between([...closes, ...numbersOf(feed.after ?? [])], feed.swing?.toNumber() ?? 0)
}

/** Candles that open where the one before closed, and reach so far beyond their ends. */
function between(closes: readonly number[], swing: number): Candle[] {
  return closes.map((close, index) => {
    const open = closes[index - 1] ?? close
    const [low, high] = [Math.min(open, close) * (1 - swing), Math.max(open, close) * (1 + swing)]
    return { open, high, low, close, volume: 1 }
  })
}

function numbersOf(values: readonly Decimal[]): number[] {
  return values.map((value) => value.toNumber())
}

function numbers(values: Readonly<Record<string, Decimal>>): Map<string, number> {
  return new Map(Object.entries(values).map(([name, value]) => [name, value.toNumber()]))
}

function minuteOf(time: string | undefined): number | undefined {
  const [, hour, minute] = /^(\d\d):(\d\d)/.exec(time ?? '') ?? []
  return hour === undefined ? undefined : Number(hour) * 60 + Number(minute)
}
