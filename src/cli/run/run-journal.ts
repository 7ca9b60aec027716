import { existsSync } from 'node:fs'
import { controlPath } from '#src/operate/dashboard/http/state-folder-files.ts'
import { Engine } from '#src/engine/engine.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import type { Journal } from '#src/journal/port.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { openJournal } from '#src/journal/sqlite/journal.ts'
import { refusalOf } from '#src/venues/whitebit/adapter/refusals.ts'
import { openFleet, takeAccount, type FleetFlags, type FleetMember } from './run-fleet.ts'
import type { RunOutput } from './run-output.ts'
import type { Shutdown } from './shutdown.ts'

type About = {
  stateDir: string
  account: string
  venue: VenueSettings
  output: RunOutput
  ending: Shutdown
  closing: AsyncDisposableStack
}

/** Opens the journal of a run. In a fleet, it resolves once this process may trade for the account. */
export async function openRunJournal(
  address: string | undefined,
  flags: FleetFlags,
  about: About,
): Promise<{ journal: Journal<Engine>; member: FleetMember | undefined }> {
  const { stateDir, account, output, ending, closing } = about
  const fleet = address === undefined ? undefined : await openFleet(address, flags, about)
  const local = openJournal(stateDir, {
    account,
    engine: engineVersion,
    begin: (state) => new Engine(state, { refusalOf }),
    onState: (kept) => output.take([{ type: 'journal-snapshot', ...kept }]),
  })
  let member: FleetMember | undefined
  // The journal is closed first: its last records need the lease.
  closing.defer(() => member?.lease.release({ hasFailed: ending.hasFailed }))
  closing.defer(() => (member?.journal ?? local).close())
  for (const message of foundIn(stateDir, local))
    output.take([{ type: 'alert', at: local.machine.state.at, message }])
  member = fleet && (await takeAccount(fleet, local, about))
  return { journal: member?.journal ?? local, member }
}

/** What an operator should know about the state that the last process left in its folder. */
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
