import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import { setQuotes, tradeAt, cancelQuotes } from './crowd-quotes.ts'
import { isLineTo, unitsAt } from './price-lines.ts'
import { nextHit } from './next-hit.ts'
import { openRecordedContext, ticksOf, type RecordedContext } from './recorded-context.ts'
import { emitPoints, writePublicTrades } from './recorded-trades.ts'
import type { RecordedMarkets } from './recorded-market.ts'
import type { SimulationState, RecordedSimulation } from '#src/exchange/simulation/simulation-records.ts'

/**
 * Runs recorded markets. Every reader finds prices and quotes as of its time. Only points with an event are run, in the
 * order of time; at one time in the order of the world file.
 */
export function startRecordedSimulation(
  trading: Trading,
  simulation: SimulationState,
  about: RecordedSimulation,
  recorded: RecordedMarkets,
) {
  const contexts = about.stands.map((progress) => openRecordedContext(trading, about, recorded, progress))
  const moving = new Set(about.stands.map(({ market }) => market))

  /** The shift of the points, in milliseconds. */
  function later(): number {
    return about.laterMs + simulation.behindMs
  }

  /** The time of the next event, in the exchange's time. */
  function hitAt(context: RecordedContext): number {
    return nextHit(context, moving) + later()
  }

  /** Updates the quotes of all markets whose price has moved. */
  function quote(at: number): void {
    for (const context of contexts) {
      const { progress, marketState } = context
      if (
        context.quotesStale ||
        progress.quotedAt !== progress.next ||
        context.quotedTicks !== marketState.last
      )
        setQuotes(context, at)
    }
  }

  function changed(): void {
    for (const context of contexts) context.hitStale = context.quotesStale = true
  }

  function run(context: RecordedContext, at: number): void {
    const { hit, hitAt: moment, points } = context
    const order = contexts.indexOf(context)
    const shift = later()
    for (const [other, each] of contexts.entries()) {
      if (each !== context) skipTo(each, at, other < order, shift)
    }
    skip(context, hit, shift)
    const { block, first } = points
    const place = hit - first
    const isPoint = block.at[place] === moment
    cancelQuotes(context, at)
    tradeAt(context, isPoint ? (block.units[place] ?? 0) : unitsAt(block, place, moment), isPoint, at)
    moveAlongLine(context, moment)
    if (isPoint) skip(context, hit + 1, shift)
    trading.state.stirred = true
    react(trading, at)
    changed()
  }

  trading.quote = quote
  return {
    changed,
    nextAt(): number {
      let next = Infinity
      for (const context of contexts) next = Math.min(next, hitAt(context))
      return next
    },
    /** Runs all points with an event at this time. */
    run(at: number): void {
      for (const context of contexts) while (hitAt(context) === at) run(context, at)
    },
    /** Skips all points before this time, or up to and including it. */
    passTo(at: number, orAt: boolean): void {
      for (const context of contexts) skipTo(context, at, orAt, later())
    },
    quote,
    /** Writes the public trades up to now, before a reader reads them or the shift changes. */
    record(market?: number): void {
      for (const context of contexts)
        if (market === undefined || market === context.progress.market) writePublicTrades(context, later())
    },
  }
}

/** Skips all points before a time, or up to and including it with `orAt`. `later` is the shift of the points. */
function skipTo(context: RecordedContext, at: number, orAt: boolean, later: number): void {
  const { progress, points } = context
  const moment = at - later
  if (!points.reach(progress.next)) return
  skip(context, points.firstAfter(progress.next, moment, !orAt), later)
  moveAlongLine(context, orAt ? moment : moment - 1)
}

/** Skips points without an event: all before `until`, which is in the same block. */
function skip(context: RecordedContext, until: number, later: number): void {
  const { progress, marketState, points } = context
  if (until <= progress.next) return
  emitPoints(context, until, later)
  marketState.last = ticksOf(context, points.block.units[until - 1 - points.first] ?? 0)
  marketState.mark = marketState.last
  progress.next = until
  progress.used = 0
}

/** Sets the price on a line at a time before its end. */
function moveAlongLine(context: RecordedContext, moment: number): void {
  const { progress, marketState, points } = context
  if (moment <= context.passedTo) return
  context.passedTo = moment
  if (!points.reach(progress.next)) return
  const { block, first } = points
  const place = progress.next - first
  if (!isLineTo(context.kind, place) || moment <= (block.at[place - 1] ?? 0)) return
  marketState.last = ticksOf(context, unitsAt(block, place, moment))
  marketState.mark = marketState.last
}
