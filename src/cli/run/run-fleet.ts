import { hostname } from 'node:os'
import type { Engine } from '#src/engine/engine.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { errorEvent } from '#src/operate/logs/log-errors.ts'
import { CommandChannel } from '#src/fleet/command-channel.ts'
import { Database } from '#src/fleet/database.ts'
import type { Lease } from '#src/fleet/lease.ts'
import { joinFleet, type Member } from '#src/fleet/membership.ts'
import { PostgresAccount } from '#src/fleet/postgres-account.ts'
import { prepareFolder } from '#src/fleet/prepare-folder.ts'
import type { SharedAccount } from '#src/fleet/shared-account.ts'
import { makeTables } from '#src/fleet/tables.ts'
import type { SqliteJournal } from '#src/journal/sqlite/journal.ts'
import type { NonceMemory, Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { nonceMemoryAfter, passedTrace } from '#src/venues/whitebit/client/calls/passed-nonces.ts'
import { clientOf } from '#src/cli/files/venue-access.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { refusePassword, unavailable } from '#src/cli/fleet/fleet-address.ts'
import { usage } from '#src/cli/words/usage.ts'
import type { RunOutput } from './run-output.ts'
import type { Shutdown } from './shutdown.ts'

export type FleetFlags = {
  fleet?: string
  standby?: boolean
  lease?: number
  onLostLease?: 'rest' | 'cancel'
}

/** Without an answer for so long, a query counts as failed: several of them fit into a lease. */
const queryMsMost = 1000
const leaseMsUsually = 2000
const pingMs = 1000

/** The server of a fleet, and what it needs before the journal of this machine is opened. */
export type OpenFleet = {
  database: Database
  shared: SharedAccount
  account: string
  termMs: number
  isStandby: boolean
  /** The name of the journal that was moved aside, if there is one. */
  setAside: string | undefined
}

/** The address of the server; undefined without `--fleet`. */
export function fleetAddress(
  flags: FleetFlags & { venue?: string },
  files: readonly StrategyFile[],
): string | undefined {
  const { fleet: address, standby = false, lease, onLostLease, venue } = flags
  if (address === undefined) {
    const given = { standby, lease: lease !== undefined, 'on-lost-lease': onLostLease !== undefined }
    const alone = Object.entries(given).find(([, isGiven]) => isGiven)
    if (alone !== undefined) throw usage(`--${alone[0]} without --fleet`, 'Add --fleet ADDRESS')
    return undefined
  }
  if (onLostLease === 'cancel') refuseWithoutKillSwitch(files)
  if (venue === undefined)
    throw usage(
      '--fleet without --venue',
      'Name the venue with --venue FILE: other machines must reach it, too',
    )
  refusePassword(address)
  return address
}

/** A process without a lease sends nothing, so only the venue can cancel its orders. */
function refuseWithoutKillSwitch(files: readonly StrategyFile[]): void {
  for (const { path, read } of files)
    if (read.strategy.risk.deadman === undefined)
      throw usage(
        `--on-lost-lease cancel, and ${printable(path)} has no kill switch at the venue`,
        'Add to its section risk: deadman: { heartbeat: 5s, on_miss: retire_all }',
      )
}

/** Connects to the server, and prepares the state folder before its journal is opened. */
export async function openFleet(
  address: string,
  { standby: isStandby = false, lease: termMs = leaseMsUsually }: FleetFlags,
  { stateDir, account, closing }: { stateDir: string; account: string; closing: AsyncDisposableStack },
): Promise<OpenFleet> {
  const queryMs = Math.min(queryMsMost, termMs / 2)
  const database = closing.use(await Database.open(address, { connectMs: queryMs, queryMs }))
  try {
    await makeTables(database)
    const shared = new PostgresAccount(database, account)
    const suffix = `aside-${new Date(systemClock.now()).toISOString().replaceAll(/[:.]/g, '-')}`
    const prepared = await prepareFolder(stateDir, account, shared, suffix)
    const setAside = typeof prepared === 'object' ? prepared.setAside : undefined
    return { database, shared, account, termMs, isStandby, setAside }
  } catch (cause) {
    throw unavailable(cause)
  }
}

/** This process in its fleet, with the lease of its account. */
export type FleetMember = Member<Engine> & { database: Database; account: string; channel: CommandChannel }

/** Takes the lease of the account, as a standby once it is free. From here on, only this process trades for the account. */
export async function takeAccount(
  { database, shared, account, termMs, isStandby, setAside }: OpenFleet,
  local: SqliteJournal<Engine>,
  about: { venue: VenueSettings; output: RunOutput; ending: Shutdown; closing: AsyncDisposableStack },
): Promise<FleetMember> {
  const { venue, output, ending, closing } = about
  const at = () => local.machine.state.at
  const holder = `process ${process.pid} on ${hostname()}`
  const onBroken = (error: unknown) => output.take([errorEvent(error, at())])
  const probe = clientOf({ ...venue, credentials: undefined })
  closing.defer(() => probe.close())
  const reachesVenue = async () => (await probe.ping({}, { deadlineMs: pingMs })).kind === 'answer'
  const channel = closing.use(
    new CommandChannel({ database, account, process: holder, clock: systemClock, reachesVenue, onBroken }),
  )
  if (setAside !== undefined) {
    const message =
      'the journal of this folder had records that the fleet never confirmed: it is in ' +
      `journal-${setAside}.sqlite now`
    output.take([{ type: 'alert', at: at(), message }])
  }
  try {
    const member = await joinFleet({
      shared,
      local,
      terms: { holder, termMs },
      engine: engineVersion,
      clock: systemClock,
      isStandby,
      onWaiting: ({ holder }) => output.take([{ type: 'lease-waiting', at: at(), holder }]),
      onLost: (error) => ending.fail(error),
      signal: ending.signal,
    })
    const { epoch } = member.lease.taken
    channel.took(epoch)
    output.take([{ type: 'lease-taken', at: at(), epoch }])
    return { ...member, database, account, channel }
  } catch (cause) {
    throw unavailable(cause)
  }
}

/** Nonces continue above those of the process before. */
export function memoryAfter(member: FleetMember | undefined): (own: NonceMemory) => NonceMemory {
  return nonceMemoryAfter(member?.lease.taken.trace, systemClock)
}

/** Stores what the next holder must know of our calls. No call may leave before. */
export function keepTrace(lease: Lease, nonces: Nonces): Promise<void> {
  return lease.keepTrace(passedTrace(nonces))
}
