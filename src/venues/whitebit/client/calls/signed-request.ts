import { z } from 'zod'
import { methodOf, type Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { serialise, type Envelope } from '#src/venues/whitebit/contract/wire/envelope.ts'
import { problemsOf, type Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { writePublicCall } from '#src/venues/whitebit/contract/wire/public-call.ts'
import { signedHeaders, type Signer } from '#src/venues/whitebit/contract/wire/signing.ts'
import { respell, type Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { DirectCall } from '#src/venues/whitebit/contract/wire/wire.ts'
import { fitsExactly } from '#src/venues/whitebit/contract/codec/value-reader.ts'
import type { OutgoingRequest } from '#src/venues/whitebit/client/transport/transport.ts'

type Parameters = Record<string, unknown>

/** The parameters as the wire has them, in the spec's spelling, or what is wrong with them. */
export function encodeParameters<Row extends Endpoint>(
  row: Row,
  parameters: Parameters,
): { wire: z.input<Row['request']> } | { problems: Problems } {
  let encoded: unknown
  // A copy, as the schema gives one: the caller may change its own while the call waits for its turn.
  if (fitsExactly(row.request, parameters)) encoded = copied(parameters)
  else {
    const result = z.safeEncode(row.request, parameters, { reportInput: true })
    if (!result.success) return { problems: problemsOf(result.error) }
    encoded = result.data
  }
  // The schema of this very row made it, or its shortcut; their general types do not remember which row.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { wire: encoded as z.input<Row['request']> }
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied)
  if (typeof value !== 'object' || value === null) return value
  const copy: Parameters = { ...value }
  for (const name in copy) if (typeof copy[name] === 'object') copy[name] = copied(copy[name])
  return copy
}

/** A private call: these very bytes are signed and sent. */
export function signedRequest(
  row: Endpoint,
  wire: Parameters,
  about: { credentials: Signer; nonce: string; nonceWindow: boolean; spelling: Spelling },
): OutgoingRequest {
  const envelope: Envelope = { request: row.path, nonce: about.nonce }
  if (about.nonceWindow) envelope.nonceWindow = true
  const body = serialise(envelope, spelled(row, wire, about.spelling))
  return {
    method: methodOf(row),
    path: row.path,
    query: '',
    headers: signedHeaders(about.credentials, body),
    body,
  }
}

/** The same call for a venue in this process: no bytes, and no signature. */
export function directCall(
  { path }: Endpoint,
  parameters: Parameters,
  about: { key: string; nonce: string; nonceWindow: boolean },
): DirectCall {
  return { path, parameters, ...about }
}

export function publicRequest(row: Endpoint, wire: Parameters): OutgoingRequest {
  return { method: methodOf(row), ...writePublicCall(row, wire), headers: {}, body: noBytes }
}

const noBytes = new Uint8Array()

/** The names of the envelope are the same in every spelling. */
function spelled(row: Endpoint, wire: Parameters, spelling: Spelling): Parameters {
  if (spelling === 'spec' || row.camel === undefined) return wire
  const names = row.camel.request
  return Object.fromEntries(
    Object.entries(wire).map(([name, value]) => [names[name] ?? name, respell(value, names)]),
  )
}
