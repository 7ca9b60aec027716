import { z } from 'zod'

/**
 * A tape: what passed between a bot and a venue, one line of JSON after the other, in the order in which it was over. No
 * header, key, signature or nonce is on it. In the file each line ends with its `chain`, which is no part of it here.
 */

export const tapeVersion = 1

const at = z.number().min(0).describe('Unix milliseconds')
const stream = z.int().min(1).describe('Which connection of the streams it was, counted from 1')

const monotonic = z.number().describe('Milliseconds of a clock that nobody steps')
const market = z.strictObject({
  money: z.string(),
  priceDigits: z.int(),
  amountDigits: z.int(),
  minAmount: z.string(),
  minTotal: z.string(),
  maxTotal: z.string(),
  makerFee: z.string(),
  takerFee: z.string(),
})

/** What a run began with: the same run, made again, begins with it, too. */
const run = z.strictObject({
  monotonic,
  seed: z.string().describe('Of the chance in pauses'),
  terms: z
    .strictObject({
      url: z.string(),
      nonce: z.enum(['strict', 'window']),
      clientIds: z.enum(['forever', 'until-ended', 'unproven']),
      batchMax: z.int(),
      settleMs: z.number(),
      leverage: z.number().nullable(),
      shortSide: z.boolean(),
      limits: z
        .strictObject({
          max_notional: z.record(z.string(), z.string()),
          max_open_orders: z.int().optional(),
          daily_loss: z.string().optional(),
        })
        .optional()
        .describe('Of the account, if it has any'),
      markets: z.record(z.string(), market).nullable(),
      stopOnFailAnswer: z
        .enum(['included', 'absent', 'full'])
        .optional()
        .describe('How a bulk that stopped is answered, if that is known'),
    })
    .describe('What the venue file says of the venue'),
  strategies: z.array(z.strictObject({ path: z.string(), text: z.string() })),
  state: z.unknown().describe('What the journal knew; null when it was new'),
})

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
  run: run.optional().describe('Of a run of ours'),
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
  n: z.int().min(1).optional().describe('Which request of the run it was, counted from 1'),
  at: at.describe('When it was sent'),
  tookMs: z.number().min(0),
  method: z.string(),
  path: z.string(),
  query: z.string().describe('Behind the question mark'),
  body: z.unknown().describe('The parameters without what wraps them; null where there are none'),
  got: delivery,
})

/** A request that nothing had come of when the tape ended. */
const unfinished = z.strictObject({
  kind: z.literal('unfinished'),
  n: z.int().min(1),
  at,
  method: z.string(),
  path: z.string(),
  query: z.string(),
  body: z.unknown(),
})

const opened = z.strictObject({ kind: z.literal('stream-opened'), at, stream })
const frame = z.strictObject({
  kind: z.literal('stream-frame'),
  at,
  stream,
  from: z.enum(['us', 'venue']),
  json: z.unknown().optional(),
  text: text.optional(),
})
const closed = z.strictObject({ kind: z.literal('stream-closed'), at, stream, reason: z.string() })

/** The clocks of the one who wrote it were turned here: what follows, up to the next turn, came at this moment. */
const turn = z.strictObject({ kind: z.literal('turn'), at, monotonic })

/** What else came to a run from outside. */
const operator = z.strictObject({ kind: z.literal('operator'), at, act: z.looseObject({ act: z.string() }) })
const reloaded = z.strictObject({ kind: z.literal('reloaded'), at, name: z.string(), text: z.string() })
const ending = z.strictObject({ kind: z.literal('ending'), at })
const broken = z
  .strictObject({ kind: z.literal('broken'), at, call: z.int().min(1) })
  .describe('The journal refused; its calls (append, commit) are counted from 1')
const prices = z.strictObject({
  kind: z.literal('prices'),
  at,
  begins: z.number().describe('When the first of them was, in Unix milliseconds of the venue'),
  prices: z.record(z.string(), z.strictObject({ at: z.array(z.number()), units: z.array(z.number()) })),
})
const nonces = z
  .strictObject({
    kind: z.literal('nonces'),
    at,
    look: z.int().min(1).describe('At which look into their file, counted from 1'),
    aheadMs: z.int().describe('How far the highest of them may have been ahead of the clock'),
    recent: z
      .array(z.strictObject({ agoMs: z.number(), calls: z.number(), path: z.string().optional() }))
      .nullable(),
    monotonicMs: z.number().optional(),
  })
  .describe('What another process, or an earlier one, left of its use of the same key')

/** The last line of a tape that was closed as it should be. */
const end = z.strictObject({ kind: z.literal('end'), at })

/** What stands between the first line and the last. */
export const tapeEvent = z.discriminatedUnion('kind', [
  call,
  unfinished,
  opened,
  frame,
  closed,
  turn,
  operator,
  reloaded,
  ending,
  broken,
  prices,
  nonces,
])
export const tapeLine = z.discriminatedUnion('kind', [begin, tapeEvent, end])
export type TapeEvent = z.output<typeof tapeEvent>
export type TapeLine = z.output<typeof tapeLine>
export type TapeBegin = z.output<typeof begin>
export type TapeCall = z.output<typeof call>
export type TapeRun = z.output<typeof run>

/** When it was over, which is the order of a tape. */
export function overAt(event: TapeEvent): number {
  return 'tookMs' in event ? event.at + event.tookMs : event.at
}

/** The address of a venue as a tape may name it. */
export function venueOnTape(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
