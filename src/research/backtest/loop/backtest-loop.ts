import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { Horizon } from '#src/research/backtest/jump/horizon.ts'
import { isBeyond, unitBand, within } from '#src/research/backtest/jump/price-bands.ts'
import type { Quote } from '#src/engine/state/state.ts'
import { nextTick, tickFrom } from '#src/engine/state/ticks.ts'
import { AccountReadingTimes, equityLeavesAt } from './account-reading-times.ts'
import type { ClosedCandle } from './candle-builder.ts'
import type { LoopParts, BacktestMarket } from './loop-parts.ts'

type Going = { at: number; isNew: boolean; wakes: boolean; late: readonly NewEvent[] }

const unitsPerOne = 1e9
const minuteMs = 60_000
const freshMs = 1000

/**
 * Advances time from one moment that can matter to the next: a price reaches a resting order, a candle closes, a timer fires, a
 * price or a time that the strategies wait for comes. Nothing between these moments changes a decision.
 */
export class BacktestLoop {
  readonly #parts: LoopParts
  /** By symbol: the last price that was passed to the bot, and when. */
  readonly #told: { units: number; at: number }[]
  #horizon: Horizon = {
    at: Infinity,
    bands: new Map(),
    urgent: new Map(),
    peaks: new Map(),
    closes: null,
    equity: null,
  }
  /** Outside these prices, closes may matter again, or an evaluation is due at once. */
  #watched = this.#horizon.bands
  /** When a price outside its bands, or a gap, is evaluated: with the next tick, as live. */
  #tickAt = Infinity
  readonly #account = new AccountReadingTimes()
  /** Until all candles that a gap has cut are complete again: a missing candle is news, too. */
  #tornUntil = -Infinity
  readonly #longestMs: number
  #nextMinute: number

  /** Only markets whose files have gaps, usually none: this is read at every moment. */
  readonly #torn: readonly BacktestMarket[]
  /** If each close is followed by a read of the account, or expressions read a book, each close matters. */
  readonly #needsCloses: boolean

  constructor(parts: LoopParts) {
    this.#parts = parts
    this.#torn = parts.places.filter(({ course }) => course.hasGaps)
    this.#needsCloses = parts.tellAccount !== undefined || parts.places.some(({ isRead }) => isRead)
    this.#longestMs = Math.max(...parts.places.map(({ candles }) => candles.longestMs))
    // Also a gap just before the start.
    if (this.#torn.length > 0) this.#tornUntil = parts.from + 2 * this.#longestMs
    this.#told = parts.places.map(() => ({ units: 0, at: -Infinity }))
    this.#nextMinute = parts.from - (parts.from % minuteMs) + minuteMs
  }

  async run(until: number): Promise<void> {
    await this.#goTo(this.#parts.from)
    this.#foresee()
    for (let at = this.#nextAt(); at <= until; at = this.#nextAt()) {
      const going = this.#goTo(at)
      // Most moments need no promise, and a promise costs as much as everything else in them.
      if (going) await going
    }
    await this.#goTo(until)
  }

  #nextAt(): number {
    const { exchange, still, from, places, polled, signals, tellAccount } = this.#parts
    const now = from + still.clock.monotonic()
    let at = Math.min(exchange.nextAt(), from + still.clock.nextDue, this.#horizon.at, this.#tickAt)
    at = Math.min(at, signals.nextAt)
    for (const each of polled) at = Math.min(at, each.nextAt(now))
    // Conditions that wait for a price are evaluated with the due tick; others act at once.
    const watched = this.#tickAt === Infinity ? this.#watched : this.#horizon.urgent
    for (const [index, { symbol, course, candles, tick, isRead }] of places.entries()) {
      if (this.#horizon.closes === null) at = Math.min(at, candles.closesAt)
      // A gap has no quotes, also at the start of the file.
      if (isRead && !course.isSilent) {
        const units = this.#told[index]?.units ?? 0
        const changesAt = course.units === units ? course.leavesAt(units - 0.5, units + 0.5) : 0
        at = Math.min(at, tickFrom(Math.max(changesAt, now + 1)))
      }
      const band = unitBand(isRead ? this.#horizon.urgent : watched, symbol, tick)
      if (band) at = Math.min(at, course.leavesAt(band.below, band.above))
      const peak = unitBand(this.#horizon.peaks, symbol, tick)
      if (peak) at = Math.min(at, course.turnsBeyond(peak.below, peak.above))
    }
    at = Math.min(at, this.#silenceAt())
    return tellAccount ? this.#account.stopBefore(at, now) : at
  }

  /** An evaluation is due where a gap of a file begins, and where it ends. */
  #silenceAt(): number {
    let at = Infinity
    for (const { course } of this.#torn)
      at = Math.min(at, course.isSilent ? course.nextAt : course.silentFrom)
    return at
  }

  /** Returns a promise if something has to be waited for. */
  #goTo(at: number): Promise<void> | undefined {
    const { still, exchange, from, places, polled, tell, tellSeen } = this.#parts
    const isTurn = at >= this.#silenceAt()
    const silent = this.#torn.length > 0 ? this.#torn.filter(({ course }) => course.isSilent) : this.#torn
    // The cut candle does not come, and the next one is complete.
    if (silent.length > 0) this.#tornUntil = at + 2 * this.#longestMs
    const { skipped, closed } = this.#pass(at)
    const wakes = from + still.clock.nextDue <= at
    still.clock.turnTo({ now: at, monotonic: at - from })
    exchange.pass(at)
    this.#parts.passed()
    // No strategy may see one of these events while older data of the other feeds is missing. In a gap there is none.
    // A result counts the prices of one moment: the bot knows all of them before it receives the first quote.
    for (const place of places)
      if (!silent.includes(place)) this.#parts.stood(place.symbol, at, priceOf(place))
    // The bot receives the prices of a book at whole seconds; between them only with exits and fills.
    if (tickFrom(at) !== at && places.some(({ isRead }) => isRead)) this.#parts.recordResults()
    for (const candle of skipped.values()) this.#parts.skipped(candle, at)
    const listed = polled.flatMap((each) => each.take(at, silent))
    // Signals last, so that no rule sees them beside an older price.
    const late = [...closed, ...listed, ...this.#parts.signals.take(at)]
    const left = this.#tellQuotes(at)
    if (left === 'bands' || isTurn) this.#tickAt = Math.min(this.#tickAt, tickFrom(at))
    still.act()
    const isDue = this.#isTickDue(at, left !== undefined)
    if (isDue) this.#tickAt = Infinity
    const isNew = isDue || left !== undefined || isTurn || late.length > 0
    // Effects of prices and time come before fills, since reads of the account show fills later.
    if (isDue) tell({ kind: 'tick' })
    still.act()
    const seeing = tellSeen()
    const going = { at, isNew, wakes, late }
    if (typeof seeing === 'boolean') return this.#goOn(seeing, going)
    return seeing.then((isSeen) => this.#goOn(isSeen, going))
  }

  /** A quote may have changed something: then the next tick is that of this moment, if there is one. */
  #isTickDue(at: number, hasLeft: boolean): boolean {
    if (at >= Math.min(this.#tickAt, this.#horizon.at)) return true
    if (!hasLeft || tickFrom(at) > at) return false
    this.#foresee()
    return this.#horizon.at === nextTick(at)
  }

  /** The rest of the moment: what orders have become, late events, and the account. Returns a promise like `#goTo`. */
  #goOn(isSeen: boolean, { at, isNew, wakes, late }: Going): Promise<void> | undefined {
    const { still, tell, hasLeft } = this.#parts
    if (isSeen) still.act()
    for (const event of late) tell(event)
    still.act()
    if (wakes || hasLeft()) return this.#comeToRest().then(() => this.#readAccount(at, false))
    if (isNew || isSeen) this.#foresee()
    return this.#readAccount(at, !isSeen)
  }

  /** Last in the moment, so that the order of the rest does not depend on it. */
  #readAccount(at: number, wasQuiet: boolean): Promise<void> | undefined {
    const { from, tellAccount } = this.#parts
    if (!tellAccount) return undefined
    // The bot has read the account at its start.
    const isDue = at > from && this.#account.isRead(at)
    const isChanged = isDue && tellAccount(this.#account.countsPrices(at, this.#horizon.equity === null))
    if (typeof isChanged === 'boolean') return this.#accountRead(at, wasQuiet, isChanged)
    return isChanged.then((isNews) => this.#accountRead(at, wasQuiet, isNews))
  }

  #accountRead(at: number, wasQuiet: boolean, isChanged: boolean): Promise<void> | undefined {
    const { still, hasLeft } = this.#parts
    if (isChanged) {
      still.act()
      if (hasLeft()) return this.#comeToRest().then(() => this.#planReading(at, false))
      this.#foresee()
    }
    this.#planReading(at, wasQuiet)
    return undefined
  }

  /** Nothing follows in this moment: the account is read next when it can have changed. */
  #planReading(at: number, isQuiet: boolean): void {
    const { equity } = this.#horizon
    const exposed = this.#parts.exposure()
    const priceAt = exposed ? equityLeavesAt(this.#parts.places, exposed, equity) : Infinity
    this.#account.passed(at, { isQuiet, priceAt, isMissed: exposed !== undefined && equity !== null })
  }

  #foresee(): void {
    const now = this.#parts.from + this.#parts.still.clock.monotonic()
    const isSilent = this.#torn.some(({ course }) => course.isSilent)
    const all = this.#needsCloses || isSilent || now <= this.#tornUntil
    const ages = isSilent || this.#parts.polled.some((each) => each.ages)
    this.#horizon = this.#parts.horizon({ all, ages })
    const { bands, closes } = this.#horizon
    this.#watched = closes ? within(bands, closes) : bands
  }

  /** Until only timers are pending. */
  async #comeToRest(): Promise<void> {
    const { still, settle, tellSeen, hasLeft } = this.#parts
    for (let isMoving = true; isMoving;) {
      await settle()
      const isSeen = await tellSeen()
      if (isSeen) still.act()
      isMoving = isSeen || hasLeft()
    }
    this.#foresee()
  }

  /**
   * Passes all points up to and including this moment. Returns the candles that closed at it, in the order of their closing, and
   * of earlier ones that were skipped the last of each kind.
   */
  #pass(at: number): { skipped: Map<string, ClosedCandle>; closed: NewEvent[] } {
    const { places } = this.#parts
    const skipped = new Map<string, ClosedCandle>()
    const closed: NewEvent[] = []
    this.#leap(at)
    for (let next = soonestClose(places); next <= at; next = soonestClose(places)) {
      this.#passMinutes(next - 1)
      for (const { symbol, candles } of places) {
        if (candles.closesAt !== next) continue
        for (const candle of candles.close()) {
          if (next === at) closed.push(candle)
          else skipped.set(`${symbol} ${candle.interval}`, candle)
        }
      }
    }
    this.#passMinutes(at)
    for (const { course } of places) course.pass(at + 1)
    return { skipped, closed }
  }

  /** Only the last of the skipped candles is passed on, so earlier ones need not be computed. */
  #leap(at: number): void {
    const { places } = this.#parts
    let from = Infinity
    for (const { candles } of places) from = Math.min(from, candles.neededFrom(at))
    if (from === Infinity || from <= this.#nextMinute) return
    this.#passMinutes(from)
    for (const { candles } of places) candles.leapTo(from)
  }

  #passMinutes(until: number): void {
    const { places, onMinute } = this.#parts
    for (; this.#nextMinute <= until; this.#nextMinute += minuteMs) {
      this.#nextMinute = this.#lastQuiet(until)
      for (const { course } of places) course.pass(this.#nextMinute)
      onMinute(this.#nextMinute)
    }
  }

  /** The last minute that does not count, or the next one that counts. */
  #lastQuiet(until: number): number {
    const next = this.#nextMinute
    const last = Math.min(until, this.#parts.quietUntil())
    return last <= next ? next : last - ((last - next) % minuteMs)
  }

  /** The bands that a price has left: those of the horizon, or those beyond which it must be computed again. */
  #tellQuotes(at: number): 'bands' | 'closes' | undefined {
    let left: 'bands' | 'closes' | undefined
    const { places } = this.#parts
    const isWhole = tickFrom(at) === at
    for (let index = 0; index < places.length; index++) {
      const [place, told] = [places[index]!, this.#told[index]!]
      const { symbol, course, tick, isRead } = place
      const { units, isSilent } = course
      if (units === 0) continue
      // A gap has no price: the age counts from the last quote before the gap.
      if (isSilent && at > course.lastAt) continue
      const isChanged = units !== told.units
      const isOut = (bands: Horizon['bands']) => isChanged && isBeyond(units, unitBand(bands, symbol, tick))
      const isPeak = isOut(this.#horizon.peaks)
      // Rules that read the book are evaluated at whole seconds; between them, with prices at which an exit acts, and with fills.
      const isNow = isWhole || !isRead || isPeak || this.#parts.isChanged() || isOut(this.#horizon.urgent)
      if (!isSilent && isChanged && !isNow) continue
      // An unchanged price is repeated with a tick.
      if (!isSilent && !isChanged && (!isWhole || at < told.at + freshMs)) continue
      if (isOut(this.#horizon.bands)) left = 'bands'
      // Rules that read a book are evaluated with each price of it, and may have waited for a new one since.
      else if (isPeak || isOut(this.#watched) || (isChanged && isRead)) left ??= 'closes'
      told.units = units
      told.at = at
      this.#parts.tell({ kind: 'quote', market: symbol, ...priceOf(place) })
    }
    return left
  }
}

function priceOf({ course: { units }, tick }: BacktestMarket): Omit<Quote, 'at'> {
  const last = units / unitsPerOne
  return { bid: last, ask: (units + tick) / unitsPerOne, last }
}

function soonestClose(places: readonly BacktestMarket[]): number {
  let next = Infinity
  for (const { candles } of places) next = Math.min(next, candles.closesAt)
  return next
}
