import type { Compiled } from './compiled-strategy.ts'
import { thresholdsOf, time } from '#src/strategy/expressions/thresholds.ts'
import { isFlatNow } from '#src/engine/exits/exit-prices.ts'
import { setSignal } from '#src/strategy/signals/signal-values.ts'
import { freshSignal } from '#src/engine/state/signals.ts'
import { minuteOfDay, weekdayOf } from '#src/strategy/file/schedule.ts'
import { nextLocalMinute } from '#src/strategy/file/time-zones.ts'
import { refreshDepth } from '#src/engine/state/depth.ts'
import { refreshFutures } from '#src/engine/state/futures.ts'
import { refreshTrades } from '#src/engine/state/trades.ts'
import { nextTick } from '#src/engine/state/ticks.ts'
import { isStarting } from '#src/engine/state/session.ts'
import { evaluateAgainAt, isYoung, reached, readEquity } from '#src/engine/state/validity.ts'
import type { Account, Holding, LadderState, State, StrategyState } from '#src/engine/state/state.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** Copies the known values from the state into the context of a strategy's expressions. Stale values are unknown. */
export function refreshContext(state: State, compiled: Compiled, own: StrategyState): void {
  const { feeds, signals, futures, depth, trades, sights, strategy, views, names, readsNow } = compiled
  const { equity, balances } = compiled.readsAccount
  const { at, quotes, account } = state
  for (const { name, symbol, interval, staleMs } of feeds) {
    if (interval === null) {
      const book = sights.books[name]
      const quote = quotes[symbol]
      const isFresh = quote !== undefined && isYoung(state, 'quote', quote.at, staleMs)
      if (!book) continue
      book.bid = isFresh ? quote.bid : null
      book.ask = isFresh ? quote.ask : null
    } else {
      const candles = sights.candles[name]
      const known = own.feeds[name]
      if (!candles) continue
      candles.feed.readings = known && isYoung(state, 'candle', known.at, staleMs) ? known.readings : null
      candles.feed.opened = known?.opened ?? 0
    }
  }
  for (const { name, feed } of signals) {
    const sight = sights.signals[name]
    if (sight) setSignal(sight, feed, freshSignal(state, own, name, feed))
  }
  for (const feed of futures) {
    const input = sights.futures[feed.name]
    if (input) refreshFutures(state, input, feed)
  }
  for (const feed of depth) {
    const input = sights.depth[feed.name]
    if (input) refreshDepth(state, input, feed)
  }
  for (const feed of trades) {
    const input = sights.trades[feed.name]
    if (input) refreshTrades(state, input, feed)
  }
  for (const name of names.markets) {
    const isShort = strategy.markets[name]?.positionSide === 'short'
    lookAtHolding(sights.holdings[name], own.holdings[name], isShort)
    if (readsNow.fills) lookAtFills(sights.holdings[name], own.holdings[name], state)
  }
  if (compiled.candidates.length > 0) sights.clock.isStarting = isStarting(state)
  for (const { market, symbol, rules } of compiled.candidates) {
    const [sight, position = '0'] = [sights.holdings[market], own.holdings[market]?.position]
    if (sight && rules)
      sight.isBelowMinimum =
        position !== '0' && isFlatNow(state, strategy, { position, symbol, market: rules })
  }
  for (const name of names.ladders) lookAtLadder(sights.ladders[name], own.ladders[name], at)
  if (equity || balances) lookAtAccount(sights.account, account)
  sights.clock.minute = minuteOfDay(at)
  sights.clock.weekday = weekdayOf(at)
  sights.clock.at = at
  for (const { minute, zone } of readsNow.times)
    reached(state, zone === undefined ? nextTimeOf(minute, at) : nextLocalMinute(zone, minute, at))
  views.forget()
  if (readsNow.hours.length > 0) evaluateAgainAt(state, () => hoursChangeAt(state, compiled))
}

/** When it is this minute of a day next. */
function nextTimeOf(minute: number, at: number): number {
  const today = at - (at % dayMs) + minute * minuteMs
  return today > at ? today : today + dayMs
}

/** When an expression that reads a time span changes, if nothing else does. */
function hoursChangeAt({ at }: State, { programs, views, readsNow }: Compiled): number {
  const thresholds = thresholdsOf(programs, views.now, readsNow.hours).get(time)
  if (thresholds === null) return nextTick(at)
  // With one tick the age may equal the number, with the next it exceeds it.
  const moments = (thresholds ?? []).flatMap((fromNow) =>
    [-1, 1].map((more) => nextTick(at + fromNow + more)),
  )
  return Math.min(Infinity, ...moments.filter((moment) => moment > at))
}

type Sights = Compiled['sights']

function lookAtHolding(
  sight: Sights['holdings'][string] | undefined,
  holding: Holding | undefined,
  isShort: boolean,
): void {
  if (!sight) return
  const position = holding ? Number(holding.position) : 0
  // In a market that is only ever short, expressions read the absolute amount, as the tests in a file do.
  sight.position = isShort ? -position : position
  sight.entry = numberOf(holding?.entry)
}

function lookAtFills(
  sight: Sights['holdings'][string] | undefined,
  holding: Holding | undefined,
  state: State,
): void {
  if (!sight) return
  sight.netFills = 0
  for (const fill of holding?.fills ?? [])
    if (!reached(state, fill.at + minuteMs)) sight.netFills += Number(fill.money)
}

function lookAtLadder(
  sight: Sights['ladders'][string] | undefined,
  ladder: LadderState | undefined,
  at: number,
): void {
  if (!sight) return
  sight.filledLevels = ladder?.filled.length ?? 0
  sight.openHours = ladder && ladder.openedAt !== null ? (at - ladder.openedAt) / hourMs : null
}

function lookAtAccount(sight: Sights['account'], account: Account | null): void {
  sight.equity = () => {
    readEquity()
    return numberOf(account?.equity)
  }
  sight.balances = account ? numbers(account.available) : none
  sight.mainBalances = account ? numbers(account.main) : none
}

const none: Readonly<Record<string, number>> = {}
/** The same account object gives the same values. */
const numbersByTexts = new WeakMap<Record<string, string>, Record<string, number>>()

function numbers(texts: Record<string, string>): Record<string, number> {
  const known = numbersByTexts.get(texts)
  if (known) return known
  const found: Record<string, number> = {}
  for (const name in texts) found[name] = Number(texts[name])
  numbersByTexts.set(texts, found)
  return found
}

function numberOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text)
}
