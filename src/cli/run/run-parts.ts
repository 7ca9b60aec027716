import { existsSync } from 'node:fs'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { controlPath } from '#src/operate/dashboard/http/listener.ts'
import { Engine } from '#src/engine/engine.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Journal } from '#src/journal/port.ts'
import { openJournal } from '#src/journal/sqlite/journal.ts'
import { Log } from '#src/operate/logs/log.ts'
import { troubleEvent } from '#src/operate/logs/log-errors.ts'
import { systemClock } from '#src/core/time/clock.ts'
import type { Shutdown } from './shutdown.ts'
import type { LiveView } from './live-view.ts'
import type { RunAlerts } from './run-alerts.ts'
import type { RunMetrics } from './run-metrics.ts'
import { RunOutput, type Manner } from './run-output.ts'
import { recordedRun } from './record-run.ts'
import { declaredMarkets, venueFor, type VenueFlags } from './run-venue.ts'
import { refusalOf } from '#src/venues/whitebit/adapter/refusals.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import { clientOf, secretsOf } from '#src/cli/files/venue-access.ts'

export type RunFlags = VenueFlags & {
  for?: number
  json?: boolean
  stateDir?: string
  record?: string
  port?: number
  alerts?: string
}

/** What watches a run. */
export type Watchers = { metrics: RunMetrics; alerts: RunAlerts | undefined }

/** What a run stands on: its venue, what it says, what it remembers, its tape and its client. All of it is closed in turn. */
export async function openRunParts(
  files: readonly StrategyFile[],
  flags: RunFlags,
  about: {
    stateDir: string
    watchers: Watchers
    view: LiveView | undefined
    ending: Shutdown
    closing: AsyncDisposableStack
  },
) {
  const { stateDir, watchers, view, ending, closing } = about
  const { metrics, alerts } = watchers
  const { venue, speed, who } = await venueFor(flags, stateDir, ending, closing)
  const secrets = [...secretsOf(venue), ...(alerts?.settings.secrets ?? [])]
  const output = openOutput(secrets, stateDir, flags.json === true ? 'json' : view ? 'nothing' : 'lines')
  if (view) output.listen(view.take)
  closing.defer(() => output.close())
  output.listen((events) => metrics.count(events))
  if (alerts) output.listen(alerts.take)
  const journal = journalIn(stateDir, who, output)
  closing.defer(() => journal.close())
  const { machine } = journal
  for (const message of foundIn(stateDir, journal))
    output.take([{ type: 'alert', at: machine.state.at, message }])
  const terms = { ...venue, speed, markets: declaredMarkets(venue) }
  const cut = new AbortController()
  /** A run that ends in order says when nothing is. */
  const inFlight = { over: Promise.resolve() }
  closing.defer(() => {
    // Nobody hears any more what comes of what is still in flight.
    cut.abort()
    return inFlight.over
  })
  const onTrouble = (error: BotError) => output.take([troubleEvent(error, machine.state.at)])
  const { record, live = false } = flags
  const begin = (path: string) => recordedRun({ path, venue, terms, files, machine, secrets, onTrouble })
  const recorded =
    record === undefined ? undefined : begunOrTold(() => begin(record), live ? onTrouble : undefined)
  closing.defer(() => recorded && ending.unhurried(recorded.close()))
  const client = clientOf(venue, {
    stateDir,
    speed,
    onTurn: metrics.waited,
    signal: cut.signal,
    between: recorded?.between,
    onNotice: (message) => output.take([{ type: 'alert', at: machine.state.at, message }]),
  })
  return { venue, speed, terms, secrets, output, journal, recorded, client, cut, inFlight }
}

function journalIn(stateDir: string, account: string, output: RunOutput): Journal<Engine> {
  return openJournal(stateDir, {
    account,
    engine: engineVersion,
    begin: (state) => new Engine(state, { refusalOf }),
    onState: (kept) => output.take([{ type: 'journal-snapshot', ...kept }]),
  })
}

/** What somebody should know of how the last process has left its folder. */
function* foundIn(stateDir: string, { recovery }: Journal<Engine>): Iterable<string> {
  if (recovery.recalled !== null)
    yield (
      `engine ${recovery.recalled} wrote the last ${recovery.redone} records of the journal, and this is engine ` +
        `${engineVersion}: orders and fills are as recorded, rules and exits are evaluated again`
    )
  for (const record of recovery.spoiled)
    yield `the stored state after record ${record} of the journal was damaged and has been rebuilt: check the disk`
  if (existsSync(controlPath(stateDir)))
    yield 'the previous process did not shut down: it was killed, or the machine stopped'
}

/** Where real orders may rest, a start after a crash gets to them with a tape or without one; elsewhere it is refused. */
function begunOrTold<Begun>(begin: () => Begun, tell?: (error: BotError) => void): Begun | undefined {
  try {
    return begin()
  } catch (error) {
    if (tell === undefined || !(error instanceof BotError)) throw error
    tell(error)
    return undefined
  }
}

function openOutput(secrets: readonly Secret[], stateDir: string, manner: Manner): RunOutput {
  return new RunOutput(new Log({ stateDir, clock: systemClock, secrets, onLost }), manner)
}

function onLost(code: string): void {
  process.stderr.write(`The log cannot be written (${code})\n`)
}
