import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { styleText } from 'node:util'
import { askVenue } from '#src/venues/whitebit/adapter/describe.ts'
import { reasonOf } from '#src/venues/whitebit/adapter/read-of.ts'
import type { AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import { isLoopback } from '#src/core/network/loopback.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { catalogue, exitCodes } from '#src/core/errors/error-catalogue.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { spoken } from '#src/cli/program/error-text.ts'
import { callBot } from '#src/cli/operate/control-call.ts'
import { venueFor, type DoctorFlags } from './doctor-venue.ts'
import type { ProbeFlags } from './probe/probe.ts'
import { usage } from '#src/cli/words/usage.ts'
import { accountFinding, leverageFinding, positionModeFinding } from './account-checks.ts'
import { checksumFinding } from './node-checksums.ts'
import {
  bad,
  capabilityFinding,
  clockFinding,
  confinementFinding,
  feeFinding,
  folderFinding,
  good,
  keyFinding,
  limitFinding,
  nodeFinding,
  note,
  permissionFinding,
  wayFinding,
  type Finding,
} from './doctor-checks.ts'
import { declaredMarkets } from '#src/cli/run/run-venue.ts'
import { fingerprintOf, stateFolder } from '#src/cli/files/state-folder.ts'
import { paragraphs } from '#src/cli/words/text.ts'
import { clientOf, noncesOf } from '#src/cli/files/venue-access.ts'

const deadlineMs = 20_000
const looks = 5

type CheckFlags = DoctorFlags & { nodeChecksums?: string; fleet?: string }
const probeFlags = ['yes', 'live', 'market', 'clean', 'write', 'overwrite'] as const

/** `rungs doctor`: checks the machine and the venue, and prints findings with remedies. It only reads, but with `--probe`. */
export async function doctor(flags: CheckFlags & ProbeFlags & { probe?: boolean }): Promise<number> {
  if (flags.probe === true) return (await import('./probe/probe.ts')).probe(flags)
  const alone = probeFlags.find((name) => flags[name] !== undefined)
  if (alone !== undefined) throw usage(`--${alone} has no effect without --probe`, 'Omit it, or add --probe')
  return check(flags)
}

async function check(flags: CheckFlags): Promise<number> {
  const folder = stateFolder(flags.stateDir)
  const all = [nodeFinding(process.versions.node), confinementFinding(process.env['RUNGS_PERMISSION'])]
  if (flags.nodeChecksums !== undefined) all.push(checksumFinding(flags.nodeChecksums))
  all.push(folderFinding(lookAtFolder(folder)))
  if (flags.fleet !== undefined)
    all.push(...(await (await import('./fleet-checks.ts')).fleetFindings(flags.fleet)))
  const exit = await lookAtVenue(flags, folder, all)
  const isBad = all.some(({ verdict }) => verdict === 'bad')
  const code = isBad ? (exit ?? exitCodes.findings) : exitCodes.ok
  process.stdout.write(
    `${flags.json === true ? JSON.stringify({ ok: !isBad, findings: all }) : textOf(all)}\n`,
  )
  return code
}

function lookAtFolder(path: string) {
  let there = resolve(path)
  while (!existsSync(there)) there = dirname(there)
  const { bavail, bsize } = statfsSync(there)
  const isFolder = statSync(there).isDirectory()
  return { path, isThere: existsSync(path), isFolder, writable: isWritable(there), freeBytes: bavail * bsize }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Adds findings; if the checks must end early, returns the exit code. */
async function lookAtVenue(
  flags: CheckFlags,
  folder: string,
  findings: Finding[],
): Promise<number | undefined> {
  await using closing = new AsyncDisposableStack()
  let about = 'settings'
  try {
    const { venue, found, means, isPassing } = await venueFor(flags, closing)
    findings.push(good(about, found, means))
    about = 'venue'
    const bot = await callBot(folder, 'status')
    // Nonces of an exchange that ends with this process are not stored.
    const nonces = bot === undefined ? noncesOf(venue, isPassing ? undefined : folder) : undefined
    const client = clientOf(venue, { nonces })
    closing.defer(() => client.close())
    findings.push(...(await publicFindings(client, venue)))
    about = 'trading permission'
    if (bot === undefined) {
      for await (const finding of signedFindings(client, venue)) findings.push(finding)
    } else {
      const fix = 'See rungs status for the venue connection, or stop the bot and run doctor again'
      const found = `a bot runs in ${folder}: doctor sent no signed request`
      findings.push(note('key', found, 'two processes with one API key disturb each other', fix))
    }
    return undefined
  } catch (error) {
    if (!(error instanceof BotError)) throw error
    const found = `${catalogue[error.code].sentence}: ${spoken(error.seen)}`
    findings.push(bad(about, found, 'a bot cannot trade at this venue', error.fix))
    return error.exitCode
  }
}

async function publicFindings(client: Client, { nonce, url }: VenueSettings): Promise<Finding[]> {
  const took: number[] = []
  for (let look = 0; look < looks; look++) {
    const began = systemClock.monotonic()
    const told = await client.ping({}, { deadlineMs })
    if (told.kind !== 'answer') throw unreachable(url, told)
    took.push(systemClock.monotonic() - began)
  }
  const began = systemClock.monotonic()
  const told = await client.time({}, { deadlineMs })
  const tookMs = systemClock.monotonic() - began
  if (told.kind !== 'answer') return [wayFinding(took)]
  return [wayFinding(took), clockFinding(systemClock.now(), told.value.time * 1000, nonce, tookMs)]
}

async function* signedFindings(client: Client, venue: VenueSettings): AsyncGenerator<Finding> {
  const { credentials, url } = venue
  if (credentials === undefined) {
    const fix = 'Name keyFile and secretFile in the venue file'
    return yield bad('key', 'the venue file names no API key', 'a bot can read prices but cannot trade', fix)
  }
  const fingerprint = fingerprintOf(credentials.key)
  const key = keyFinding(fingerprint, await client.tradingBalance({}, { deadlineMs }))
  yield key
  if (key.verdict === 'bad') return
  yield accountFinding(venue, fingerprint)
  yield permissionFinding(await client.myCodes({}, { deadlineMs }), isLoopback(url))
  yield limitFinding(venue.batchMax)
  yield leverageFinding(await client.accountSummary({}, { deadlineMs }), venue.leverage)
  yield positionModeFinding(await client.hedgeMode({}, { deadlineMs }), venue.shortSide)
  const { facts } = await askVenue(client, { ...venue, speed: 1, markets: declaredMarkets(venue) })
  yield capabilityFinding(facts.capabilities, facts.pending)
  yield feeFinding(facts.markets)
}

function unreachable(url: string, outcome: AnyOutcome): BotError {
  return new BotError('VENUE_UNREACHABLE', {
    seen: `${url}: ${printable(reasonOf(outcome))}`,
    fix: 'Check the address in the venue file and the network; rungs exchange starts the embedded exchange',
  })
}

const signs = { good: 'ok', note: 'note', bad: 'BAD' } as const

function textOf(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ about, verdict, found, means, do: fix }) => {
    // A file with several errors has a line for each.
    const lines = [...found.split('\n'), means, ...(fix === undefined ? [] : [`→ ${fix}`])]
    return lines.map((line, index) => (index === 0 ? [signs[verdict], about, line] : ['', '', line]))
  })
  const wrong = findings.filter(({ verdict }) => verdict === 'bad').length
  const isAllGood = findings.every(({ verdict }) => verdict === 'good')
  const fine = isAllGood ? 'All checks passed.' : 'A bot can run.'
  const sum = wrong === 0 ? fine : `Problems to fix before a bot runs: ${wrong}.`
  return [...paragraphs(rows).map(printable), '', styleText(wrong === 0 ? 'green' : 'red', sum)].join('\n')
}
