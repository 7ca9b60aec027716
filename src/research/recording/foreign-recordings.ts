import { withoutBearers } from './bearer-tokens.ts'
import type { ForeignLine } from './foreign-call.ts'
import { harFile, linesOfHar } from './har.ts'
import { linesOfSnapshots, snapshotFile } from './undici-snapshots.ts'
import { overAt, tapeEvent, tapeVersion, type TapeBegin, type TapeEvent } from './tape.ts'

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
    const taken = 'unusable' in line ? line : eventOf(line)
    if ('unusable' in taken) reasons.set(taken.unusable, (reasons.get(taken.unusable) ?? 0) + 1)
    else events.push(taken)
  }
  // In the order in which they were over, as a tape of our own is written.
  events.sort((a, b) => overAt(a) - overAt(b))
  const at = events.reduce((first, event) => Math.min(first, event.at), Infinity)
  const unknown = { venue: null, profile: null, spelling: 'spec', speed: 1, strategies: [] } as const
  return {
    begin: { kind: 'tape', version: tapeVersion, at, rungs, ...unknown, strategies: [] },
    events,
    whole: true,
    notes: [...reasons].map(([reason, count]) => `Ignored, because it ${reason}: ${count}`),
  }
}

function eventOf(line: TapeEvent): ForeignLine {
  try {
    return tapeEvent.parse(withoutBearers(line))
  } catch {
    // Of a time before 1970, or nested by the thousand.
    return { unusable: 'cannot be stored on a tape' }
  }
}
