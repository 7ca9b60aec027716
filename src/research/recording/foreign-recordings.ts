import { withoutBearers } from './bearer-tokens.ts'
import { type ForeignLine, lineOfCall } from './foreign-call.ts'
import { harFile, linesOfHar } from './har.ts'
import { endTime, tapeEvent, tapeVersion, type TapeBegin, type TapeEvent } from './tape.ts'
import { z } from 'zod'

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

/** A file of undici's SnapshotAgent. */
const snapshotFile = z.array(z.object({ hash: z.string(), snapshot: z.unknown() }))

const snapshot = z.object({
  request: z.object({ method: z.string(), url: z.url(), body: z.string().optional() }),
  responses: z.array(z.object({ statusCode: z.int(), body: z.string() })),
  timestamp: z.iso.datetime(),
})

/** All answers to the same request have the time of the last one. */
function linesOfSnapshots(file: z.output<typeof snapshotFile>): ForeignLine[] {
  return file.flatMap((entry): ForeignLine[] => {
    const read = snapshot.safeParse(entry.snapshot)
    if (!read.success) return [{ unusable: 'does not have the format of a snapshot' }]
    const { request, responses, timestamp } = read.data
    return responses.map(({ statusCode, body }) =>
      lineOfCall({
        at: Date.parse(timestamp),
        tookMs: 0,
        method: request.method,
        url: request.url,
        sent: Buffer.from(request.body ?? ''),
        answered: { status: statusCode, body: Buffer.from(body, 'base64') },
      }),
    )
  })
}
