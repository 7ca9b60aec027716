import { startBot, type BotParts, type AccountMonitor } from '#src/runtime/loop/bot.ts'
import { NonceRefused, UndecidedCapability, type VenueDescription } from '#src/venue/capabilities.ts'
import type { Venue } from '#src/venue/port.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import { venueFeeds } from '#src/runtime/feeds/feeds.ts'
import { StartRetries } from './start-retries.ts'
import { recordedFeeds, type PriceRows } from '#src/runtime/feeds/recorded-prices.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import { startAccountMonitor } from '#src/runtime/account/account-monitor.ts'
import { askTime, VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { isLoopback } from '#src/core/network/loopback.ts'
import { reloadFaults } from '#src/engine/rules/reload-compatibility.ts'
import type { FoundChoice, VenueFacts } from '#src/engine/events.ts'
import type { Engine } from '#src/engine/engine.ts'
import { hasOpen } from '#src/engine/state/open-orders.ts'
import type { Step } from '#src/engine/step-context.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { sorted, type Read } from '#src/strategy/file/read-strategy.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { agreeOnLeverage, leverageFaults, leverageWanted } from './account-leverage.ts'
import { checkAt, type Check, type Faulty, type StrategyFile } from './strategy-files.ts'

/** Dependencies of a run: all inputs of the bot come through them. */
export type Ground = {
  venue: Venue
  clock: Clock
  journal: BotParts<Step>['journal'] & { machine: Engine }
  /** Prices for a venue without market data, and the time of the first one. */
  prices: (
    markets: readonly string[],
    now: () => number,
  ) => { prices: ReadonlyMap<string, PriceRows>; begins: number }
  /** Markets of a strategy without such prices. */
  pricesFaults?: (strategy: Strategy) => StrategyFault[]
  onEvents: (events: readonly BotEvent[]) => void
  onBroken: (error: unknown, at: number) => void
  /** Wraps the engine, to measure its steps. */
  engineAround?: (inner: Engine) => BotParts<Step>['engine']
  defer?: (act: () => void) => void
  /** What becomes of open orders that the start finds and the journal does not know; `stop` by default. */
  foundOrders?: FoundChoice | undefined
  /** The tag of the journal, if it is new. */
  tag?: string | undefined
  /** Whether the start sets the leverage that the files need, if the account has another one; otherwise it refuses. */
  setsLeverage: boolean
  /** Aborts the start. */
  signal?: AbortSignal
  /** Reports a venue that does not answer during the start; null once it does. */
  onLost?: (lost: Connectivity['lost']) => void
}

export type TradingRuntime = Awaited<ReturnType<typeof begin>>

/** Strategies do not fit the venue or the journal. */
export class Unfit extends Error {
  readonly faulty: readonly Faulty[]

  constructor(faulty: readonly Faulty[]) {
    super(`${faulty.length} strategies are invalid at this venue`)
    this.faulty = faulty
  }
}

/** Reads the description of the venue, checks the strategies, and starts the bot. Closes the client on an error. */
export async function startTrading(files: readonly StrategyFile[], ground: Ground): Promise<TradingRuntime> {
  try {
    return await begin(files, ground)
  } catch (error) {
    await ground.venue.close()
    throw error
  }
}

async function begin(files: readonly StrategyFile[], ground: Ground) {
  const { venue, clock, journal, onEvents, onLost, defer, signal, tag, foundOrders } = ground
  const { machine } = journal
  const asked = await askedWhenThere(ground)
  const facts = { ...asked.facts, address: isLoopback(venue.address) ? undefined : venue.address }
  const { capabilities, batchMax, speed, settleMs = 0 } = facts
  const fitsVenue = await checkAt(venue.market, asked)
  const check: Check = (read) =>
    sorted([
      ...fitsVenue(read),
      ...reloadFaults(machine.state, read.strategy).map((fault) => read.placed(fault)),
    ])
  const faulty = files.map((file) => ({ ...file, problems: check(file.read) }))
  if (faulty.some(({ problems }) => problems.length > 0)) {
    throw new Unfit(faulty.filter(({ problems }) => problems.length > 0))
  }

  const venueClock = new VenueClock(clock, speed, machine.state.at)
  await askTime(venue, venueClock, clock, asked.time)
  const say: LogEvent = (event) => onEvents([{ ...event, at: venueClock.now() }])
  say({ type: 'venue-ready', url: venue.address, capabilities, orders: batchMax })
  const wanted = leverageWanted(files)
  await agreeOnLeverage(wanted, { ground, declared: facts.leverage, state: machine.state, say })
  reportLoaded(files, asked, say)
  const onBroken = (error: unknown) => ground.onBroken(error, venueClock.now())
  const shared = { venue, clock, venueClock }
  let lookout: AccountMonitor | undefined
  const bot = await startBot<Step>({
    ...shared,
    facts,
    settleMs,
    strategies: new Map(files.map(({ read }) => [read.strategy.name, read])),
    engine: ground.engineAround?.(machine) ?? machine,
    journal,
    feeds: feedsOf(ground, { capabilities, venueClock, say }),
    accountMonitor(tell) {
      lookout = startAccountMonitor({
        ...shared,
        capabilities,
        settleMs,
        state: () => machine.state,
        tell,
        onUnread: (why) => say({ type: 'alert', message: `the account is not read completely: ${why}` }),
        onBroken,
      })
      return lookout
    },
    onStep: (_, { notes }) => onEvents(notes),
    onLost,
    say,
    onBroken,
    ...(defer && { defer }),
    signal,
    tag,
    foundOrders,
  })
  return {
    bot,
    /** The check of a reloaded file. */
    check: (read: Read) => {
      // At the start, missing prices are an error of the venue file. Here they are one of the strategy.
      const unpriced = capabilities.includes('market_data') ? [] : ground.pricesFaults?.(read.strategy)
      const more = [...(unpriced ?? []), ...leverageFaults(read.strategy, wanted?.leverage)]
      return sorted([...check(read), ...more.map((fault) => read.placed(fault))])
    },
    contact: (): Connectivity => lookout?.contact() ?? { readAt: null, lost: null },
    report: () => lookout?.report?.(),
    /** Resolves when the bot has ended; `closed` waits for the client, which a silent venue delays. */
    async end() {
      await bot.end()
      return { closed: venue.close() }
    },
  }
}

function reportLoaded(files: readonly StrategyFile[], { unread }: VenueDescription, say: LogEvent): void {
  for (const reason of unread)
    say({ type: 'alert', message: `the bot places no order in a market that it does not read: ${reason}` })
  for (const { path, read } of files)
    say({ type: 'strategy-loaded', strategy: read.strategy.name, file: path })
}

/** Streams and polls of a venue with market data; otherwise the prices of a file. */
function feedsOf(
  { venue, clock, prices }: Ground,
  about: { capabilities: VenueFacts['capabilities']; venueClock: VenueClock; say: LogEvent },
): BotParts<Step>['feeds'] {
  const { capabilities, venueClock, say } = about
  if (!capabilities.includes('market_data'))
    return (wanted, tell) =>
      recordedFeeds(wanted, { ...prices(wanted.quotes, () => venueClock.now()), venueClock, tell })
  const hasStreams = capabilities.includes('streams')
  const shared = { market: venue.market, clock, venueClock, say, hasStreams }
  return (wanted, tell, onHint) => venueFeeds(wanted, { ...shared, tell, onHint })
}

/** Time of retries at a venue that refuses the nonces. */
const noncesMs = 60_000

/** With open orders or positions, the start retries until the venue answers. */
async function askedWhenThere({
  venue,
  clock,
  journal,
  onEvents,
  ...ground
}: Ground): Promise<VenueDescription> {
  const { signal, onLost = () => {} } = ground
  const alert = (message: string) => onEvents([{ type: 'alert', at: clock.now(), message }])
  const persistence = new StartRetries({ clock, signal, what: 'the start', alert, onLost })
  const beganAt = clock.monotonic()
  for (;;) {
    try {
      const asked = await venue.describe()
      persistence.succeeded()
      return asked
    } catch (error) {
      const told = atAddress(error, venue.address)
      if (!(told instanceof BotError)) throw told
      const isBrief = error instanceof NonceRefused && clock.monotonic() - beganAt < noncesMs
      const isAway = told.code === 'VENUE_UNREACHABLE' || error instanceof NonceRefused
      const isWorthIt = error instanceof UndecidedCapability || isBrief || hasOpen(journal.machine.state)
      if (!isAway || !isWorthIt) throw told
      await persistence.failed(told.seen)
    }
  }
}

/** The error names the address, which may be wrong. */
function atAddress(error: unknown, url: string): unknown {
  if (!(error instanceof BotError)) return error
  return new BotError(error.code, { seen: `${url}: ${error.seen}`, fix: error.fix, cause: error })
}
