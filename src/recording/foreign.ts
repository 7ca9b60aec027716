import { withoutBearers } from './bearers.ts'
import type { ForeignLine } from './foreign-call.ts'
import { harFile, linesOfHar } from './har.ts'
import { linesOfSnapshots, snapshotFile } from './snapshots.ts'
import { tapeEvent, tapeVersion, type TapeBegin, type TapeEvent } from './tape.ts'

/** A tape of what another recorder wrote. */
type Foreign = { begin: TapeBegin; events: TapeEvent[]; notes: string[]; whole: boolean }

/** Undefined when the value is no file that we know. */
export function readForeign(value: unknown): Foreign | undefined {
  const har = harFile.safeParse(value)
  if (har.success) return foreign('HAR', linesOfHar(har.data))
  const snapshots = snapshotFile.safeParse(value)
  return snapshots.success ? foreign('snapshots of undici', linesOfSnapshots(snapshots.data)) : undefined
}

function foreign(rungs: string, lines: readonly ForeignLine[]): Foreign {
  const events: TapeEvent[] = []
  const reasons = new Map<string, number>()
  for (const line of lines) {
    if ('unusable' in line) reasons.set(line.unusable, (reasons.get(line.unusable) ?? 0) + 1)
    else events.push(tapeEvent.parse(withoutBearers(line)))
  }
  // In the order in which they were over, as a tape of our own is written.
  events.sort((a, b) => overAt(a) - overAt(b))
  const at = Math.min(...events.map((event) => event.at))
  const unknown = { venue: null, profile: null, spelling: 'spec', speed: 1, strategies: [] } as const
  return {
    begin: { kind: 'tape', version: tapeVersion, at, rungs, ...unknown, strategies: [] },
    events,
    whole: true,
    notes: [...reasons].map(([reason, count]) => `Left aside, because it ${reason}: ${count}`),
  }
}

function overAt(event: TapeEvent): number {
  return 'tookMs' in event ? event.at + event.tookMs : event.at
}
