import type { FoundChoice } from '#src/engine/events.ts'
import { newTag } from '#src/engine/orders/order-ids.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { countEvents } from '#src/operate/metrics/event-counters.ts'
import { Log } from '#src/operate/logs/log.ts'
import { errorEvent } from '#src/operate/logs/log-errors.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { packageVersion } from '#src/cli/program/package-version.ts'
import type { Shutdown } from './shutdown.ts'
import type { LiveView } from './live-view.ts'
import type { RunAlerts } from './run-alerts.ts'
import type { RunMetrics } from './run-metrics.ts'
import { RunOutput, type Manner } from './run-output.ts'
import { recordedRun } from '#src/research/replay/recorded-run.ts'
import { fleetAddress, keepTrace, memoryAfter, type FleetFlags } from './run-fleet.ts'
import { openRunJournal } from './run-journal.ts'
import { filesOfFleet } from './fleet-service.ts'
import { declaredMarkets, venueFor, type VenueFlags } from './run-venue.ts'
import type { OnExit } from '#src/strategy/schema/on-exit.ts'
import type { SignalSources } from './run-signals.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import { clientOf, hiding, noncesOf, secretsOf } from '#src/cli/files/venue-access.ts'

export type RunFlags = VenueFlags &
  FleetFlags & {
    for?: number
    json?: boolean
    verbose?: boolean
    stateDir?: string
    record?: string
    signals?: string
    foundOrders?: FoundChoice
    onExit?: OnExit
    port?: number
    yes?: boolean
    alerts?: string
  }

/** Subscribers of a run. */
export type Watchers = { metrics: RunMetrics; alerts: RunAlerts | undefined }

/** Connections for concurrent calls, and one for the calls that need an order. */
const connections = 4

type About = {
  stateDir: string
  watchers: Watchers
  signals: SignalSources
  view: LiveView | undefined
  manner: Manner
  ending: Shutdown
  closing: AsyncDisposableStack
}

/** Opens the parts of a run: venue, output, journal, tape and client. `closing` closes them in reverse order. */
export async function openRunParts(files: readonly StrategyFile[], flags: RunFlags, about: About) {
  const { stateDir, watchers, view, manner, ending, closing } = about
  const { metrics, alerts } = watchers
  const fleet = fleetAddress(flags, files)
  const { venue, speed, who } = await venueFor(flags, stateDir, ending, closing)
  const secrets = [...secretsOf(venue), ...(alerts?.settings.secrets ?? []), ...about.signals.secrets]
  const log = new Log({ stateDir, clock: systemClock, secrets, onLost })
  const output = new RunOutput(log, { manner, isVerbose: flags.verbose === true })
  if (view) output.listen(view.take)
  closing.defer(() => output.close())
  output.listen((events) => countEvents(metrics.registry, events))
  if (alerts) output.listen(alerts.take)
  const shared = { stateDir, account: who, venue, output, ending, closing }
  const { journal, member } = await openRunJournal(fleet, flags, shared)
  metrics.account = member?.account
  const { machine } = journal
  const running = member ? await filesOfFleet(files, member, output, machine.state.at) : files
  const terms = { ...venue, speed, markets: declaredMarkets(venue) }
  const cut = new AbortController()
  /** The requests in flight; a run that ends normally replaces this promise. */
  const inFlight = { over: Promise.resolve() }
  closing.defer(() => {
    // The answers of requests in flight are not read any more.
    cut.abort()
    return inFlight.over
  })
  const tag = newTag(Math.random)
  const session = { files: running, venue, terms, machine, tag, secrets, foundOrders: flags.foundOrders }
  const recorded = tapeOf(flags, session, (error) => output.take([errorEvent(error, machine.state.at)]))
  closing.defer(() => recorded && ending.withoutDeadline(recorded.close()))
  const nonces = noncesOf(venue, stateDir, recorded?.nonces, memoryAfter(member))
  if (member && nonces) await keepTrace(member.lease, nonces)
  if (nonces?.notice !== undefined)
    output.take([{ type: 'alert', at: machine.state.at, message: nonces.notice }])
  const client = clientOf(venue, {
    nonces,
    signal: cut.signal,
    connections,
    readsAnywhere: true,
    random: Math.random,
    // Limits count in the venue's time: if that runs faster than ours, our time would make them too strict.
    keepRates: speed === 1,
    onTurn: metrics.waited,
    ...(member && { mayCallMs: () => member.lease.remainingMs() }),
    ...recorded?.client,
  })
  return {
    files: running,
    venue,
    speed,
    terms,
    secrets,
    output,
    journal,
    member,
    tag,
    recorded,
    client,
    cut,
    inFlight,
  }
}

type Session = Pick<
  Parameters<typeof recordedRun>[0],
  'files' | 'venue' | 'terms' | 'machine' | 'tag' | 'secrets' | 'foundOrders'
>

/** Begins the tape of `--record`. */
function tapeOf({ record, live = false }: RunFlags, session: Session, onTrouble: (error: BotError) => void) {
  if (record === undefined) return undefined
  const about = { ...session, path: record, version: packageVersion, hide: hiding(session.venue), onTrouble }
  return begunOrReported(() => recordedRun(about), live ? onTrouble : undefined)
}

/** A run with real orders starts without a tape if the tape cannot be written; any other run is refused. */
function begunOrReported<Begun>(begin: () => Begun, report?: (error: BotError) => void): Begun | undefined {
  try {
    return begin()
  } catch (error) {
    if (report === undefined || !(error instanceof BotError)) throw error
    report(error)
    return undefined
  }
}

function onLost(code: string): void {
  process.stderr.write(`The log cannot be written (${code})\n`)
}
