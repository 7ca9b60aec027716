import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { isDenied } from '#src/venues/whitebit/client/answers/outcome.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { Nonces, type NonceMemory } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import type { ProbeResult } from '#src/venues/whitebit/probe/experiment.ts'
import { nonceFilePath, stateFolder } from '#src/cli/files/state-folder.ts'
import { hiding, refuseUnlessMeant } from '#src/cli/files/venue-access.ts'
import { busyFolder } from '#src/cli/files/busy-folder.ts'
import { makeFolder } from '#src/core/disk/folder.ts'
import { holdFolder } from '#src/journal/sqlite/folder-lock.ts'
import { confirm } from '#src/cli/words/confirm.ts'
import { printed } from '#src/cli/words/printed.ts'
import { paragraphs } from '#src/cli/words/text.ts'
import { venueFor, type DoctorFlags } from '../doctor-venue.ts'
import { NoProbeAnswer, ProbeDriver } from './probe-driver.ts'
import { noteFile, passingNote } from './probe-note.ts'
import { placeOf, planText } from './probe-place.ts'
import { usage } from '#src/cli/words/usage.ts'
import { checkVenueFile, writeVenueFile } from './probe-venue-file.ts'
import { runExperiments } from './run-experiments.ts'

export type ProbeFlags = DoctorFlags & {
  yes?: boolean
  live?: boolean
  market?: string
  clean?: boolean
  write?: string
  overwrite?: boolean
}

/** No lists of the family are later than this without being asked. */
const settleMsLeast = 10_000
const nonceAheadMsMax = 60_000

/** `rungs doctor --probe`: finds out by experiments what the documents of a venue do not state. */
export async function probe(flags: ProbeFlags): Promise<number> {
  await using closing = new AsyncDisposableStack()
  const folder = stateFolder(flags.stateDir)
  const { venue, isPassing, path } = await venueFor(flags, closing)
  if (flags.write !== undefined && flags.clean === true)
    throw usage('--write has no effect with --clean', 'Omit one of them')
  if (flags.write !== undefined) checkVenueFile(path, flags.write, flags.overwrite === true)
  refuseUnlessMeant(venue, flags.live === true)
  // A bot or a probe beside this one would share its nonces and orders.
  if (!isPassing) closing.use(heldFolder(folder))
  const driver = driverOf(venue, isPassing ? undefined : folder)
  closing.defer(() => driver.close())
  try {
    return await probeWith(driver, venue, flags, path)
  } catch (error) {
    if (!(error instanceof NoProbeAnswer)) throw error
    const seen = `${venue.url}: ${printable(error.message)}`
    if (!driver.isUnfinished) throw new BotError('VENUE_UNREACHABLE', { seen, cause: error })
    throw new BotError('OUTCOME_UNKNOWN', {
      seen,
      fix: 'Orders of the probe may be open. Run rungs doctor --probe --clean with the same flags',
      cause: error,
    })
  }
}

function heldFolder(folder: string): Disposable {
  makeFolder(folder)
  try {
    return holdFolder(folder)
  } catch (cause) {
    throw cause instanceof BotError && cause.code === 'DATA_BUSY' ? busyFolder(folder, cause) : cause
  }
}

async function probeWith(
  driver: ProbeDriver,
  venue: VenueSettings,
  flags: ProbeFlags,
  path: string,
): Promise<number> {
  if (flags.clean === true) return clean(driver, flags.json === true)
  if (driver.isUnfinished) {
    tell(interrupted)
    await driver.clear()
    tell(cleanText(driver))
  }
  const startedAt = systemClock.now()
  const place = await placeOf(driver, flags.market, startedAt)
  if ('why' in place) tell(`Only reads: ${place.why}.`)
  else {
    for (const line of planText(place, venue.url)) tell(line)
    const seen = `rungs doctor --probe places orders at ${venue.url}`
    if (flags.yes !== true) await confirm({ seen, question: `Probe ${venue.url}?` })
  }
  const signal = new AbortController()
  const stop = () => signal.abort()
  // Terminal and launcher may both forward one Ctrl-C: a second signal must not end the process before its orders are cancelled.
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const results = await runExperiments({
    driver,
    place,
    startedAtMs: startedAt,
    tell: (question) => tell(`- ${question}`),
    isOver: () => signal.signal.aborted,
  }).finally(() => process.off('SIGINT', stop).off('SIGTERM', stop))
  const isStopped = signal.signal.aborted
  // A venue file with a part of the answers would look like a whole one.
  const write = isStopped ? undefined : flags.write
  const day = new Date(startedAt).toISOString().slice(0, 10)
  const keys = write === undefined ? [] : writeVenueFile(path, write, results, day)
  const isBad = results.some(({ isDanger }) => isDanger === true)
  const written = write === undefined ? {} : { written: { file: write, keys } }
  const text =
    flags.json === true
      ? JSON.stringify({ ok: !isBad, ...(isStopped && { isStopped }), results, ...written })
      : textOf(results, write, keys)
  process.stdout.write(`${text}\n`)
  if (isStopped) {
    const left = flags.write === undefined ? '' : `, and ${flags.write} was not written`
    tell(`Stopped: some questions were not tried${left}.`)
    return exitCodes.temporary
  }
  return isBad ? exitCodes.findings : exitCodes.ok
}

const interrupted =
  'An earlier probe was interrupted: cancelling its orders, until none can appear any more. This can take more than a minute.'

async function clean(driver: ProbeDriver, asJson: boolean): Promise<number> {
  if (driver.isUnfinished) tell(interrupted)
  const open = await driver.read('openOrders', { limit: 1 })
  // Where orders cannot be listed, no probe places any.
  if (driver.isUnfinished || open.kind !== 'refused' || !isDenied(open)) await driver.clear()
  return printed(asJson ? JSON.stringify({ ok: true, cancelled: driver.cancelled }) : cleanText(driver))
}

function cleanText({ cancelled }: ProbeDriver): string {
  return `Orders cancelled: ${cancelled}. No order of a probe is open.`
}

function driverOf(venue: VenueSettings, folder: string | undefined): ProbeDriver {
  const { credentials, url, settleMs } = venue
  if (credentials === undefined)
    throw new BotError('KEY_MISSING', { seen: 'the venue file names no API key' })
  const { key } = credentials
  const memory = folder === undefined ? undefined : nonceFile(nonceFilePath(folder, key))
  refuseFarNonce(memory)
  return new ProbeDriver({
    transport: httpTransport(url, { hide: hiding(venue) }),
    clock: systemClock,
    nonces: new Nonces({ clock: systemClock, mode: 'window', ...(memory && { memory }) }),
    credentials,
    note: folder === undefined ? passingNote() : noteFile(folder, key),
    url,
    settleMs: Math.max(settleMsLeast, settleMs),
  })
}

/** A probe draws no nonce beyond now + 5 s. Nearer ones are waited for. */
function refuseFarNonce(memory: NonceMemory | undefined): void {
  const found = memory?.load()
  if (found === undefined || 'unread' in found) return
  const aheadMs = found.ceiling - systemClock.now()
  if (aheadMs <= nonceAheadMsMax) return
  throw new BotError('NOT_SENT_IN_TIME', {
    seen: `the last nonce of this key is ${Math.ceil(aheadMs / 1000)} s ahead of the clock of this machine`,
    fix: 'Set the clock right, or probe with another key: the probe draws no nonce far ahead of the time',
  })
}

function tell(text: string): void {
  process.stderr.write(`${printable(text)}\n`)
}

function textOf(results: readonly ProbeResult[], file: string | undefined, keys: readonly string[]): string {
  const rows = results.flatMap(({ about, value, found, means, isDanger }) => {
    const sign = isDanger === true ? 'BAD' : value === null ? 'note' : 'ok'
    return [
      [sign, about, value === null ? found : `${value}: ${found}`],
      ['', '', means],
    ]
  })
  const unknown = results.filter(({ value }) => value === null).length
  const sum = `Found out: ${results.length - unknown} of ${results.length}. The probe left no order open.`
  const written = file === undefined ? [] : [`Wrote ${file}; settings that were found: ${keys.join(', ')}.`]
  return [...paragraphs(rows), '', sum, ...written].map(printable).join('\n')
}
