import type { RunningBot } from '#src/runtime/loop/bot.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { QueueView } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import type { State } from '#src/engine/state/state.ts'
import type { History } from '#src/journal/port.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { pastCandles, type ChartCandle } from './candles.ts'
import { EquityCurve } from './equity-curve.ts'
import { QuoteCandles } from './quote-candles.ts'
import { CompiledStrategies, type Known } from './compiled-strategies.ts'
import { lastLines } from './last-log-lines.ts'
import { LogTail } from './log-tail.ts'
import { Subscribers } from '#src/operate/dashboard/http/subscribers.ts'
import { reasonsOf, type Reasons } from './reasons.ts'
import { tablesOf, type About } from '#src/operate/dashboard/tables/table-rows.ts'
import type { BotStatus } from './status.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'

export type DeskParts = {
  state: State
  /** Undefined until it has begun. */
  bot: () => Pick<RunningBot, 'waiting' | 'operate'> | undefined
  clock: Clock
  contact: () => Connectivity
  /** Of the client that it trades with. */
  lanes: () => QueueView[]
  about: Pick<About, 'version' | 'venueUrl' | 'real' | 'files'>
  stateDir: string
  /** Opens the journal of the bot for reading. */
  history: () => History
  /** For what anybody may ask the venue: not the one that the bot trades with. The signal ends what is in flight. */
  publicClient: (signal: AbortSignal) => Pick<Client, 'kline' | 'close'>
  /** What is broken here disturbs no bot. */
  onBroken: (error: unknown) => void
}

/** Reasons are counted out so often at most, for each strategy, and not for all of them at the same look. */
const reasonsMs = 1000
const looksUntilAll = 8
/** They may take a hundredth of the time: where there is more to count, they grow older. */
const pausePerWork = 100
/** Rungs and orders are looked at when something has happened, as far as a fiftieth of the time allows; and as often anyway. */
const wholeLookMs = 1000
const pausePerLook = 50
const sampleMs = 1000

/** What an operator sees of a bot that runs, and does to it. It looks only while somebody watches. */
export class Dashboard {
  /** Where it is shown to people; null before it is. */
  url: string | null = null
  readonly readers: Subscribers
  readonly parts: DeskParts
  readonly #known = new CompiledStrategies()
  readonly #reasons = new Map<string, { at: number; tookMs: number; reasons: Reasons }>()
  #seen: Tables | undefined
  #wholeLook = { at: -Infinity, tookMs: 0 }
  /** Since it was seen as a whole. */
  #hasHappened = false
  readonly #log: LogTail
  readonly #curve = new EquityCurve()
  readonly #heard = new QuoteCandles()
  readonly #closing = new AbortController()
  readonly #publicClient: Pick<Client, 'kline' | 'close'>

  constructor(parts: DeskParts) {
    this.parts = parts
    this.#publicClient = parts.publicClient(this.#closing.signal)
    this.#log = new LogTail(lastLines(parts.stateDir))
    this.readers = new Subscribers({
      clock: parts.clock,
      look: () => this.tables(),
      before: () => ({
        log: this.#log.all(),
        curve: this.#curve.all().map((point) => JSON.stringify(point)),
      }),
      onBroken: parts.onBroken,
    })
    void this.#sample()
  }

  get state() {
    return this.parts.state
  }

  known(): Known {
    return this.#known.of(this.state)
  }

  process(): BotStatus['process'] {
    const { bot, about, contact } = this.parts
    return { pid: process.pid, url: about.venueUrl, waiting: bot()?.waiting ?? 0, ...contact() }
  }

  /** Something has happened; a line of each holds no secret. */
  take(events: readonly BotEvent[], lines: readonly string[]): void {
    this.#hasHappened = true
    const time = new Date(this.parts.clock.now()).toISOString()
    this.readers.tell('log', this.#log.add(events, lines, time))
  }

  /** All that can be seen now. */
  tables(): Tables {
    const { bot, about, contact, lanes, clock } = this.parts
    const known = this.known()
    this.#recount(known)
    const now = clock.monotonic()
    const { at, tookMs } = this.#wholeLook
    const pauseMs = this.#hasHappened ? Math.min(wholeLookMs, pausePerLook * tookMs) : wholeLookMs
    const isWhole = now - at >= pauseMs
    this.#hasHappened &&= !isWhole
    const reasons = new Map([...this.#reasons].map(([name, each]) => [name, each.reasons]))
    const around = { ...about, pid: process.pid, waiting: bot()?.waiting ?? 0, contact: contact() }
    this.#seen = tablesOf(
      this.state,
      known,
      reasons,
      { ...around, dashboard: this.url, lanes: lanes() },
      isWhole ? undefined : this.#seen,
    )
    if (isWhole) this.#wholeLook = { at: now, tookMs: clock.monotonic() - now }
    return this.#seen
  }

  /** The last candles of a market, or why the venue does not tell them. */
  async candles(market: string, interval: CandleInterval): Promise<ChartCandle[] | { failure: string }> {
    if (!this.#venueTellsPrices) return this.#heard.of(market, interval)
    return pastCandles(this.#publicClient, { market, interval, now: this.state.at })
  }

  get #venueTellsPrices(): boolean {
    return this.state.venue.capabilities.includes('market_data')
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.readers.close()
    await this.#publicClient.close()
  }

  /** The oldest first, and few at once: a look must not hold up a price. */
  #recount(known: Known): void {
    const { clock, state } = this.parts
    const now = clock.monotonic()
    let tookMs = 0
    for (const each of this.#reasons.values()) tookMs += each.tookMs
    const ageMs = Math.max(reasonsMs, pausePerWork * tookMs)
    let most = Math.ceil(known.size / looksUntilAll)
    const ages = [...known].map(([name, compiled]) => ({ compiled, at: this.#reasons.get(name)?.at }))
    for (const { compiled, at } of ages.sort((one, other) => (one.at ?? 0) - (other.at ?? 0))) {
      if (at !== undefined && (now - at < ageMs || most-- <= 0)) continue
      const own = state.strategies[compiled.name]
      if (!own) continue
      const began = clock.monotonic()
      const reasons = reasonsOf(state, compiled, own)
      this.#reasons.set(compiled.name, { at: now, tookMs: clock.monotonic() - began, reasons })
    }
  }

  async #sample(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        if (!this.#venueTellsPrices) this.#heard.hear(this.state)
        const point = this.#curve.sample(this.state)
        if (point) this.readers.tell('curve', [JSON.stringify(point)])
      } catch (error) {
        this.parts.onBroken(error)
      }
      await this.parts.clock.sleep(sampleMs, signal).catch(() => {})
    }
  }
}
