import { join } from 'node:path'
import { engineVersion } from '#src/engine/engine-version.ts'
import { Engine } from '#src/engine/engine.ts'
import { openJournal } from '#src/journal/sqlite/journal.ts'
import type { EngineHarness } from '#test/engine/support/engine-harness.ts'

/** A state folder inside of another one, with the journal of what this engine has done. */
export function journalOf(
  { steps }: EngineHarness,
  within: string,
  name = crypto.randomUUID() as string,
): string {
  const place = join(within, name)
  const journal = openJournal(place, {
    account: 'paper',
    engine: engineVersion,
    begin: (state) => new Engine(state),
  })
  for (const { event } of steps) journal.append(event, journal.machine.step(event))
  journal.close()
  return place
}
