import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBot, type RunningBot } from '#src/runtime/loop/bot.ts'
import { venueFeeds } from '#src/runtime/feeds/feeds.ts'
import { recordedFeeds, type PriceRows } from '#src/runtime/feeds/recorded-prices.ts'
import { startAccountMonitor } from '#src/runtime/account/account-monitor.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import { askTime, VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { factsOfWorld } from '#src/cli/files/world-rules.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import type { ClientOptions } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { Nonces, type NonceMode } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { Engine } from '#src/engine/engine.ts'
import type { FoundChoice, VenueFacts } from '#src/engine/events.ts'
import type { Step } from '#src/engine/step-context.ts'
import { openJournal } from '#src/journal/sqlite/journal.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { systemClock, type Clock } from '#src/core/time/clock.ts'
import { worldWith } from '#test/support/world.ts'
import { strategyIn } from '#test/strategy/strategy-files.ts'
import { adapterOf } from '#test/support/adapter.ts'

export type BotOptions = {
  url: string
  folder: string
  strategies: readonly string[]
  clientIds?: VenueFacts['clientIds']
  nonce?: NonceMode
  stopOnFailAnswer?: ClientOptions['stopOnFailAnswer']
  clock?: Clock
  speed?: number
  settleMs?: number
  tag?: string
  foundOrders?: FoundChoice
  /** For a venue without market data; by default one constant price. */
  prices?: { prices: ReadonlyMap<string, PriceRows>; begins: number }
}

export type BotAtWork = RunningBot & {
  notes: BotEvent[]
  /** Unexpected errors. */
  broken: unknown[]
  stop(): Promise<void>
  close(): Promise<void>
  /** Ends the bot like a kill: nothing more is written to the journal. */
  abandon(): Promise<void>
}

/** The bot, composed like `rungs run`, in this process. */
export async function botAtWork(options: BotOptions): Promise<BotAtWork> {
  const {
    url,
    folder,
    clock = systemClock,
    speed = 1,
    settleMs = 0,
    clientIds = 'forever',
    nonce = 'strict',
  } = options
  const nonces = new Nonces({ clock, mode: nonce, memory: nonceFile(join(folder, 'nonce')) })
  const client = createClient({
    transport: httpTransport(url, { connections: 4 }),
    key: { credentials: { key: 'paper-key', secret: new Secret('paper-secret') }, nonces },
    clock,
    stopOnFailAnswer: options.stopOnFailAnswer,
  })
  const markets = factsOfWorld(worldWith())
  const venue = adapterOf(client, { clock, terms: { url, nonce, clientIds, speed, settleMs, markets } })
  const { facts } = await venue.describe()
  const journal = openJournal(folder, {
    account: 'paper',
    engine: 'test',
    begin: (state) => new Engine(state),
  })
  const venueClock = new VenueClock(clock, speed, journal.machine.state.at)
  await askTime(venue, venueClock, clock)
  const notes: BotEvent[] = []
  const broken: unknown[] = []
  const onBroken = (error: unknown) => void broken.push(error)
  const say: LogEvent = (event) => void notes.push({ ...event, at: venueClock.now() })
  const shared = { venue, clock, venueClock }
  const { capabilities } = facts
  const bot = await startBot<Step>({
    ...shared,
    facts,
    settleMs,
    strategies: new Map(options.strategies.map((text) => [strategyIn(text).strategy.name, strategyIn(text)])),
    engine: journal.machine,
    journal,
    feeds: (wanted, tell, onHint) =>
      !capabilities.includes('market_data')
        ? recordedFeeds(wanted, {
            ...(options.prices ?? { prices: steady, begins: venueClock.now() }),
            venueClock,
            tell,
          })
        : venueFeeds(wanted, {
            market: venue.market,
            clock,
            venueClock,
            tell,
            onHint,
            say,
            hasStreams: true,
          }),
    accountMonitor: (tell) =>
      startAccountMonitor({
        ...shared,
        capabilities,
        settleMs,
        state: () => journal.machine.state,
        tell,
        onBroken,
      }),
    onStep: (_, step) => void notes.push(...step.notes),
    say,
    onBroken,
    tag: options.tag,
    foundOrders: options.foundOrders,
  })
  return Object.assign(bot, {
    notes,
    broken,
    async stop() {
      await bot.end()
      await this.close()
    },
    /** Called after `end`. */
    async close() {
      await client.close()
      journal.close()
    },
    async abandon() {
      journal.close()
      await bot.end()
      await client.close()
    },
  })
}

const steady = new Map([
  ['BTC_PERP', { at: new Float64Array([0, 3_600_000]), units: new Float64Array([60_000e9, 60_000e9]) }],
])

export function emptyFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'rungs-story-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
