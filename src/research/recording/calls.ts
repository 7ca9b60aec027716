import type { Delivery, OutgoingRequest } from '#src/venues/whitebit/client/transport/transport.ts'
import type { Envelope } from '#src/venues/whitebit/contract/wire/envelope.ts'
import type { TapeCall } from './tape.ts'

/** What wraps the parameters of a private call. */
const wrapping = new Set<string>(['request', 'nonce', 'nonceWindow'] satisfies (keyof Envelope)[])

/** A request as a tape has it: without headers, and without what wraps its parameters and changes with every call. */
export function requestOnTape({ method, path, query, body }: OutgoingRequest) {
  return { method, path, query, body: bodyOnTape(body) }
}

export function deliveryOnTape(delivery: Delivery): TapeCall['got'] {
  if (delivery.kind !== 'answered') return { failed: delivery.kind, reason: delivery.reason }
  const { status, headers, body } = delivery.response
  return answerOnTape(status, body, headers['retry-after'])
}

/** A frame of a stream, or the body of an answer: as JSON where that is how it was written. */
export function textOnTape(text: string): { json: unknown } | { text: string } {
  const value = json(text)
  return JSON.stringify(value) === text ? { json: value } : { text }
}

export function answerOnTape(status: number, body: string, retryAfter?: string): TapeCall['got'] {
  return { status, ...(retryAfter === undefined ? {} : { retryAfter }), ...textOnTape(body) }
}

/** What the client is told when a tape answers it. */
export function deliveryOf(got: TapeCall['got']): Delivery {
  if ('failed' in got) return { kind: got.failed, reason: got.reason }
  const { status, retryAfter } = got
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  const body = 'text' in got ? got.text : JSON.stringify(got.json)
  return { kind: 'answered', response: { status, headers, body } }
}

/** Undefined when it is no JSON: no JSON says undefined. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function bodyOnTape(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return null
  const text = Buffer.from(bytes).toString()
  const value = json(text)
  // No call of this API is like that: it is kept as text.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text
  return Object.fromEntries(Object.entries(value).filter(([name]) => !wrapping.has(name)))
}
