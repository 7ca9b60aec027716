import { z } from 'zod'
import { streamPath } from '#src/venues/whitebit/contract/streams/streams.ts'
import { textOnTape } from './calls.ts'
import { lineOfCall, type ForeignLine } from './foreign-call.ts'

/** A HAR file of a browser or proxy. Headers are not read. */
export const harFile = z.object({ log: z.object({ entries: z.array(z.unknown()) }) })

const message = z.object({ type: z.enum(['send', 'receive']), time: z.number(), data: z.string() })
const entry = z.object({
  startedDateTime: z.iso.datetime({ offset: true }),
  time: z.number(),
  request: z.object({
    method: z.string(),
    url: z.url(),
    postData: z.object({ text: z.string().optional() }).optional(),
  }),
  response: z.object({
    status: z.int(),
    content: z
      .object({ size: z.number().optional(), text: z.string().optional(), encoding: z.string().optional() })
      .optional(),
  }),
  /** WebSocket frames, which some browsers store. */
  _webSocketMessages: z.array(message).optional(),
})
type Entry = z.output<typeof entry>
type Message = z.output<typeof message>

export function linesOfHar(file: z.output<typeof harFile>): ForeignLine[] {
  let streams = 0
  return file.log.entries.flatMap((each): ForeignLine[] => {
    const read = entry.safeParse(each)
    if (!read.success) return [{ unusable: 'does not have the format of an entry' }]
    const { _webSocketMessages: messages, request, startedDateTime } = read.data
    if (messages === undefined) return [lineOfEntry(read.data)]
    if (new URL(request.url).pathname !== streamPath) return [{ unusable: 'is not a stream of this API' }]
    streams += 1
    return linesOfStream(streams, messages, Date.parse(startedDateTime))
  })
}

function lineOfEntry({ startedDateTime, time, request, response }: Entry): ForeignLine {
  const { text, size = 0, encoding } = response.content ?? {}
  // Status 0: no answer. A size without text: the browser did not store the body.
  const whole = response.status > 0 && (text !== undefined || size <= 0)
  const body = Buffer.from(text ?? '', encoding === 'base64' ? 'base64' : 'utf8')
  return lineOfCall({
    at: Date.parse(startedDateTime),
    // -1 if unknown.
    tookMs: Math.max(0, time),
    method: request.method,
    url: request.url,
    sent: Buffer.from(request.postData?.text ?? ''),
    answered: whole ? { status: response.status, body } : undefined,
  })
}

function linesOfStream(stream: number, messages: readonly Message[], openedAt: number): ForeignLine[] {
  const frames = messages.map(({ type, time, data }): ForeignLine => {
    const from = type === 'send' ? 'us' : 'venue'
    return { kind: 'stream-frame', at: time * 1000, stream, from, ...textOnTape(data) }
  })
  const at = (messages.at(-1)?.time ?? openedAt / 1000) * 1000
  const reason = 'The recording ends here'
  return [
    { kind: 'stream-opened', at: openedAt, stream },
    ...frames,
    { kind: 'stream-closed', at, stream, reason },
  ]
}
