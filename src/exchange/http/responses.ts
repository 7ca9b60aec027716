import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { publicRefusals, type ApiRefusal } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { respell, respellProblems, type Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { RefusedCall, WrittenAnswer, type VenueContext } from '#src/exchange/venue-context.ts'

/** How answers and the three error shapes of spec §7 are written down. */
const json = { 'content-type': 'application/json' }

function success(status: number, answer: unknown): WireResponse {
  return written(status, JSON.stringify(answer))
}

function written(status: number, body: string): WireResponse {
  return { status, headers: json, body }
}

/** In the wording of the endpoint where a parameter does not fit; every other refusal is plain. */
export function publicRefusal(
  { status, message, errors }: ApiRefusal,
  headers: Record<string, string> = {},
  wording?: Endpoint['wording'],
): WireResponse {
  const written = { ...json, ...headers }
  if (errors === undefined || wording === undefined) {
    const [named] = Object.entries(errors ?? {})
    const text = named === undefined ? message : `${named[0]}: ${named[1][0] ?? message}`
    return {
      status,
      headers: written,
      body: JSON.stringify({ success: false, message: text, params: [] }),
    }
  }
  if (wording === 'flat') return { status: 422, headers: written, body: JSON.stringify(errors) }
  const body = JSON.stringify({ success: false, message: errors, result: null })
  return { status: 200, headers: written, body }
}

/** The answer of a public handler, or its refusal. */
export function publicResponse({ wording }: Endpoint, answer: unknown): WireResponse {
  return answer instanceof RefusedCall ? publicRefusal(answer.refusal, {}, wording) : success(200, answer)
}

/** What a gateway says of too many calls, whatever stands behind it. */
const gatewayPage: WireResponse = {
  status: 429,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>429 Too Many Requests</title></head><body>Too Many Requests</body></html>',
}

export function publicTooMany({ switches }: VenueContext, waitMs: number): WireResponse {
  return switches.tooManyRequests === 'html'
    ? gatewayPage
    : publicRefusal(publicRefusals.rateLimited, retryAfter(waitMs))
}

function retryAfter(ms: number): Record<string, string> {
  return { 'retry-after': String(Math.ceil(ms / 1000)) }
}

/** The answer of a handler, or its refusal. */
export function answerResponse(venue: VenueContext, row: Endpoint, answer: unknown): WireResponse {
  if (answer instanceof RefusedCall) return refusalResponse(venue, answer.refusal, {}, row)
  const status = row.created && venue.profile === 'full' ? 201 : 200
  if (answer instanceof WrittenAnswer) return written(status, answer.json)
  const names = venue.spelling === 'camel' ? row.camel?.response : undefined
  return success(status, names ? respell(answer, names) : answer)
}

export function refusalResponse(
  venue: VenueContext,
  refusal: ApiRefusal,
  headers: Record<string, string> = {},
  row?: Endpoint,
): WireResponse {
  const { profile, switches, spelling } = venue
  const wait = refusal.retryAfterMs === undefined ? {} : retryAfter(refusal.retryAfterMs)
  if (refusal.status === 429 && refusal.retryAfterMs !== undefined && switches.tooManyRequests === 'html') {
    return gatewayPage
  }
  const code = profile === 'full' ? (refusal.finerCode ?? refusal.code) : refusal.code
  const { message } = refusal
  const errors =
    refusal.errors &&
    (refusal.code === 30 && profile === 'spec' ? {} : spelled(refusal.errors, spelling, row))
  const body = errors === undefined ? { code, message } : { code, message, errors }
  const isFixed = refusal.status === 429 || (row?.invalid.documented && refusal.status === row.invalid.status)
  const uniform = switches.refusalStatus === 'split' || isFixed ? undefined : switches.refusalStatus
  return {
    status: uniform === undefined ? refusal.status : Number(uniform),
    headers: { ...json, ...headers, ...wait },
    body: JSON.stringify(body),
  }
}

function spelled(errors: Problems, spelling: Spelling, row: Endpoint | undefined): Problems {
  return row?.camel && spelling === 'camel' ? respellProblems(errors, row.camel.request) : errors
}
