import { z } from 'zod'

/**
 * A tape records the traffic between a bot and a venue as lines of JSON, ordered by the time of completion. It contains no
 * headers, keys, signatures or nonces. In the file each line also has a `chain`, which is not part of these types.
 */

export const tapeVersion = 1

const at = z.number().min(0).describe('Unix milliseconds')
const stream = z.int().min(1).describe('Number of the stream connection, counted from 1')

const monotonic = z.number().describe('Milliseconds of a monotonic clock')
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

/** Inputs of a run at its start, which a replay needs. */
const run = z.strictObject({
  monotonic,
  seed: z.string().describe('Seed of random pauses'),
  tag: z.string().optional().describe('Tag of the order ids, if the journal was new'),
  foundOrders: z
    .enum(['stop', 'adopt', 'cancel', 'ignore'])
    .optional()
    .describe('What became of orders found at the start'),
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
        .describe('Account of the venue file, if any'),
      markets: z.record(z.string(), market).nullable(),
      stopOnFailAnswer: z
        .enum(['included', 'absent', 'full'])
        .optional()
        .describe('How the venue answers a stopped bulk, if known'),
    })
    .describe('Settings of the venue file'),
  strategies: z.array(z.strictObject({ path: z.string(), text: z.string() })),
  state: z.unknown().describe('State of the journal; null when it was new'),
})

const begin = z.strictObject({
  kind: z.literal('tape'),
  version: z.literal(tapeVersion),
  at,
  rungs: z.string().describe('Version of the program that wrote the tape, or the name of another program'),
  venue: z.string().nullable().describe('Address of the venue, without user, password and query'),
  profile: z.string().nullable().describe('API profile of the venue'),
  spelling: z.enum(['spec', 'camel']),
  speed: z.number().positive().describe('Speed of time at the venue'),
  strategies: z.array(z.strictObject({ name: z.string(), hash: z.string() })).describe('sha256 of each text'),
  run: run.optional().describe('Present on tapes of rungs run'),
})

const text = z.string().describe('Raw text, if it is not JSON or not written like JSON.stringify')

const delivery = z.union([
  z.strictObject({ status: z.int(), retryAfter: z.string().optional(), json: z.unknown() }),
  z.strictObject({ status: z.int(), retryAfter: z.string().optional(), text }),
  z.strictObject({ failed: z.enum(['not-sent', 'unanswered']), reason: z.string() }),
])

const call = z.strictObject({
  kind: z.literal('call'),
  n: z.int().min(1).optional().describe('Number of the request in the run, counted from 1'),
  at: at.describe('Time of sending'),
  tookMs: z.number().min(0),
  method: z.string(),
  path: z.string(),
  query: z.string().describe('Query of the request, after the question mark'),
  body: z.unknown().describe('Parameters without their envelope; null without parameters'),
  got: delivery,
})

/** A request without an answer at the end of the tape. */
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

/** New time of both clocks. The events up to the next turn happened at this time. */
const turn = z.strictObject({ kind: z.literal('turn'), at, monotonic })

/** Other inputs of a run. */
const operator = z.strictObject({ kind: z.literal('operator'), at, act: z.looseObject({ act: z.string() }) })
const signal = z.strictObject({ kind: z.literal('signal'), at, name: z.string(), value: z.string() })
const reloaded = z.strictObject({ kind: z.literal('reloaded'), at, name: z.string(), text: z.string() })
const ending = z.strictObject({ kind: z.literal('ending'), at })
const broken = z
  .strictObject({ kind: z.literal('broken'), at, call: z.int().min(1) })
  .describe('The journal refused a write; its calls (append, commit) are counted from 1')
const prices = z.strictObject({
  kind: z.literal('prices'),
  at,
  begins: z.number().describe('Time of the first price, in Unix milliseconds of the venue'),
  prices: z.record(z.string(), z.strictObject({ at: z.array(z.number()), units: z.array(z.number()) })),
})
const nonces = z
  .strictObject({
    kind: z.literal('nonces'),
    at,
    look: z.int().min(1).describe('Number of the read of the file, counted from 1'),
    aheadMs: z.int().describe('How far the highest nonce may have been ahead of the clock'),
    recent: z
      .array(z.strictObject({ agoMs: z.number(), calls: z.number(), path: z.string().optional() }))
      .nullable(),
    monotonicMs: z.number().optional(),
  })
  .describe('Nonces that another process, or an earlier one, used with the same key')

/** The last line of a tape that was closed. */
const end = z.strictObject({ kind: z.literal('end'), at })

/** Lines between the first and the last one. */
export const tapeEvent = z.discriminatedUnion('kind', [
  call,
  unfinished,
  opened,
  frame,
  closed,
  turn,
  operator,
  signal,
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

/** Time of completion, which orders a tape. */
export function endTime(event: TapeEvent): number {
  return 'tookMs' in event ? event.at + event.tookMs : event.at
}

/** The address of a venue without user, password and query. */
export function venueOnTape(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
