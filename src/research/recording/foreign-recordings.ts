import { withoutBearers } from './bearer-tokens.ts'
import type { ForeignLine } from './foreign-call.ts'
import { harFile, linesOfHar } from './har.ts'
import { linesOfSnapshots, snapshotFile } from './undici-snapshots.ts'
import { endTime, tapeEvent, tapeVersion, type TapeBegin, type TapeEvent } from './tape.ts'

/** A tape from a file of another recorder. */
type ForeignRecording = { begin: TapeBegin; events: TapeEvent[]; notes: string[]; whole: boolean }

/** Undefined for an unknown format. */
export function readForeign(value: unknown): ForeignRecording | undefined {
  const har = harFile.safeParse(value)
  if (har.success) return foreign('HAR', linesOfHar(har.data))
  const snapshots = snapshotFile.safeParse(value)
  return snapshots.success ? foreign('snapshots of undici', linesOfSnapshots(snapshots.data)) : undefined
}

function foreign(rungs: string, lines: readonly ForeignLine[]): ForeignRecording {
  const events: TapeEvent[] = []
  const reasons = new Map<string, number>()
  for (const line of lines) {
    const taken = 'unusable' in line ? line : eventOf(line)
    if ('unusable' in taken) reasons.set(taken.unusable, (reasons.get(taken.unusable) ?? 0) + 1)
    else events.push(taken)
  }
  // In the order of a tape.
  events.sort((a, b) => endTime(a) - endTime(b))
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
    // A time before 1970, or deep nesting.
    return { unusable: 'cannot be stored on a tape' }
  }
}
