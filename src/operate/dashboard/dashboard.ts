import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { RunningBot } from '#src/runtime/loop/bot.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { QueueView } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import type { State } from '#src/engine/state/state.ts'
import type { History } from '#src/journal/port.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { pastCandles, shownMax, type ChartCandle } from './candles.ts'
import { chartedFeeds, curvesOf, type Curve } from './indicator-curves.ts'
import { candlesMax } from '#src/venues/whitebit/contract/market-data/candles.ts'
import { openHistory } from '#src/operate/dashboard/history/open-history.ts'
import { QuoteCandles } from './quote-candles.ts'
import { SignalIntake } from '#src/operate/dashboard/signals/signal-intake.ts'
import { StrategyCache, type CompiledByName } from './strategy-cache.ts'
import { lastLines } from './last-log-lines.ts'
import { LogTail } from './log-tail.ts'
import { Subscribers } from '#src/operate/dashboard/http/subscribers.ts'
import { reasonsOf, type Reasons } from './reasons.ts'
import { tablesOf, type TableContext } from '#src/operate/dashboard/tables/table-rows.ts'
import type { BotStatus } from './status.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'

export type DashboardParts = {
  state: State
  /** Undefined until the bot has started. */
  bot: () => Pick<RunningBot, 'waiting' | 'operate' | 'signal'> | undefined
  /** Logs what no step of the engine reports. */
  say: LogEvent
  clock: Clock
  contact: () => Connectivity
  report?: () => TableContext['report']
  /** Queues of the client that the bot trades with. */
  lanes: () => QueueView[]
  about: Pick<TableContext, 'version' | 'venueUrl' | 'real' | 'files'>
  stateDir: string
  /** Opens the journal of the bot for reading. */
  history: () => History
  /** A separate client for public data. The signal cancels calls in flight. */
  publicClient: (signal: AbortSignal) => Pick<Client, 'kline' | 'close'>
  /** Reports errors of the dashboard, which do not disturb the bot. */
  onBroken: (error: unknown) => void
}

/** Reasons of a strategy are computed at most this often, and spread over several updates. */
const reasonsMs = 1000
const updatesUntilAll = 8
/** Computing reasons, and writing the history, may each take a hundredth of the time. */
const pausePerWork = 100
/** Rungs and orders are read after log events, within a fiftieth of the time, and otherwise once in this time. */
const fullUpdateMs = 1000
const pausePerUpdate = 50
const sampleMs = 1000
/** The engine keeps at least 300 fills of a market: trades are recorded before it forgets one. */
const fillsMax = 100

type Chart = { candles: readonly ChartCandle[]; curves: readonly Curve[] }
type Failure = { failure: string }

/** Shows a running bot to its operator, and takes his commands. It reads the state only while a page is open. */
export class Dashboard {
  /** Null before the listener is open. */
  url: string | null = null
  readonly subscribers: Subscribers
  readonly signals: SignalIntake
  readonly parts: DashboardParts
  readonly #known = new StrategyCache()
  readonly #reasons = new Map<string, { at: number; tookMs: number; reasons: Reasons }>()
  #tables: Tables | undefined
  #fullUpdate = { at: -Infinity, tookMs: 0 }
  /** Log events since the last full update. */
  #hasEvents = false
  readonly #log: LogTail
  readonly #quoteCandles = new QuoteCandles()
  readonly #history
  readonly trades
  readonly equity
  #fills = 0
  readonly #closing = new AbortController()
  readonly #publicClient: Pick<Client, 'kline' | 'close'>

  constructor(parts: DashboardParts) {
    this.parts = parts
    this.#publicClient = parts.publicClient(this.#closing.signal)
    this.signals = new SignalIntake({
      clock: parts.clock,
      strategies: () => this.state.running.flatMap((name) => this.known().get(name)?.strategy ?? []),
      bot: parts.bot,
      say: parts.say,
    })
    const { db, trades, equity } = openHistory(parts.stateDir, parts.onBroken)
    this.#history = db
    this.trades = trades
    this.equity = equity
    this.#log = new LogTail(lastLines(parts.stateDir))
    this.subscribers = new Subscribers({
      clock: parts.clock,
      readTables: () => this.tables(),
      backlog: () => this.#log.all(),
      onBroken: parts.onBroken,
    })
    void this.#sample()
  }

  get state() {
    return this.parts.state
  }

  known(): CompiledByName {
    return this.#known.of(this.state)
  }

  process(): BotStatus['process'] {
    const { bot, about, contact } = this.parts
    return { pid: process.pid, url: about.venueUrl, waiting: bot()?.waiting ?? 0, ...contact() }
  }

  /** Each line is the event as JSON without secrets. */
  take(events: readonly BotEvent[], lines: readonly string[]): void {
    this.#hasEvents = true
    const time = new Date(this.parts.clock.now()).toISOString()
    this.subscribers.add(this.#log.add(events, lines, time))
    for (const { type } of events) if (type === 'fill') this.#fills += 1
    // Not now: the orders of this step have not left yet.
    if (this.#fills >= fillsMax) setImmediate(() => this.#recordTrades())
  }

  #recordTrades(): void {
    this.#fills = 0
    try {
      if (this.#history.isOpen) this.trades.record(this.state, this.known())
    } catch (error) {
      this.parts.onBroken(error)
    }
  }

  tables(): Tables {
    const { bot, about, contact, lanes, clock } = this.parts
    const known = this.known()
    this.#updateReasons(known)
    const now = clock.monotonic()
    const { at, tookMs } = this.#fullUpdate
    const pauseMs = this.#hasEvents ? Math.min(fullUpdateMs, pausePerUpdate * tookMs) : fullUpdateMs
    const isFull = now - at >= pauseMs
    this.#hasEvents &&= !isFull
    const reasons = new Map([...this.#reasons].map(([name, each]) => [name, each.reasons]))
    this.#tables = tablesOf(
      this.state,
      known,
      reasons,
      {
        ...about,
        pid: process.pid,
        waiting: bot()?.waiting ?? 0,
        contact: contact(),
        dashboard: this.url,
        lanes: lanes(),
        trades: this.trades.newest,
        report: this.parts.report?.(),
      },
      isFull ? undefined : this.#tables,
    )
    if (isFull) this.#fullUpdate = { at: now, tookMs: clock.monotonic() - now }
    return this.#tables
  }

  /** The last candles of a market and the indicators of a strategy, or why the venue does not send the candles. */
  async chart(market: string, interval: CandleInterval, strategy: string): Promise<Chart | Failure> {
    const candles = await this.#candles(market, interval, shownMax)
    if ('failure' in candles) return candles
    const compiled = this.known().get(strategy)
    const curves: Curve[] = []
    for (const feed of compiled === undefined ? [] : chartedFeeds(compiled, market)) {
      const own = await this.#candles(market, feed.interval, candlesMax)
      const now = this.state.at
      // Without candles of its feed an indicator is unknown, as it is to the strategy.
      curves.push(...curvesOf(feed, 'failure' in own ? [] : own, { interval, candles, now }))
    }
    return { candles, curves }
  }

  async #candles(market: string, interval: CandleInterval, count: number): Promise<ChartCandle[] | Failure> {
    if (!this.#hasMarketData) return this.#quoteCandles.of(market, interval)
    return pastCandles(this.#publicClient, { market, interval, now: this.state.at, count })
  }

  get #hasMarketData(): boolean {
    return this.state.venue.capabilities.includes('market_data')
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.subscribers.close()
    if (this.#history.isOpen) {
      this.#recordTrades()
      this.#history.close()
    }
    await this.#publicClient.close()
  }

  /** Recomputes the oldest reasons first, and few at once: an update must not delay a price. */
  #updateReasons(known: CompiledByName): void {
    const { clock, state } = this.parts
    const now = clock.monotonic()
    let tookMs = 0
    for (const each of this.#reasons.values()) tookMs += each.tookMs
    const ageMs = Math.max(reasonsMs, pausePerWork * tookMs)
    let most = Math.ceil(known.size / updatesUntilAll)
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
    const { clock } = this.parts
    while (!signal.aborted) {
      const began = clock.monotonic()
      this.#recordTrades()
      try {
        if (!this.#hasMarketData) this.#quoteCandles.add(this.state)
        this.equity.sample(this.state, this.known())
      } catch (error) {
        this.parts.onBroken(error)
      }
      await clock
        .sleep(Math.max(sampleMs, pausePerWork * (clock.monotonic() - began)), signal)
        .catch(() => {})
    }
  }
}
