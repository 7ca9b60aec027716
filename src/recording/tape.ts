import { z } from 'zod'

/**
 * A tape: what passed between a bot and a venue, one line of JSON after the other, in the order in which it was over. No
 * header, key, signature or nonce is on it. In the file each line ends with its `chain`, which is no part of it here.
 */
export const tapeVersion = 1

const at = z.number().min(0).describe('Unix milliseconds of the venue')
const stream = z.int().min(1).describe('Which connection of the streams it was, counted from 1')

const begin = z.strictObject({
  kind: z.literal('tape'),
  version: z.literal(tapeVersion),
  at,
  rungs: z.string().describe('The version of the program that wrote the tape, or the name of another one'),
  venue: z.string().nullable().describe('Its address, without names, passwords and queries'),
  profile: z.string().nullable().describe('The part of the API that the venue was said to offer'),
  spelling: z.enum(['spec', 'camel']),
  speed: z.number().positive().describe('How many times faster than ours the time of the venue went'),
  strategies: z.array(z.strictObject({ name: z.string(), hash: z.string() })).describe('sha256 of each text'),
})

const text = z
  .string()
  .describe('As it came, where it is no JSON or is not written as JSON.stringify writes it')

/** What came of a call. */
const delivery = z.union([
  z.strictObject({ status: z.int(), retryAfter: z.string().optional(), json: z.unknown() }),
  z.strictObject({ status: z.int(), retryAfter: z.string().optional(), text }),
  z.strictObject({ failed: z.enum(['not-sent', 'unanswered']), reason: z.string() }),
])

const call = z.strictObject({
  kind: z.literal('call'),
  at: at.describe('When it was sent'),
  tookMs: z.number().min(0),
  method: z.string(),
  path: z.string(),
  query: z.string().describe('Behind the question mark'),
  body: z.unknown().describe('The parameters without what wraps them; null where there are none'),
  got: delivery,
})

const opened = z.strictObject({ kind: z.literal('stream-opened'), at, stream })
const asked = z.strictObject({
  kind: z.literal('stream-asked'),
  at: at.describe('When it was asked'),
  tookMs: z.number().min(0),
  stream,
  method: z.string(),
  params: z.array(z.unknown()),
  got: z.union([z.strictObject({ result: z.unknown() }), z.strictObject({ refused: z.string() })]),
})
const update = z.strictObject({
  kind: z.literal('stream-update'),
  at,
  stream,
  method: z.string(),
  params: z.unknown(),
})
const closed = z.strictObject({ kind: z.literal('stream-closed'), at, stream, reason: z.string() })

/** The clock of the one who wrote it was turned to here. */
const turn = z.strictObject({ kind: z.literal('turn'), at })

/** The last line of a tape that was closed as it should be. */
const end = z.strictObject({ kind: z.literal('end'), at })

/** What stands between the first line and the last. */
export const tapeEvent = z.discriminatedUnion('kind', [call, opened, asked, update, closed, turn])
export const tapeLine = z.discriminatedUnion('kind', [begin, tapeEvent, end])
export type TapeEvent = z.output<typeof tapeEvent>
export type TapeLine = z.output<typeof tapeLine>
export type TapeBegin = z.output<typeof begin>
export type TapeCall = z.output<typeof call>

/** The address of a venue as a tape may name it. */
export function venueOnTape(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
