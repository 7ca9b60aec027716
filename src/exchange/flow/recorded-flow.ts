import type { Floor } from '../trading/floor.ts'
import { react } from '../trading/reacting.ts'
import { setQuotes, tradePoint, unquote } from './crowd.ts'
import { nextHit } from './next-point.ts'
import { openRecordedDesk, ticksOf, type RecordedDesk } from './recorded-desk.ts'
import { tellPoints, writeTape } from './recorded-tape.ts'
import type { Recorded } from './recorded.ts'
import type { Flow, RecordedFlow } from './records.ts'

/**
 * Recorded markets at work. Whoever looks finds prices and quotes as of that moment; points are run only where they
 * matter, in the order of time, those of one moment in the order of the world file.
 */
export function startRecorded(floor: Floor, flow: Flow, about: RecordedFlow, recorded: Recorded) {
  const desks = about.stands.map((stand) => openRecordedDesk(floor, about, recorded, stand))
  const moving = new Set(about.stands.map(({ market }) => market))

  /** How much later than they came points come now. */
  function later(): number {
    return about.laterMs + flow.behindMs
  }

  /** In the venue's time. */
  function hitAt(desk: RecordedDesk): number {
    const hit = nextHit(desk, moving)
    return hit === Infinity ? Infinity : (desk.points.block.at[hit - desk.points.first] ?? 0) + later()
  }

  /** Lets points pass at which nothing happens: all before `until`, which is in the same block. */
  function skip(desk: RecordedDesk, until: number): void {
    const { stand, standing, points } = desk
    if (until <= stand.next) return
    tellPoints(desk, until, later())
    standing.last = ticksOf(desk, points.block.units[until - 1 - points.first] ?? 0)
    standing.mark = standing.last
    stand.next = until
  }

  /** Lets those before a moment pass, or those at it, too. */
  function skipTo(desk: RecordedDesk, at: number, orAt: boolean): void {
    const { stand, points } = desk
    if (points.reach(stand.next)) skip(desk, points.firstAfter(stand.next, at - later(), !orAt))
  }

  /** Prices have come to where they are, and so do the quotes. */
  function quote(at: number): void {
    for (const desk of desks) {
      if (desk.quotesStale || desk.stand.quotedAt !== desk.stand.next) setQuotes(desk, at)
    }
  }

  function changed(): void {
    for (const desk of desks) desk.hitStale = desk.quotesStale = true
  }

  function run(desk: RecordedDesk, hit: number, at: number): void {
    const place = desks.indexOf(desk)
    for (const [other, each] of desks.entries()) if (each !== desk) skipTo(each, at, other < place)
    skip(desk, hit)
    unquote(desk, at)
    tradePoint(desk, hit, at)
    skip(desk, hit + 1)
    floor.state.stirred = true
    react(floor, at)
    changed()
  }

  floor.quote = quote
  return {
    changed,
    nextAt(): number {
      let next = Infinity
      for (const desk of desks) next = Math.min(next, hitAt(desk))
      return next
    },
    /** All points of that moment that matter. */
    run(at: number): void {
      for (const desk of desks) while (hitAt(desk) === at) run(desk, desk.hit, at)
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
