import {
  encodeParameters,
  publicRequest,
  signedRequest,
} from '#src/venues/whitebit/client/calls/signed-request.ts'
import type { OutgoingRequest } from '#src/venues/whitebit/client/transport/transport.ts'
import { bearerNames } from '#src/venues/whitebit/contract/wire/bearer-tokens.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { keyHeader, payloadHeader, signatureHeader } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { fieldsOf } from './fields.ts'

/** Headers with credentials, or that repeat the body. */
const maskedHeaders = new Set([keyHeader, payloadHeader, signatureHeader])
const mask = '[masked]'

/**
 * The request as it would be sent now. Its nonce is read from the clock and not reserved, so that a preview leaves no trace.
 * Errors about parameters name the flags.
 */
export function previewRequest(
  row: Endpoint,
  parameters: Record<string, unknown>,
  venue: VenueSettings,
): OutgoingRequest {
  const encoded = encodeParameters(row, parameters)
  if ('problems' in encoded) throw problemsAsUsage(row, encoded.problems)
  if (row.access === 'public') return publicRequest(row, encoded.wire)
  if (venue.credentials === undefined)
    throw new BotError('KEY_MISSING', { seen: `${row.path} is a private call` })
  return signedRequest(row, encoded.wire, {
    credentials: venue.credentials,
    nonce: String(Date.now()),
    nonceWindow: venue.nonce === 'window',
    spelling: venue.spelling,
  })
}

/** The same problems under the names of the flags; `orders.0.amount` is inside `--orders`. */
export function problemsAsUsage(row: Endpoint, problems: Problems): BotError {
  const fields = fieldsOf(row)
  const lines = Object.entries(problems).flatMap(([path, texts]) => {
    const field = fields.findLast(({ path: own }) => `${path}.`.startsWith(`${own.join('.')}.`))
    const inside = field === undefined ? path : path.slice(field.path.join('.').length + 1)
    const place = [field && `--${field.flag}`, inside].filter(Boolean).join(' ')
    const about = field === undefined || field.about === '' || inside !== '' ? '' : ` (${field.about})`
    return texts.map((text) => `\n  ${printable(place)}: ${printable(text)}${about}`)
  })
  return usage(
    `${lines.length === 1 ? 'one field is' : `${lines.length} fields are`} invalid${lines.join('')}`,
  )
}

/** Method, address, headers and body, for people or as one line of JSON. */
export function maskedRequest(request: OutgoingRequest, venue: VenueSettings, asJson: boolean): string {
  const url = `${venue.url}${request.path}${request.query === '' ? '' : `?${request.query}`}`
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, maskedHeaders.has(name) ? mask : value]),
  )
  if (asJson)
    return JSON.stringify({ method: request.method, url, headers, body: maskedBody(request) ?? null })
  return [
    `${request.method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value ?? ''}`),
    ...(request.body.length === 0 ? [] : ['', shownBody(request)]),
  ].join('\n')
}

/** The body as it is sent, without secrets. */
export function shownBody(request: OutgoingRequest): string {
  return printable(JSON.stringify(maskedBody(request)))
}

function maskedBody(request: OutgoingRequest): unknown {
  if (request.body.length === 0) return undefined
  const body: unknown = JSON.parse(Buffer.from(request.body).toString())
  return masked(body)
}

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, bearerNames.has(name) ? mask : masked(member)]),
  )
}
