import type { Look } from '#src/engine/commands.ts'
import type {
  Event,
  FoundChoice,
  UnownedOrder,
  SeenOrder,
  SessionStarted,
  VenueFacts,
} from '#src/engine/events.ts'
import { stopReason } from '#src/engine/rules/halts.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { Signal } from '#src/strategy/signals/signal-values.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { CommandExecutor } from '#src/runtime/execute/command-executor.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import { KillSwitches } from '#src/runtime/account/kill-switches.ts'
import { Driver, type DriverParts, type EngineStep, type NewEvent } from './driver.ts'
import type { Feeds, FeedsWanted } from '#src/runtime/feeds/feeds.ts'
import type { AccountReport, ListedOrder, Venue } from '#src/venue/port.ts'
import { PendingFlex } from '#src/runtime/compose/pending-flex.ts'
import { venueByOrder } from '#src/runtime/account/shared-client-ids.ts'
import { readAtStart } from '#src/runtime/account/read-at-start.ts'
import { startHeartbeat } from './heartbeat.ts'
import type { ReadingOutcome } from '#src/runtime/account/account-reading.ts'
import type { LogEvent } from './log-event.ts'
import { Staleness } from '#src/runtime/feeds/stale-feeds.ts'
import { askTime, type VenueClock } from './venue-clock.ts'
import { feedsWanted, watched } from '#src/runtime/feeds/subscriptions.ts'

/** Polls orders, positions and balances, and resolves unknown outcomes. */
export type AccountMonitor = {
  /** Polls everything now; its events are emitted when this resolves. */
  read(): Promise<ReadingOutcome>
  contact(): Connectivity
  /** What the venue reported at the last read of the account, for people. */
  report?(): AccountReport
  /** Orders of the account with ids of this program that the journal does not know. */
  found(): UnownedOrder[]
  /** The account may have changed: poll soon. */
  hint(): void
  /** Called with each tick: polls what is due. */
  beat(): void
  resolve(about: Omit<Look, 'kind'>): Promise<readonly NewEvent[]>
  /** Progress of listed orders, with the times of their deals. */
  inDealOrder(listed: readonly ListedOrder[]): Promise<SeenOrder[]>
  /** Aborts pending searches, which take minutes; the next process continues them. */
  giveUp(): void
  close(): Promise<void>
}

export type BotParts<Taken extends EngineStep> = {
  venue: Venue
  clock: Clock
  venueClock: VenueClock
  facts: VenueFacts
  settleMs: number
  strategies: ReadonlyMap<string, Read>
  engine: { step(event: Event): Taken; readonly state: State }
  journal: DriverParts<Taken>['journal']
  feeds: (wanted: FeedsWanted, tell: (event: NewEvent) => void, onHint: () => void) => Feeds
  accountMonitor: (tell: (event: NewEvent) => void) => AccountMonitor
  onStep: (event: Event, step: Taken) => void
  say: LogEvent
  onBroken: (error: unknown) => void
  /** Reports failures of the first read of the account; null once it succeeds. */
  onLost?: ((lost: Connectivity['lost']) => void) | undefined
  defer?: DriverParts<Taken>['defer']
  /** The tag of a new journal, for its order ids; a journal that has begun keeps what it has. */
  tag?: string | undefined
  /** What becomes of open orders that the start finds and the journal does not know; `stop` by default. */
  foundOrders?: FoundChoice | undefined
  /** The heartbeat; none if the caller also drives the time. */
  pulse?: typeof startHeartbeat
  /** Aborts the start. */
  signal?: AbortSignal | undefined
}

export type RunningBot = Pick<Bot<EngineStep>, 'state' | 'waiting' | 'operate' | 'signal' | 'reload' | 'end'>

/** Strategies are evaluated once a second of venue time, within the limits of the machine. */
const beatMs = 1000
const beatMsLeast = 25
/** Time for orders in flight and a last read of the account at shutdown. */
const patienceMs = 6500

/** Composes the parts and starts them: every input becomes an event, and every event a step of the engine. */
export async function startBot<Taken extends EngineStep>(parts: BotParts<Taken>): Promise<RunningBot> {
  const bot = new Bot(parts)
  await bot.start()
  return bot
}

class Bot<Taken extends EngineStep> {
  readonly #parts: BotParts<Taken>
  readonly #strategies: Map<string, Read>
  readonly #ending = new AbortController()
  readonly #monitor: AccountMonitor
  readonly #executor: CommandExecutor
  readonly #driver: Driver<Taken>
  readonly #deadman: KillSwitches
  readonly #staleness = new Staleness()
  readonly #pendingFlex: PendingFlex | undefined
  #feeds: Feeds | undefined
  #beating: Promise<void> | undefined

  constructor(parts: BotParts<Taken>) {
    const { venue, clock, venueClock, engine, journal, facts, settleMs, say, onBroken } = parts
    this.#parts = parts
    this.#strategies = new Map(parts.strategies)
    const tell = (event: NewEvent) => this.#driver.enqueue(event)
    this.#monitor = parts.accountMonitor(tell)
    this.#executor = new CommandExecutor({
      venue: venueByOrder(venue, () => engine.state.orders, venueClock),
      clock,
      venueClock,
      settleMs,
      state: () => engine.state,
      rateOf: (strategy) => this.#strategies.get(strategy)?.strategy.submit.rate,
      tell,
      onBroken,
      resolve: (about) => this.#monitor.resolve(about),
      inDealOrder: (listed) => this.#monitor.inDealOrder(listed),
      mayLeave: (strategy, role) => stopReason(engine.state, strategy, role) === undefined,
    })
    this.#driver = new Driver({
      venueClock,
      engine,
      journal,
      onStep: (event, step) => {
        parts.onStep(event, step)
        this.#executor.cancelQueued()
      },
      onBroken,
      ...(parts.defer && { defer: parts.defer }),
      carry: (command, decidedAt) => this.#executor.carry(command, decidedAt),
    })
    this.#deadman = new KillSwitches({ venue, venueClock, say, onBroken })
    this.#pendingFlex = facts.pending?.includes('flex')
      ? new PendingFlex({ ask: () => venue.offers('flex'), clock, tell, onBroken })
      : undefined
  }

  async start(): Promise<void> {
    const { facts, clock, venueClock, engine, tag, signal, pulse = startHeartbeat } = this.#parts
    const tagged = tag !== undefined && engine.state.at === 0 && { tag }
    void this.#record({ ...beganOf(facts, this.#strategies), ...heardBy(venueClock), ...tagged })
    try {
      await this.#readAccount()
      this.#feeds = this.#newFeeds()
      await this.#feeds.start()
      if (signal?.aborted) {
        await this.#feeds.close()
        throw signal.reason
      }
    } catch (error) {
      // Later events would reach a closed journal.
      this.#driver.hold()
      await this.#monitor.close()
      throw error
    }
    this.#beating = pulse({
      clock,
      everyMs: Math.max(beatMsLeast, beatMs / venueClock.speed),
      signal: this.#ending.signal,
      beat: () => this.#beat(),
      wasAway: (ms) => this.#wasAway(ms),
    })
    this.#monitor.hint()
  }

  #readAccount(): Promise<void> {
    return readAtStart({
      ...this.#parts,
      monitor: this.#monitor,
      state: () => this.state,
      flush: () => this.#driver.flush(),
      tell: (event) => this.#record(event),
      cancelled: () => this.#executor.cancelled(),
    })
  }

  #beat(): void {
    const { clock, venueClock, engine, facts, say } = this.#parts
    const reads = [...this.#strategies.values()]
    this.#feeds?.tick()
    this.#monitor.beat()
    if (facts.capabilities.includes('cancel')) this.#deadman.refresh(watched(reads))
    this.#pendingFlex?.tick()
    this.#driver.enqueue({ kind: 'tick', ...heardBy(venueClock) })
    const now = { at: venueClock.now(), monotonic: clock.monotonic() }
    for (const stale of this.#staleness.look(reads, engine.state, now)) say(stale)
  }

  /** After a pause of the process: drops the prices, and decides nothing until the venue has sent its time. */
  async #wasAway(ms: number): Promise<void> {
    const { venue, clock, venueClock, say } = this.#parts
    say({ type: 'alert', message: `the process stood still for ${Math.round(ms / 1000)} s` })
    this.#driver.hold()
    await askTime(venue, venueClock, clock)
    this.#feeds?.forget()
    this.#driver.release()
    this.#monitor.hint()
  }

  #newFeeds(): Feeds {
    const wanted = feedsWanted([...this.#strategies.values()], this.#parts.engine.state)
    const tell = (event: NewEvent) => this.#driver.enqueue(event)
    return this.#parts.feeds(wanted, tell, () => this.#monitor.hint())
  }

  get state(): State {
    return this.#parts.engine.state
  }

  get waiting(): number {
    return this.#driver.waiting
  }

  /** Applies a command of the operator at once; it is durable when this returns or when its promise resolves. */
  operate(act: Extract<NewEvent, { kind: 'operator' }>): void | Promise<void> {
    return this.#record(act)
  }

  /** Sets a signal, whose value fits. */
  signal({ name, value }: Signal): void | Promise<void> {
    return this.#record({ kind: 'signal', name, value })
  }

  #record(event: NewEvent): void | Promise<void> {
    this.#driver.enqueue(event)
    return this.#driver.flush()
  }

  /** Replaces a strategy by its changed, valid file. */
  async reload(read: Read): Promise<void> {
    this.#strategies.set(read.strategy.name, read)
    const durable = this.#record({ kind: 'reloaded', name: read.strategy.name, text: read.text() })
    const before = this.#feeds
    this.#feeds = this.#newFeeds()
    await before?.close()
    await this.#feeds.start()
    return durable
  }

  /** Stops new orders, waits for orders in flight, and makes all events durable. */
  async end(): Promise<void> {
    this.#ending.abort()
    const durable = this.#record({ kind: 'ending' })
    this.#monitor.giveUp()
    this.#deadman.close()
    // A silent venue delays each of these until its calls time out.
    await within(this.#parts.clock, patienceMs, async () => {
      await Promise.all([this.#feeds?.close(), this.#beating, durable])
      await this.#executor.finish()
      void this.#driver.flush()
      await this.#monitor.read()
      await this.#monitor.close()
    })
    return this.#driver.close()
  }
}

/** Waits at most this time. */
async function within(clock: Clock, ms: number, act: () => Promise<void>): Promise<void> {
  const done = new AbortController()
  const acting = act().finally(() => done.abort())
  await Promise.race([acting, clock.sleep(ms, done.signal).catch(() => {})])
}

function beganOf(venue: VenueFacts, strategies: ReadonlyMap<string, Read>): Omit<SessionStarted, 'at'> {
  return {
    kind: 'began',
    venue,
    readsFirst: true,
    strategies: [...strategies].map(([name, { text }]) => ({ name, text: text() })),
  }
}

function heardBy({ lastHeard }: VenueClock): { heard?: number } {
  return lastHeard === undefined ? {} : { heard: lastHeard }
}
