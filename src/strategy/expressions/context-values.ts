import { indicators } from '#src/market/indicators/indicator-table.ts'
import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import { beginReadings, type Readings } from '#src/market/indicators/indicator-values.ts'
import type { Views } from './condition.ts'
import { answer, type ExpressionResult } from './expression.ts'
import type { Programs } from './programs.ts'
import { earlierValues, type Context, type EarlierValues, type Series } from './compile-expression.ts'
import { reads } from './reads.ts'
import { activeMarkets, type Selection } from '#src/strategy/loops/selection.ts'
import { closedAt, SeriesValues, type Moment } from './series-values.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import {
  AccountObject,
  BookObject,
  CandlesObject,
  ClockObject,
  DepthObject,
  FuturesObject,
  HoldingObject,
  LadderProgress,
  NumberSignal,
  StateSignal,
  TradesObject,
  unknownValue,
  type FeedInput,
} from './context-objects.ts'

/**
 * All inputs of one strategy, by the names in its file. Created once; the engine writes the values, and values never
 * written are unknown.
 */
export type ExpressionInputs = {
  account: AccountObject
  clock: ClockObject
  candles: Record<string, CandlesObject>
  books: Record<string, BookObject>
  signals: Record<string, NumberSignal | StateSignal>
  futures: Record<string, FuturesObject>
  depth: Record<string, DepthObject>
  trades: Record<string, TradesObject>
  holdings: Record<string, HoldingObject>
  ladders: Record<string, LadderProgress>
}

export function inputsOf({
  feeds,
  signals,
  futures,
  depth,
  trades,
  markets,
  ladder,
}: Strategy): ExpressionInputs {
  const sights: ExpressionInputs = {
    account: new AccountObject(),
    clock: new ClockObject(),
    candles: {},
    books: {},
    signals: {},
    futures: {},
    depth: {},
    trades: {},
    holdings: {},
    ladders: {},
  }
  for (const [name, feed] of Object.entries(feeds)) {
    if (feed.source === 'book') sights.books[name] = new BookObject()
    else {
      const intervalMs = candleIntervals[feed.interval]
      sights.candles[name] = new CandlesObject({ readings: null, opened: 0, intervalMs })
    }
  }
  for (const [name, { states }] of Object.entries(signals))
    sights.signals[name] = states ? new StateSignal() : new NumberSignal()
  for (const name of Object.keys(futures)) sights.futures[name] = new FuturesObject()
  for (const name of Object.keys(depth)) sights.depth[name] = new DepthObject()
  for (const name of Object.keys(trades)) sights.trades[name] = new TradesObject()
  for (const name of Object.keys(markets)) sights.holdings[name] = new HoldingObject()
  for (const name of Object.keys(ladder)) sights.ladders[name] = new LadderProgress()
  return sights
}

/** The number of candles until all indicators of a feed have a value; zero without indicators. */
export function candlesNeeded({ wanted }: Programs, feed: string): number {
  const counts = (wanted.get(feed) ?? []).map(({ name, parameters }) => indicators[name].needs(parameters))
  return Math.max(0, ...counts)
}

/** The readings of a new feed of candles: with all indicators that the expressions of the file read. */
export function beginFeed({ wanted, depth }: Programs, name: string): Readings {
  return beginReadings(wanted.get(name) ?? [], depth)
}

export type LiveViews = Views & {
  /** Clears the cached values of `let`: call it after each change of the inputs. */
  forget(): void
}

/** Created once for these inputs. A `let` is computed at its first use. */
export function viewsOf({ lets, selections }: Programs, sights: ExpressionInputs): LiveViews {
  const now = momentOf(lets, sights, () => 0)
  const forgetActive = selections.map((selection) => addSelection(selection, now.context, sights))
  const moments = new Map<string, Moment>()
  return {
    now: now.context,
    ago(past) {
      const key = `${past.candles} ${past.feeds.join(' ')}`
      let moment = moments.get(key)
      if (!moment) {
        const feeds = past.feeds.flatMap((name) => sights.candles[name]?.feed ?? [])
        moments.set(key, (moment = now.before(feeds, () => past.candles)))
      }
      return moment.context
    },
    forget() {
      now.forget()
      for (const forget of forgetActive) forget()
      for (const moment of moments.values()) moment.forget()
    },
  }
}

function momentOf(
  lets: Programs['lets'],
  sights: ExpressionInputs,
  ago: (feed: FeedInput) => number,
): Moment {
  const { account, clock, candles, books, signals, futures, depth, trades, holdings, ladders } = sights
  const then = Object.entries(candles).map(([name, { feed }]) => {
    return [name, new CandlesObject(feed, () => ago(feed))] as const
  })
  const context = {
    account,
    clock,
    ...Object.fromEntries(then),
    ...books,
    ...signals,
    ...futures,
    ...depth,
    ...trades,
    ...holdings,
    ...ladders,
  }
  const moment: Moment = {
    context,
    ago,
    before(feeds, count) {
      const shortest = Math.min(...feeds.map(({ intervalMs }) => intervalMs))
      // Counted from the latest close of these feeds, so that all are read at the same time.
      const at = () =>
        Math.max(...feeds.map((feed) => closedAt(feed) - ago(feed) * feed.intervalMs)) - count() * shortest
      return momentOf(lets, sights, (feed) =>
        Math.max(ago(feed), Math.ceil((closedAt(feed) - at()) / feed.intervalMs)),
      )
    },
    forget: addLets(context, lets),
  }
  addSeries(context, lets, candles, moment)
  return moment
}

/** What functions of earlier values read, by the part of an expression whose values they are. */
function addSeries(
  context: Record<string, unknown>,
  lets: Programs['lets'],
  candles: ExpressionInputs['candles'],
  moment: Moment,
): void {
  const known = new Map<Series, SeriesValues>()
  const valuesOf: EarlierValues = (series) => {
    let values = known.get(series)
    if (!values) {
      const { names } = reads([series], lets)
      const feeds = [...names].flatMap((name) => candles[name]?.feed ?? [])
      known.set(series, (values = new SeriesValues(moment, feeds, series.run, series.count)))
    }
    return values.read()
  }
  Object.defineProperty(context, earlierValues, { value: valuesOf })
}

/** Chosen when an expression reads it first. */
function addSelection(
  selection: Selection,
  context: Context,
  { holdings, clock }: ExpressionInputs,
): () => void {
  let active: ReturnType<typeof activeMarkets> | undefined
  const isHeld = (market: string) => holdings[market]?.isHeld === true
  for (const { market } of selection.candidates) {
    const holding = holdings[market]
    if (!holding) continue
    holding.isActive = () => {
      active ??= activeMarkets(selection, context, { isHeld, isStarting: clock.isStarting })
      return active.get(market)
    }
  }
  return () => {
    active = undefined
  }
}

function addLets(context: Record<string, unknown>, lets: Programs['lets']): () => void {
  const answers: (ExpressionResult | undefined)[] = lets.map(() => undefined)
  for (const [index, { name, program }] of lets.entries()) {
    Object.defineProperty(context, name, {
      get() {
        const found = (answers[index] ??= answer(program, context))
        if ('unknown' in found) throw unknownValue(found.unknown)
        return found.value
      },
    })
  }
  return () => {
    answers.fill(undefined)
  }
}
