import { methodOf, type Endpoint, type ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  gateCodes,
  gateRefusals,
  privateError,
  publicError,
  wordings,
} from '#src/venues/whitebit/contract/wire/refusals.ts'
import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import {
  inverted,
  mentions,
  noNames,
  respell,
  respellProblems,
} from '#src/venues/whitebit/contract/wire/spelling.ts'
import { textReader, type TextReader } from '#src/venues/whitebit/contract/codec/text-reader.ts'
import {
  valueReader,
  type Misfit,
  type ValueReader,
} from '#src/venues/whitebit/contract/codec/value-reader.ts'
import type { WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { isRecord } from '#src/core/objects/objects.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import type { AnsweredOutcome, Paused, RefusedOutcome } from './outcome.ts'
import { misfitText } from './partial-answer.ts'

/** Larger answers are not read: 4 MiB holds every list of the contract many times over. */
export const answerBytesMax = 4 * 1024 * 1024

/** What an answer proves. `unclear` is the rule, the other two are its exceptions. */
export type AnswerVerdict<Value = unknown> = AnsweredOutcome<Value> | RefusedOutcome | Unclear
export type Unclear = { kind: 'unclear'; reason: string; throttle?: 'rate' } & Paused

/** Judges an answer: status first, then size, then JSON, then what the client needs of the row. */
export function readAnswer<Row extends Endpoint>(
  row: Row,
  response: WireResponse,
  asked: Record<string, unknown> = {},
): AnswerVerdict<ReadOf<Row>> {
  const { status, body } = response
  const success = status >= 200 && status <= 299
  if (!success && (status < 400 || status > 499)) return unclear(`The venue answered with status ${status}`)
  if (body.length > answerBytesMax) return unclear('The answer is larger than the client reads')
  const { texts, value: readValue } = readersOf(row)
  if (success) {
    for (const read of texts) {
      const value = read(body)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reader is made from the schema of the row
      if (value !== undefined) return { kind: 'answer', value: value as ReadOf<Row> }
    }
  }
  const value = jsonIn(body)
  if (value === undefined) {
    // Venues of this family have nothing to say of a path that they do not know.
    if (status === 404 && body.length === 0 && row.effect === 'read')
      return { kind: 'refused', status, code: null, message: 'The venue has no such endpoint', errors: {} }
    if (status === 429)
      return { ...unclear('A gateway before the venue rejected the call'), throttle: 'rate' }
    return unclear(`The answer with status ${status} is not JSON`)
  }
  if (!success) return readRefusal(row, response, value) ?? notOfThisCall(status)
  const read = readSpelled(row, readValue, body, inRecord(row, asked, value))
  // An id that came out as another one costs its element; of a call that acts it costs the whole answer.
  const isDoubtful = 'misfit' in read || (row.effect === 'write' && read.unread.length > 0)
  if (isDoubtful && hasRoundedInteger(body)) return unclear(tooLarge)
  if ('misfit' in read) return readRefusal(row, response, value) ?? notOfThisCall(status, read.misfit)
  const { unread } = read
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reader is made from the schema of the row
  return { kind: 'answer', value: read.value as ReadOf<Row>, ...(unread.length > 0 && { unread }) }
}

/** Asked for one currency, a venue may answer its balance alone instead of a record with one currency. */
function inRecord(
  { flatFor, reads = [] }: Endpoint,
  asked: Record<string, unknown>,
  value: unknown,
): unknown {
  const name = flatFor === undefined ? undefined : asked[flatFor]
  const isFlat =
    isRecord(value) && reads.some((field) => Object.hasOwn(value, field) && !isRecord(value[field]))
  return typeof name === 'string' && isFlat ? { [name]: value } : value
}

function notOfThisCall(status: number, misfit?: Misfit): Unclear {
  const where = misfit === undefined ? '' : `: ${misfitText(misfit)}`
  const reason = `The answer with status ${status} does not have the format of this call${where}`
  return { ...unclear(reason), ...(status === 429 && { throttle: 'rate' }) }
}

type Readers = { texts: readonly TextReader[]; value: ValueReader }
const readers = new WeakMap<Endpoint, Readers>()

/** Of texts, one for each spelling of the row; what they do not read is for the reader of values. */
function readersOf(row: Endpoint): Readers {
  const known = readers.get(row)
  if (known) return known
  const { response, reads, camel } = row
  const spellings = camel ? [noNames, camel.response] : [noNames]
  const made = {
    texts: spellings.map((names) => textReader(response, names)),
    value: valueReader(response, reads),
  }
  readers.set(row, made)
  return made
}

/** Answers in the spec's own spelling, and all of endpoints with one spelling, are read once. */
function readSpelled(
  row: Endpoint,
  reader: ValueReader,
  body: string,
  value: unknown,
): ReturnType<ValueReader> {
  const read = reader(value)
  const names = row.camel?.response
  const isExact = 'value' in read && read.value === value
  return isExact || names === undefined || !mentions(body, names)
    ? read
    : reader(respell(value, inverted(names)))
}

function readRefusal(
  row: Endpoint,
  { status, headers }: WireResponse,
  value: unknown,
): RefusedOutcome | Unclear | undefined {
  const throttled = (message: string) => throttleOf(row, status, message, headers['retry-after'])
  const refusal = privateError.safeParse(value)
  if (refusal.success) {
    const { code, message, errors } = refusal.data
    if (!row.errors.includes(code) && !gateCodes.includes(code)) {
      return unclear(`The venue refused with code ${code}, which is unknown for this call`)
    }
    return {
      kind: 'refused',
      status,
      code,
      message,
      errors: errors === undefined || Array.isArray(errors) ? {} : inOurNames(row, errors),
      ...throttled(message),
    }
  }
  const publicRefusal = methodOf(row) === 'GET' ? publicRefusalIn(row, status, value) : undefined
  if (publicRefusal)
    return { kind: 'refused', status, code: null, ...publicRefusal, ...throttled(publicRefusal.message) }
  // A JSON object comes from the venue itself, which has not executed the request.
  return status === 429 && typeof value === 'object' && value !== null
    ? { kind: 'refused', status, code: null, message: 'Too many requests', errors: {}, throttle: 'rate' }
    : undefined
}

/** A refusal names what was asked with, in the venue's spelling. */
function inOurNames({ camel }: Endpoint, errors: Problems): Problems {
  return camel ? respellProblems(errors, inverted({ ...camel.response, ...camel.request })) : errors
}

/** In the plain wording, or in the one that the row has for parameters that do not fit. */
function publicRefusalIn(
  row: Endpoint,
  status: number,
  value: unknown,
): Pick<RefusedOutcome, 'message' | 'errors'> | undefined {
  const plain = publicError.partial({ params: true }).safeParse(value)
  if (plain.success) return { message: plain.data.message, errors: {} }
  let texts: Record<string, string | string[]> | undefined
  if (row.wording === 'flat' && status >= 400) texts = wordings.flat.safeParse(value).data
  if (row.wording === 'wrapped') texts = wordings.wrapped.safeParse(value).data?.message
  if (texts === undefined) return undefined
  const errors = Object.entries(texts).map(([name, text]) => [name, [text].flat()] as const)
  return { message: 'Validation failed', errors: Object.fromEntries(errors) }
}

/** In mode window. Venues name the distance in words of their own. */
const nonceOutside = /^Your nonce is more than \d+ seconds/

/**
 * Both meanings of 429 carry code 0, and may have the same words: a nonce needs no time, so its refusal names none. Some worlds
 * answer either with another status (assumptions.refusalStatus).
 */
function throttleOf(
  row: Endpoint,
  status: number,
  message: string,
  retryAfter: string | undefined,
): { throttle?: 'nonce' | 'rate' } {
  const isAboutNonce = message === gateRefusals.nonceUsed.message && retryAfter === undefined
  if (methodOf(row) === 'POST' && (isAboutNonce || nonceOutside.test(message))) return { throttle: 'nonce' }
  return status === 429 || message === gateRefusals.rateLimited.message ? { throttle: 'rate' } : {}
}

const tooLarge = 'The answer holds an integer that is too large to read exactly'

function unclear(reason: string): Unclear {
  return { kind: 'unclear', reason }
}

/** A number of sixteen digits outside of quotes: rare, so that the careful look costs nothing. */
const longInteger = /[:[,]\s*-?\d{16}/
const quoted = /"(?:[^"\\]|\\.)*"/g

/** Whether JSON.parse changed an integer of this text: ids beyond 2^53 would come out as other ids. */
function hasRoundedInteger(body: string): boolean {
  if (!longInteger.test(body)) return false
  const numbers = body.replace(quoted, '').match(/-?\d[\d.eE+-]*/g) ?? []
  return numbers.some((text) => /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)))
}
