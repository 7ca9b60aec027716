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
 * Recorded markets at work. Whoever looks finds prices and quotes as of that moment; points are run only where they
 * matter, in the order of time, those of one moment in the order of the world file.
 */
export function startRecordedSimulation(
  trading: Trading,
  flow: SimulationState,
  about: RecordedSimulation,
  recorded: RecordedMarkets,
) {
  const desks = about.stands.map((stand) => openRecordedContext(trading, about, recorded, stand))
  const moving = new Set(about.stands.map(({ market }) => market))

  /** How much later than they came points come now. */
  function later(): number {
    return about.laterMs + flow.behindMs
  }

  /** In the venue's time. */
  function hitAt(desk: RecordedContext): number {
    return nextHit(desk, moving) + later()
  }

  /** Lets points pass at which nothing happens: all before `until`, which is in the same block. */
  function skip(desk: RecordedContext, until: number): void {
    const { stand, standing, points } = desk
    if (until <= stand.next) return
    tellPoints(desk, until, later())
    standing.last = ticksOf(desk, points.block.units[until - 1 - points.first] ?? 0)
    standing.mark = standing.last
    stand.next = until
    stand.used = 0
  }

  /** Lets those before a moment pass, or those at it, too. */
  function skipTo(desk: RecordedContext, at: number, orAt: boolean): void {
    const { stand, points } = desk
    const moment = at - later()
    if (!points.reach(stand.next)) return
    skip(desk, points.firstAfter(stand.next, moment, !orAt))
    goAlong(desk, orAt ? moment : moment - 1)
  }

  /** Prices have come to where they are, and so do the quotes. */
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
    /** All points of that moment that matter. */
    run(at: number): void {
      for (const desk of desks) while (hitAt(desk) === at) run(desk, at)
    },
    /** All points before that moment have passed, or those at it, too. */
    passTo(at: number, orAt: boolean): void {
      for (const desk of desks) skipTo(desk, at, orAt)
    },
    quote,
    /** Somebody reads the tape of a market, or time is about to be counted in another way. */
    record(market?: number): void {
      for (const desk of desks)
        if (market === undefined || market === desk.stand.market) writeTape(desk, later())
    },
  }
}

/** Where the price is on a line at a moment before its end. */
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
