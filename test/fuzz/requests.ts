import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { keyHeader, payloadHeader, signatureHeader } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { WireRequest } from '#src/venues/whitebit/contract/wire/wire.ts'
import type { Profile } from '#src/exchange/venue-context.ts'
import { credentialsOf, signedBytes } from '#test/exchange/exchange-fixture.ts'
import type { Chance } from './chance.ts'
import { hostileValue, writtenOut } from './hostile-values.ts'
import { spoil, spoilText } from './corrupt-request.ts'

export type Case = {
  row: Endpoint | undefined
  request: WireRequest
  /** The server must not accept this as a valid call of its sender. */
  forged: boolean
}

const rows: readonly Endpoint[] = Object.values(contract)
/** The rows of each profile; public rows beyond the specification have their own error shapes. */
const served = {
  spec: rows.filter(({ beyond }) => !beyond),
  full: rows.filter(({ beyond, access }) => !beyond || access !== 'public'),
} as const satisfies Record<Profile, readonly Endpoint[]>
const privateOf = {
  spec: served.spec.filter(({ access }) => access !== 'public'),
  full: served.full.filter(({ access }) => access !== 'public'),
} as const satisfies Record<Profile, readonly Endpoint[]>
const accounts = ['paper', 'paper', 'paper', 'paper', 'rival', 'reader']
const odd = [
  '',
  ' ',
  'null',
  '\0',
  'é',
  '😀',
  'a\r\nb: c',
  'x'.repeat(20_000),
  '__proto__',
  '=',
  '{}',
  'undefined',
]

/** A request with one to three defects, most often signed correctly. */
export function malformed(chance: Chance, nonce: number, now: number, profile: Profile = 'spec'): Case {
  if (chance.percent(3)) return strangePath(chance, nonce, served[profile])
  const row = chance.oneOf(privateOf[profile])
  const account = chance.oneOf(accounts)
  const body: Record<string, unknown> = structuredClone(row.example.request)
  if (chance.percent(92)) {
    for (let times = 1 + chance.below(3); times > 0; times--) spoil(body, chance)
  }
  body['request'] = row.path
  body['nonce'] = String(nonce)
  if (chance.percent(8)) spoilEnvelope(body, chance, now)
  const text = writtenOut(body, chance)
  const bytes = chance.percent(5) ? spoilText(text, chance) : Buffer.from(text)
  const request = signedBytes(account, row.path, bytes)
  const spoilt = chance.percent(10) ? spoilHeaders(request, chance, account) : request
  return { row, request: spoilt, forged: isChanged(spoilt, request) || !holdsEnvelope(bytes, row.path) }
}

/** Capital letters give the same signature. */
function isChanged(a: WireRequest, b: WireRequest): boolean {
  const [one, other] = [a, b].map(({ method, headers }) => {
    const signature = headers[signatureHeader]?.toLowerCase()
    return JSON.stringify([method, { ...headers, [signatureHeader]: signature }])
  })
  return one !== other || a.body !== b.body
}

/** Whether the signed bytes name their endpoint and nonce. */
function holdsEnvelope(bytes: Buffer, path: string): boolean {
  try {
    const { request, nonce }: { request?: unknown; nonce?: unknown } = JSON.parse(bytes.toString())
    return request === path && /^[1-9]\d{0,18}$/.test(String(nonce))
  } catch {
    // Not JSON, or null: there are no fields.
    return false
  }
}

/** Nonces that are stale, too large, in a second spelling, or not numbers; never a valid one that blocks later ones. */
function spoilEnvelope(body: Record<string, unknown>, chance: Chance, now: number): void {
  switch (chance.below(6)) {
    case 0:
      delete body[chance.oneOf(['request', 'nonce'])]
      break
    case 1:
      body['request'] = chance.percent(50) ? hostileValue(chance) : chance.oneOf(rows).path
      break
    case 2:
      body['nonce'] = chance.oneOf([
        '1',
        1,
        '01',
        `0${now}`,
        '-1',
        -1,
        `${now}.0`,
        `${now}.5`,
        now + 0.5,
        '1e12',
        0,
        '0',
        '',
        ' 1',
        '１',
      ])
      break
    case 3:
      body['nonce'] = chance.oneOf([
        '9223372036854775808',
        '18446744073709551616',
        '9'.repeat(40),
        2 ** 63,
        1e300,
      ])
      break
    case 4:
      body['nonceWindow'] = hostileValue(chance)
      break
    default:
      body['nonceWindow'] = true
      body['nonce'] = String(chance.oneOf([now - 5001, now + 5001, 0, now * 2, now]))
  }
}

function spoilHeaders(request: WireRequest, chance: Chance, account: string): WireRequest {
  const headers: Record<string, string | undefined> = { ...request.headers }
  const payload = headers[payloadHeader] ?? ''
  const signature = headers[signatureHeader] ?? ''
  const sign = (text: string) => credentialsOf(account).secret.sign(text)
  const name = chance.oneOf(['content-type', keyHeader, payloadHeader, signatureHeader])
  switch (chance.below(12)) {
    case 0:
      // Calls beyond the specification need no content type.
      delete headers[chance.oneOf([keyHeader, payloadHeader, signatureHeader])]
      break
    case 1:
      headers[name] = `${headers[name]}, ${headers[name]}`
      break
    case 2:
      headers[name] = chance.oneOf(odd)
      break
    case 3:
      headers[signatureHeader] = signature.toUpperCase()
      break
    case 4:
      headers[signatureHeader] = chance.oneOf([
        signature.slice(1),
        `${signature}0`,
        `${signature.slice(0, -1)}g`,
        '0'.repeat(128),
      ])
      break
    case 5:
      headers[signatureHeader] = sign(`${payload}=`)
      break
    case 6: {
      // Decoders read all of these as the same bytes; only one of them is correct.
      const forms = [
        payload.replace(/=+$/, ''),
        `${payload}=`,
        payload.replaceAll('+', '-').replaceAll('/', '_'),
        `${payload.slice(0, 8)}\n${payload.slice(8)}`,
        ` ${payload}`,
        `${payload.slice(0, 8)}*${payload.slice(8)}`,
      ]
      const form = chance.oneOf(forms)
      headers[payloadHeader] = form
      headers[signatureHeader] = sign(form)
      break
    }
    case 7: {
      const other = Buffer.from('{"request":"/api/v4/main-account/codes","nonce":"9"}').toString('base64')
      headers[payloadHeader] = other
      headers[signatureHeader] = sign(other)
      break
    }
    case 8:
      return { ...request, headers, body: Buffer.concat([request.body, Buffer.from(' ')]) }
    case 9:
      headers[keyHeader] = chance.oneOf([
        'rival-key',
        'PAPER-KEY',
        'paper-key ',
        'nobody',
        '__proto__',
        'constructor',
      ])
      if (account === 'rival') headers[signatureHeader] = '0'.repeat(128)
      break
    case 10:
      headers['content-type'] = chance.oneOf([
        'text/plain',
        'application/json; charset=latin1',
        'application/jsonp',
        'multipart/form-data',
        'application/json,application/json',
        ';',
        `application/json${' '.repeat(5000)}x`,
      ])
      break
    default:
      return {
        ...request,
        headers,
        method: chance.oneOf(['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'post', '', 'TRACE']),
      }
  }
  return { ...request, headers }
}

function strangePath(chance: Chance, nonce: number, rows: readonly Endpoint[]): Case {
  const { path } = chance.oneOf(rows)
  const strange = chance.oneOf([
    path,
    `${path}/`,
    path.toUpperCase(),
    `/${path}`,
    path.replace('/api/v4', '/api/v3'),
    `${path}%00`,
    `${path}/../../public/ping`,
    '',
    '/',
    '*',
    '/api/v4/public/',
    '/api/v4/public/../main-account/balance',
    '/__proto__',
    '/constructor',
    `/${'a'.repeat(9000)}`,
    '/%ff',
    'http://elsewhere/api/v4/public/ping',
    '/ws',
  ])
  const request = signedBytes(
    'paper',
    strange,
    Buffer.from(JSON.stringify({ request: strange, nonce: String(nonce) })),
  )
  const query = chance.percent(30)
    ? chance.oneOf(['a', 'a=1', '=', '%', '%ff=%', '__proto__=1', 'a'.repeat(5000), '\ud800', '&&&'])
    : ''
  return {
    row: rows.find((row) => row.path === strange),
    forged: false,
    request: { ...request, query, method: chance.oneOf(['GET', 'POST', 'POST', 'HEAD', 'DELETE']) },
  }
}
