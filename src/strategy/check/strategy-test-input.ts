import { candleStart } from '#src/market/candles/candle-times.ts'
import type { Candle } from '#src/market/candles/candle.ts'
import { addCandle } from '#src/market/indicators/indicator-values.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { answer } from '#src/strategy/expressions/expression.ts'
import type { Views } from '#src/strategy/expressions/condition.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import type { TradesWindow } from '#src/strategy/expressions/context-objects.ts'
import { setSignal } from '#src/strategy/signals/signal-values.ts'
import { dayNames, minuteOf, weekdayOf } from '#src/strategy/file/schedule.ts'
import type { Given, Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { beginFeed, candlesNeeded, inputsOf, viewsOf } from '#src/strategy/expressions/context-values.ts'

export type StrategyTestInput = {
  views: Views
  equity: Decimal | undefined
  /** The values of `let`, for people; the text starts with "unknown" if there is no value. */
  lets: { name: string; text: string }[]
}

const minuteMs = 60_000
const dayMs = 86_400_000
/** Weeks start a day earlier, so that a weekly candle does not close together with others. Clocks have winter time. */
const someTuesday = Date.UTC(2026, 0, 13)
/** The default time, at which no longer candle has closed together with a shorter one. */
const lastMinute = 1439

/** The input of a strategy at the given data. */
export function strategyTestInput(strategy: Strategy, programs: Programs, given: Given): StrategyTestInput {
  const sights = inputsOf(strategy)
  const { account, clock } = sights
  account.equity = () => given.equity?.toNumber()
  account.balances = numbers(given.balance)
  account.mainBalances = numbers(given.main_balance)
  clock.minute = given.time === undefined ? undefined : minuteOf(given.time)
  clock.weekday = given.day === undefined ? undefined : dayNames.indexOf(given.day)
  const at = someTuesday + (clock.minute ?? lastMinute) * minuteMs
  const daysOn = clock.weekday === undefined ? 0 : (clock.weekday + 7 - weekdayOf(someTuesday)) % 7
  if (clock.minute !== undefined) clock.at = at + daysOn * dayMs
  for (const [name, { feed }] of Object.entries(sights.candles)) {
    const file = strategy.feeds[name]
    if (file?.source === 'candles') feed.opened = candleStart(file.interval, at) - feed.intervalMs
    feed.readings = beginFeed(programs, name)
    for (const candle of candlesOf(given.feeds[name], programs, name)) addCandle(feed.readings, candle)
  }
  for (const [name, book] of Object.entries(sights.books)) {
    const feed = given.feeds[name]
    if (feed === undefined || Decimal.isDecimal(feed) || Array.isArray(feed)) continue
    Object.assign(book, { bid: feed.bid?.toNumber(), ask: feed.ask?.toNumber() })
  }
  for (const [name, signal] of Object.entries(sights.signals)) {
    const file = strategy.signals[name]
    if (file) setSignal(signal, file, given.signals[name] ?? null)
  }
  for (const [name, listed] of Object.entries(sights.futures)) {
    const { funding, funding_hours: hours, mark, index, open_interest: interest } = given.futures[name] ?? {}
    Object.assign(listed, {
      funding: funding?.toNumber(),
      fundingHours: hours?.toNumber(),
      mark: mark?.toNumber(),
      index: index?.toNumber(),
      openInterest: interest?.toNumber(),
    })
  }
  for (const [name, depth] of Object.entries(sights.depth)) {
    const { bid_volume: bids, ask_volume: asks, micro_price: micro } = given.depth[name] ?? {}
    Object.assign(depth, {
      bidVolume: bids?.toNumber(),
      askVolume: asks?.toNumber(),
      microPrice: micro?.toNumber(),
    })
  }
  for (const [name, trades] of Object.entries(sights.trades)) {
    const window = windowOf(given.trades[name])
    trades.window = () => window
  }
  for (const [name, holding] of Object.entries(sights.holdings)) {
    holding.position = given.position[name]?.toNumber() ?? 0
    holding.entry = given.avg_entry[name]?.toNumber()
    holding.netFills = given.net_fills[name]?.toNumber() ?? 0
  }
  for (const [name, progress] of Object.entries(sights.ladders)) {
    progress.filledLevels = given.filled_levels[name]?.toNumber() ?? 0
    progress.openHours = given.open_hours[name]?.toNumber()
  }
  const views = viewsOf(programs, sights)
  const lets = programs.lets.map(({ name, program }) => {
    const found = answer(program, views.now)
    return { name, text: 'value' in found ? String(found.value) : `unknown: ${found.unknown}` }
  })
  return { views, equity: given.equity, lets }
}

function windowOf(given: Given['trades'][string] | undefined): TradesWindow {
  const { buy_volume: bought, sell_volume: sold, trade_count: count, volume_at: volumes } = given ?? {}
  return {
    bought: bought?.toNumber(),
    sold: sold?.toNumber(),
    count: count?.toNumber(),
    between: (low, high) =>
      volumes &&
      Object.entries(volumes)
        .filter(([price]) => Number(price) >= low && Number(price) <= high)
        .reduce((sum, [, amount]) => sum.plus(amount), new Decimal(0))
        .toNumber(),
  }
}

function candlesOf(feed: Given['feeds'][string] | undefined, programs: Programs, name: string): Candle[] {
  if (feed === undefined) return []
  if (Array.isArray(feed)) return between(feed.map(Number), 0)
  // Enough candles for the longest indicator to be independent of its start.
  const enough = 1 + programs.depth + 3 * candlesNeeded(programs, name)
  if (Decimal.isDecimal(feed)) return between(Array<number>(enough).fill(feed.toNumber()), 0)
  if (feed.from === undefined) return []
  const from = feed.from.toNumber()
  const way = (feed.to ?? feed.from).toNumber() - from
  const length = feed.candles ?? enough
  const closes = Array.from(
    { length },
    (_, index) => from + (length > 1 ? (way * index) / (length - 1) : way),
  )
  return between([...closes, ...(feed.after ?? []).map(Number)], feed.swing?.toNumber() ?? 0)
}

/** Candles that open at the close before, and extend beyond open and close by `swing`. */
function between(closes: readonly number[], swing: number): Candle[] {
  return closes.map((close, index) => {
    const open = closes[index - 1] ?? close
    const [low, high] = [Math.min(open, close) * (1 - swing), Math.max(open, close) * (1 + swing)]
    return { open, high, low, close, volume: 1 }
  })
}

function numbers(values: Readonly<Record<string, Decimal>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.toNumber()]))
}
