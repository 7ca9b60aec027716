import { askTime, startBot, type RunningBot } from '#src/bot/bot.ts'
import { askVenue, type Asked } from '#src/bot/capabilities.ts'
import { startControl } from '#src/bot/control.ts'
import { venueFeeds } from '#src/bot/feeds.ts'
import { recordedFeeds } from '#src/bot/recorded-prices.ts'
import type { Say } from '#src/bot/say.ts'
import { startLookout } from '#src/bot/lookout.ts'
import { VenueClock } from '#src/bot/venue-clock.ts'
import type { Client } from '#src/client/client.ts'
import { Secret } from '#src/contract/signing.ts'
import { streamPath } from '#src/contract/streams.ts'
import { continuingFaults } from '#src/engine/continuing.ts'
import { Engine } from '#src/engine/engine.ts'
import type { Order, State } from '#src/engine/state.ts'
import type { Step } from '#src/engine/turn.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { exitCodes } from '#src/errors/catalogue.ts'
import { openJournal } from '#src/journal/journal.ts'
import { Log } from '#src/logs/log.ts'
import { troubleEvent } from '#src/logs/trouble.ts'
import { readYaml } from '#src/settings/yaml.ts'
import { loadVenue, type Venue } from '#src/settings/venue.ts'
import { worldSchema } from '#src/exchange/world.ts'
import { sorted } from '#src/strategy/read.ts'
import { systemClock } from '#src/time/clock.ts'
import { factsOfWorld } from './check-rules.ts'
import { Ending } from './ending.ts'
import { engineVersion } from './engine-version.ts'
import { startOwnExchange } from './own-exchange.ts'
import { watchFiles } from './reloading.ts'
import { RunOutput } from './run-output.ts'
import { pricesFor } from './prices-files.ts'
import { fingerprintOf, makeStateFolder, stateFolder } from './state-folder.ts'
import {
  checkAt,
  readStrategies,
  refuseTwins,
  type Check,
  type Faulty,
  type StrategyFile,
} from './strategy-files.ts'
import { problemsText } from './check-text.ts'
import { clientOf, refuseUnlessMeant } from './venue-access.ts'

export type RunFlags = {
  venue?: string
  for?: number
  live?: boolean
  speed?: number
  json?: boolean
  stateDir?: string
}

const ownSpeed = 60

/** Runs strategies until it is told to end. Whatever is opened here is closed in turn, however it ends. */
export async function runBot(paths: readonly string[], flags: RunFlags): Promise<number> {
  const ending = new Ending()
  // Whoever reads our lines may go away: that ends a run like a signal.
  process.stdout.removeAllListeners('error').on('error', () => ending.end())
  // Before anything starts: mistakes that no venue is needed to find.
  const { files: readable, faulty } = readStrategies(paths, () => [])
  if (faulty.length > 0) return tellFaults(faulty)
  refuseTwins(readable)
  const stateDir = stateFolder(flags.stateDir)
  makeStateFolder(stateDir)
  await using closing = new AsyncDisposableStack()
  const { venue, speed, who } = await venueFor(flags, stateDir, ending, closing)
  const client = clientOf(venue, stateDir, speed)
  closing.defer(() => client.close())
  const asked = await askVenue(client, { ...venue, speed, markets: declaredMarkets(venue) })
  const check = await checkAt(client, asked.facts)
  const { files, faulty: unfit } = readStrategies(paths, check)
  if (unfit.length > 0) return tellFaults(unfit)

  const output = openOutput(venue, stateDir, flags.json ?? false)
  closing.defer(() => output.close())
  const journal = openJournal(stateDir, {
    account: who,
    engine: engineVersion,
    begin: (state) => new Engine(state),
    onState: (kept) => output.take([{ type: 'journal-snapshot', ...kept }]),
  })
  closing.defer(() => journal.close())
  const fits: Check = (read) =>
    sorted([
      ...check(read),
      ...continuingFaults(journal.machine.state, read.strategy).map((fault) => read.placed(fault)),
    ])
  const { faulty: estranged } = readStrategies(paths, fits)
  if (estranged.length > 0) return tellFaults(estranged)
  for (const record of journal.recovery.spoiled) {
    const message = `what the journal held as the state after record ${record} is damaged, and was made again: check the disk`
    output.take([{ type: 'alert', at: journal.machine.state.at, message }])
  }
  const venueClock = new VenueClock(systemClock, speed, journal.machine.state.at)
  await askTime(client, venueClock, systemClock)
  const say: Say = (event) => output.take([{ ...event, at: venueClock.now() }])
  const { capabilities, batchMax } = asked.facts
  say({ type: 'venue-ready', url: venue.url, capabilities, orders: batchMax })
  for (const { path, read } of files)
    say({ type: 'strategy-loaded', strategy: read.strategy.name, file: path })
  const bot = await start({ client, asked, venue, stateDir, files, journal, venueClock, output, say, ending })
  const watching = new AbortController()
  const watched = watchFiles({ files, check: fits, bot, say, signal: watching.signal })
  const control = await startControl({ stateDir, bot, venueUrl: venue.url })
  closing.defer(() => control.close())
  const beganAt = systemClock.monotonic()
  if (flags.for !== undefined) setTimeout(() => ending.end(), flags.for).unref()
  await ending.told
  watching.abort()
  await watched
  await bot.end()
  const tookMs = Math.round(systemClock.monotonic() - beganAt)
  output.summary(bot.state, { tookMs, agrees: agrees(bot.state) })
  ending.rethrow()
  return exitCodes.ok
}

type Parts = {
  client: Client
  asked: Asked
  venue: Venue
  stateDir: string
  files: readonly StrategyFile[]
  journal: ReturnType<typeof openJournal<Engine>>
  venueClock: VenueClock
  output: RunOutput
  say: Say
  ending: Ending
}

function start(parts: Parts): Promise<RunningBot> {
  const { client, asked, venue, stateDir, files, journal, venueClock, output, say, ending } = parts
  const { facts, profile } = asked
  const onBroken = (error: unknown) => {
    output.take([troubleEvent(error, venueClock.now())])
    ending.fail(error)
  }
  const streams = facts.capabilities.includes('streams')
  return startBot<Step>({
    client,
    clock: systemClock,
    venueClock,
    facts,
    hedged: asked.hedged ?? false,
    settleMs: venue.settleMs,
    strategies: new Map(files.map(({ read }) => [read.strategy.name, read])),
    engine: journal.machine,
    journal,
    feeds: (wanted, tell, onHint) =>
      facts.capabilities.includes('market_data')
        ? venueFeeds(wanted, {
            client,
            clock: systemClock,
            venueClock,
            tell,
            onHint,
            say,
            streamUrl: streams ? `${venue.url.replace('http', 'ws')}${streamPath}` : undefined,
          })
        : recordedFeeds(wanted, {
            ...pricesFor(wanted.quotes, venue, stateDir, venueClock),
            venueClock,
            tell,
          }),
    lookout: (tell) =>
      startLookout({
        client,
        clock: systemClock,
        venueClock,
        capabilities: facts.capabilities,
        profile,
        nonce: venue.nonce,
        settleMs: venue.settleMs,
        state: () => journal.machine.state,
        tell,
        onBroken,
      }),
    onStep: (_, { notes }) => output.take(notes),
    say,
    onBroken,
  })
}

/** The venue of the file, or one of our own in this process. */
async function venueFor(
  flags: RunFlags,
  stateDir: string,
  ending: Ending,
  closing: AsyncDisposableStack,
): Promise<{ venue: Venue; speed: number; who: string }> {
  if (flags.venue !== undefined) {
    const venue = loadVenue({ path: flags.venue })
    refuseUnlessMeant(venue, flags.live ?? false)
    if (venue.credentials === undefined) {
      throw new BotError('KEY_MISSING', { seen: `${flags.venue} names no key, and a bot trades with one` })
    }
    const who = `the key ${fingerprintOf(venue.credentials.key)} at ${venue.url}`
    return { venue, speed: flags.speed ?? 1, who }
  }
  const speed = flags.speed ?? ownSpeed
  const onBroken = (error: unknown) => ending.fail(error)
  const { running, venue } = await startOwnExchange({ stateDir, speed, onBroken })
  closing.defer(() => running.close())
  return { venue, speed, who: 'paper at the exchange in exchange/ of this folder' }
}

/** Whether all that we know of the venue fits together, and nothing is left to be found out. */
function agrees({ drift, orders }: State): boolean {
  return drift.suspect === null && !drift.foreign && !Object.values(orders).some(isUnsure)
}

function isUnsure({ status }: Order): boolean {
  return status === 'sending' || status === 'doubtful'
}

function declaredMarkets({ world }: Venue) {
  return world === undefined ? null : factsOfWorld(readYaml(world, worldSchema))
}

function openOutput({ credentials }: Venue, stateDir: string, asJson: boolean): RunOutput {
  const secrets = credentials === undefined ? [] : [new Secret(credentials.key), credentials.secret]
  return new RunOutput(new Log({ stateDir, clock: systemClock, secrets, onLost }), asJson)
}

function onLost(code: string): void {
  process.stderr.write(`The log cannot be written (${code})\n`)
}

function tellFaults(faulty: readonly Faulty[]): number {
  for (const { problems, sourceOf } of faulty) process.stderr.write(`${problemsText(sourceOf, problems)}\n`)
  return exitCodes.data
}
