import type { Delivery, OutgoingRequest } from '#src/venues/whitebit/client/transport/transport.ts'
import type { Envelope } from '#src/venues/whitebit/contract/wire/envelope.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import type { TapeCall } from './tape.ts'

/** Fields of a private call that are not parameters. */
const wrapping = new Set<string>(['request', 'nonce', 'nonceWindow'] satisfies (keyof Envelope)[])

/** A request as stored on a tape: without headers and envelope, which change with every call. */
export function requestOnTape({ method, path, query, body }: OutgoingRequest) {
  return { method, path, query, body: bodyOnTape(body) }
}

export function deliveryOnTape(delivery: Delivery): TapeCall['got'] {
  if (delivery.kind !== 'answered') return { failed: delivery.kind, reason: delivery.reason }
  const { status, headers, body } = delivery.response
  return answerOnTape(status, body, headers['retry-after'])
}

/** Stores text as JSON if JSON.stringify would write it the same way. */
export function textOnTape(text: string): { json: unknown } | { text: string } {
  const value = jsonIn(text)
  return JSON.stringify(value) === text ? { json: value } : { text }
}

export function answerOnTape(status: number, body: string, retryAfter?: string): TapeCall['got'] {
  return { status, ...(retryAfter === undefined ? {} : { retryAfter }), ...textOnTape(body) }
}

/** The recorded outcome of a call, for the client. */
export function deliveryOf(got: TapeCall['got']): Delivery {
  if ('failed' in got) return { kind: got.failed, reason: got.reason }
  const { status, retryAfter } = got
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  const body = 'text' in got ? got.text : JSON.stringify(got.json)
  return { kind: 'answered', response: { status, headers, body } }
}

function bodyOnTape(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return null
  const text = Buffer.from(bytes).toString()
  const value = jsonIn(text)
  // Not the format of this API: stored as text.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text
  return Object.fromEntries(Object.entries(value).filter(([name]) => !wrapping.has(name)))
}
