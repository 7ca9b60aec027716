import { z } from 'zod'
import { lineOfCall, type ForeignLine } from './foreign-call.ts'

/** A file of undici's SnapshotAgent. */
export const snapshotFile = z.array(z.object({ hash: z.string(), snapshot: z.unknown() }))

const snapshot = z.object({
  request: z.object({ method: z.string(), url: z.url(), body: z.string().optional() }),
  responses: z.array(z.object({ statusCode: z.int(), body: z.string() })),
  timestamp: z.iso.datetime(),
})

/** All answers to the same request have the time of the last one. */
export function linesOfSnapshots(file: z.output<typeof snapshotFile>): ForeignLine[] {
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
