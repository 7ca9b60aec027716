import { indicators } from '#src/market/indicators/indicator-table.ts'
import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import { beginReadings, type Readings } from '#src/market/indicators/indicator-values.ts'
import type { Past, Views } from './condition.ts'
import { answer, type ExpressionResult } from './expression.ts'
import type { Programs } from './programs.ts'
import type { Context } from './compile-expression.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import {
  AccountObject,
  BookObject,
  CandlesObject,
  ClockObject,
  HoldingObject,
  LadderProgress,
  NumberSignal,
  StateSignal,
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
  holdings: Record<string, HoldingObject>
  ladders: Record<string, LadderProgress>
}

export function inputsOf({ feeds, signals, markets, ladder }: Strategy): ExpressionInputs {
  const sights: ExpressionInputs = {
    account: new AccountObject(),
    clock: new ClockObject(),
    candles: {},
    books: {},
    signals: {},
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
export function viewsOf({ lets }: Programs, sights: ExpressionInputs): LiveViews {
  const { account, clock, candles, books, signals, holdings, ladders } = sights
  const sightsNow = { account, clock, ...candles, ...books, ...signals, ...holdings, ...ladders }
  const now = { ...sightsNow }
  const forgetting = [addLets(now, lets)]
  const contexts = new Map<string, Context>()
  return {
    now,
    ago(past) {
      const key = `${past.candles} ${past.feeds.join(' ')}`
      let context = contexts.get(key)
      if (!context) contexts.set(key, (context = ago(past)))
      return context
    },
    forget() {
      for (const forget of forgetting) forget()
    },
  }

  function ago(past: Past): Context {
    const feeds = past.feeds.flatMap((name) => candles[name]?.feed ?? [])
    const shortest = Math.min(...feeds.map(({ intervalMs }) => intervalMs))
    // Counted from the latest close of these feeds, so that all are read at the same time.
    const moment = () => Math.max(...feeds.map(closedAt)) - past.candles * shortest
    const seen = Object.entries(candles).map(([name, { feed }]) => {
      const ago = () => Math.max(0, Math.ceil((closedAt(feed) - moment()) / feed.intervalMs))
      return [name, new CandlesObject(feed, ago)]
    })
    const context = { ...sightsNow, ...Object.fromEntries(seen) }
    forgetting.push(addLets(context, lets))
    return context
  }
}

function closedAt({ opened, intervalMs }: FeedInput): number {
  return opened + intervalMs
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
