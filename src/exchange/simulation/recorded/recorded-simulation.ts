import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import { setQuotes, tradeAt, unquote } from './crowd-quotes.ts'
import { isLineTo, unitsAt } from './price-lines.ts'
import { nextHit } from './next-hit.ts'
import { openRecordedContext, ticksOf, type RecordedContext } from './recorded-context.ts'
import { tellPoints, writeTape } from './recorded-trades.ts'
import type { RecordedMarkets } from './recorded-market.ts'
import type { SimulationState, RecordedSimulation } from '#src/exchange/simulation/simulation-records.ts'

/**
 * Runs recorded markets. Every reader finds prices and quotes as of its time. Only points with an event are run, in the
 * order of time; at one time in the order of the world file.
 */
export function startRecordedSimulation(
  trading: Trading,
  flow: SimulationState,
  about: RecordedSimulation,
  recorded: RecordedMarkets,
) {
  const desks = about.stands.map((stand) => openRecordedContext(trading, about, recorded, stand))
  const moving = new Set(about.stands.map(({ market }) => market))

  /** The shift of the points, in milliseconds. */
  function later(): number {
    return about.laterMs + flow.behindMs
  }

  /** The time of the next event, in the exchange's time. */
  function hitAt(desk: RecordedContext): number {
    return nextHit(desk, moving) + later()
  }

  /** Skips points without an event: all before `until`, which is in the same block. */
  function skip(desk: RecordedContext, until: number): void {
    const { stand, standing, points } = desk
    if (until <= stand.next) return
    tellPoints(desk, until, later())
    standing.last = ticksOf(desk, points.block.units[until - 1 - points.first] ?? 0)
    standing.mark = standing.last
    stand.next = until
    stand.used = 0
  }

  /** Skips all points before a time, or up to and including it with `orAt`. */
  function skipTo(desk: RecordedContext, at: number, orAt: boolean): void {
    const { stand, points } = desk
    const moment = at - later()
    if (!points.reach(stand.next)) return
    skip(desk, points.firstAfter(stand.next, moment, !orAt))
    goAlong(desk, orAt ? moment : moment - 1)
  }

  /** Updates the quotes of all markets whose price has moved. */
  function quote(at: number): void {
    for (const desk of desks) {
      const { stand, standing } = desk
      if (desk.quotesStale || stand.quotedAt !== stand.next || desk.quotedTicks !== standing.last)
        setQuotes(desk, at)
    }
  }

  function changed(): void {
    for (const desk of desks) desk.hitStale = desk.quotesStale = true
  }

  function run(desk: RecordedContext, at: number): void {
    const { hit, hitAt: moment, points } = desk
    const order = desks.indexOf(desk)
    for (const [other, each] of desks.entries()) if (each !== desk) skipTo(each, at, other < order)
    skip(desk, hit)
    const { block, first } = points
    const place = hit - first
    const isPoint = block.at[place] === moment
    unquote(desk, at)
    tradeAt(desk, isPoint ? (block.units[place] ?? 0) : unitsAt(block, place, moment), isPoint, at)
    goAlong(desk, moment)
    if (isPoint) skip(desk, hit + 1)
    trading.state.stirred = true
    react(trading, at)
    changed()
  }

  trading.quote = quote
  return {
    changed,
    nextAt(): number {
      let next = Infinity
      for (const desk of desks) next = Math.min(next, hitAt(desk))
      return next
    },
    /** Runs all points with an event at this time. */
    run(at: number): void {
      for (const desk of desks) while (hitAt(desk) === at) run(desk, at)
    },
    /** Skips all points before this time, or up to and including it. */
    passTo(at: number, orAt: boolean): void {
      for (const desk of desks) skipTo(desk, at, orAt)
    },
    quote,
    /** Writes the public trades up to now, before a reader reads them or the shift changes. */
    record(market?: number): void {
      for (const desk of desks)
        if (market === undefined || market === desk.stand.market) writeTape(desk, later())
    },
  }
}

/** Sets the price on a line at a time before its end. */
function goAlong(desk: RecordedContext, moment: number): void {
  const { stand, standing, points } = desk
  if (moment <= desk.passedTo) return
  desk.passedTo = moment
  if (!points.reach(stand.next)) return
  const { block, first } = points
  const place = stand.next - first
  if (!isLineTo(desk.kind, place) || moment <= (block.at[place - 1] ?? 0)) return
  standing.last = ticksOf(desk, unitsAt(block, place, moment))
  standing.mark = standing.last
}
