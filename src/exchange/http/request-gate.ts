import { z } from 'zod'
import { shapeOf } from '#src/venues/whitebit/contract/codec/shape.ts'
import { fitsExactly } from '#src/venues/whitebit/contract/codec/value-reader.ts'
import { mentions, inverted, respell } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { isJson, isNonceText } from '#src/venues/whitebit/contract/wire/envelope.ts'
import { mayTrade } from '#src/exchange/account-data/sub-account-permissions.ts'
import { knownFields } from '#src/venues/whitebit/contract/wire/known-fields.ts'
import { withNumbersRead } from '#src/venues/whitebit/contract/wire/number-text.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { strangerLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import {
  noProblems,
  problemsOf,
  unknownField,
  type Problems,
} from '#src/venues/whitebit/contract/wire/problems.ts'
import { uuidPattern } from '#src/venues/whitebit/contract/fields.ts'
import { gateRefusals, type ApiRefusal } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { keyHeader, payloadHeader, signatureHeader } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { DirectCall, WireRequest } from '#src/venues/whitebit/contract/wire/wire.ts'
import { Allowances } from './allowances.ts'
import { nonceProblem, useNonce } from './nonces.ts'
import type { ExchangeAccount } from '#src/exchange/state.ts'
import type { Key, VenueContext } from '#src/exchange/venue-context.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import { isRecord } from '#src/core/objects/objects.ts'

/**
 * The door of every private call. What a stranger can cause ends before the first line that changes anything:
 * nonce and allowance move only once the signature is right.
 */
export type Admitted = {
  account: ExchangeAccount
  parameters: Record<string, unknown>
  /** Whether the parameters fit the row's request, field by field. */
  isChecked: boolean
  /** Whether the caller is in this process, and takes a value as the answer. */
  isDirect?: true
}

/** A body with a correct signature, and the key that signed it. */
type Signed = { name: string; key: Key; bytes: Buffer }
/** Whose call it is. */
type Caller = { name: string; key: Key; nonce: string; window: boolean }

export const bodyBytesMax = 64 * 1024
export const queryCharactersMax = 2000
/** No request of the contract has more than four; whoever walks a body later may do so by recursion. */
const bodyDepthMax = 16

export class Door {
  readonly #venue: VenueContext
  // Apart, so that a crowd of strangers cannot push an owner's windows out.
  readonly #owners: Allowances
  readonly #origins: Allowances

  constructor(venue: VenueContext) {
    this.#venue = venue
    this.#owners = new Allowances(venue.switches.rateLimits === 'on')
    this.#origins = new Allowances(venue.switches.rateLimits === 'on')
  }

  admit(row: Endpoint, request: WireRequest, now: number): Admitted | ApiRefusal {
    const venue = this.#venue
    const { headers, body } = request
    // The vendor's client for Python sends none with a call without parameters; spec.md demands it of its calls.
    const isUntyped = row.beyond === true && headers['content-type'] === undefined
    if (!isUntyped && !isJson(headers['content-type'])) return gateRefusals.notJson
    if (body.length > bodyBytesMax) return gateRefusals.tooLarge
    const name = headers[keyHeader]
    const payload = headers[payloadHeader]
    const signature = headers[signatureHeader]
    if (!name) return gateRefusals.keyMissing
    if (!payload) return gateRefusals.payloadMissing
    if (!signature) return gateRefusals.signatureMissing
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    // Compared as text: a decoder would let padding, line breaks and junk through.
    if (bytes.toString('base64') !== payload) return gateRefusals.payloadInvalid
    if (venue.switches.blanksInBody === 'refuse' && hasBlanks(bytes)) return gateRefusals.payloadInvalid
    const key = venue.keys.get(name)
    const signed = (key?.secret ?? venue.unknownKeySecret).verifies(payload, signature)
    if (key === undefined || !signed) {
      const wait = this.#origins.take(`stranger ${request.origin}`, strangerLimit, now)
      return wait > 0 ? { ...gateRefusals.rateLimited, retryAfterMs: wait } : gateRefusals.unauthorized
    }
    return this.#admitSigned(row, { name, key, bytes }, request, now)
  }

  #admitSigned(
    row: Endpoint,
    { name, key, bytes }: Signed,
    { path, query }: WireRequest,
    now: number,
  ): Admitted | ApiRefusal {
    const venue = this.#venue
    const parsed = parseObject(textOf(bytes))
    if (parsed === undefined) return gateRefusals.bodyInvalid
    const isChecked = fitsExactly(bodyFormOf(row).body, parsed)
    if (!isChecked && isDeeper(parsed, bodyDepthMax)) return gateRefusals.bodyDeep
    const { request, nonce, nonceWindow, ...parameters } = parsed
    if (request === undefined) return gateRefusals.requestMissing
    if (request !== path) return gateRefusals.requestForeign
    if (nonce === undefined) return gateRefusals.nonceMissing
    const nonceText = typeof nonce === 'number' && Number.isSafeInteger(nonce) ? String(nonce) : nonce
    if (typeof nonceText !== 'string' || !isNonceText(nonceText)) return gateRefusals.nonceInvalid
    if (nonceWindow !== undefined && typeof nonceWindow !== 'boolean') return gateRefusals.nonceWindowInvalid
    const caller = { name, key, nonce: nonceText, window: nonceWindow === true }
    const permitted = this.#permit(row, caller, now)
    if (!('account' in permitted)) return permitted
    if (query !== '' && venue.switches.unknownParameters !== 'ignore') return unfit(row, behindThePath(query))
    const inOurForm = isChecked ? parameters : readParameters(venue, row, inSpecNames(row, parameters, bytes))
    return { ...permitted, parameters: inSmallLetters(row, inOurForm), isChecked }
  }

  /** A call of the same process: it needs no signature and no check of its form. */
  admitDirect(
    row: Endpoint,
    { key: name, nonce, nonceWindow: window, parameters }: DirectCall,
    now: number,
  ): Admitted | ApiRefusal {
    const key = this.#venue.keys.get(name)
    if (key === undefined) return gateRefusals.unauthorized
    const permitted = this.#permit(row, { name, key, nonce, window }, now)
    if (!('account' in permitted)) return permitted
    return { ...permitted, parameters: inSmallLetters(row, parameters), isChecked: true, isDirect: true }
  }

  /** How long a caller without a key must wait for one more public call. */
  publicWait(row: Endpoint, request: WireRequest, now: number): number {
    return this.#origins.take(`public ${request.origin} ${row.path}`, row.limit, now)
  }

  /** What does not depend on the form of a call: its nonce, its allowance, and what the key may do. */
  #permit(
    row: Endpoint,
    { name, key, nonce, window }: Caller,
    now: number,
  ): Pick<Admitted, 'account'> | ApiRefusal {
    const venue = this.#venue
    if (window && venue.switches.nonce === 'strict') return gateRefusals.nonceWindowInvalid
    const problem = nonceProblem(venue.state, name, nonce, window, now)
    if (problem !== undefined)
      return problem === 'outside' ? gateRefusals.nonceOutside : gateRefusals.nonceUsed
    const wait = this.#owners.take(`${name} ${row.path}`, row.limit, now)
    if (wait > 0) return { ...gateRefusals.rateLimited, retryAfterMs: wait }
    useNonce(venue.state, name, nonce, window, now)
    venue.record({ kind: 'nonce', at: now, key: name, nonce, window })

    const account = venue.state.accounts.get(key.account)
    if (account === undefined || !key.permissions.has(row.permission)) return gateRefusals.keyForbidden
    if (row.orders !== undefined && !mayTrade(venue, key.account, row.orders))
      return gateRefusals.keyForbidden
    if (row.access === 'partner' && !venue.world.accounts[key.account]?.partner)
      return gateRefusals.notPartner
    return { account }
  }
}

/** Profile `full` takes a number in either form (assumptions.eitherForm). */
function readParameters(
  { switches, profile }: VenueContext,
  row: Endpoint,
  parameters: Record<string, unknown>,
): Record<string, unknown> {
  const wanted = switches.unknownParameters === 'ignore' ? knownFields(row.request, parameters) : parameters
  return profile === 'full' ? withNumbersRead(row.request, wanted) : wanted
}

/** Which parameters do not fit the row, in the family's own words. */
export function formProblems(row: Endpoint, parameters: Record<string, unknown>): Problems | undefined {
  const checked = (row.gate ?? row.request).safeParse(comparable(parameters), { reportInput: true })
  return checked.success ? undefined : problemsOf(checked.error)
}

/**
 * The library of the schemas compares the length of whatever stands in place of a text or a list. An object as this length can
 * throw, so it becomes null; no field of a request has this name.
 */
function comparable(value: unknown, name = ''): unknown {
  if (!isObject(value)) return value
  if (name === 'length') return null
  if (Array.isArray(value)) return value.map((each) => comparable(each))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, comparable(each, key)]))
}

/** Only the body is signed, so that nothing else of a private call counts. */
function behindThePath(query: string): Problems {
  const problems = noProblems()
  for (const name of new URLSearchParams(query).keys()) problems[name] = [unknownField]
  return problems
}

/** A UUID in capitals is the same one. */
function inSmallLetters(row: Endpoint, parameters: Record<string, unknown>): Record<string, unknown> {
  const small = { ...parameters }
  for (const key of bodyFormOf(row).uuids) {
    const value = parameters[key]
    if (typeof value === 'string' && uuidPattern.test(value)) small[key] = value.toLowerCase()
  }
  return small
}

export function unfit(row: Endpoint, problems: Problems): ApiRefusal {
  return { ...row.invalid, message: 'Validation failed', errors: problems }
}

/** Both spellings are understood, whatever the world writes. */
function inSpecNames(
  row: Endpoint,
  parameters: Record<string, unknown>,
  bytes: Buffer,
): Record<string, unknown> {
  const names = row.camel?.request
  if (names === undefined || !mentions(bytes.toString('latin1'), names)) return parameters
  const respelled = respell(parameters, inverted(names))
  return typeof respelled === 'object' ? { ...respelled } : parameters
}

/** `body`: the parameters in the order of the row and the envelope behind them, as our client writes it. */
type BodyForm = { body: z.ZodObject; uuids: readonly string[] }
const bodyForms = new WeakMap<Endpoint, BodyForm>()

function bodyFormOf(row: Endpoint): BodyForm {
  const known = bodyForms.get(row)
  if (known) return known
  const body = z.strictObject({ ...row.request.shape, ...envelope })
  const shape = shapeOf(body)
  const fields = shape.kind === 'object' ? shape.fields : []
  const uuids = fields.filter(({ shape }) => shape.kind === 'text' && shape.pattern === uuidPattern)
  const form = { body, uuids: uuids.map(({ name }) => name) }
  bodyForms.set(row, form)
  return form
}

const envelope = { request: z.string(), nonce: z.string(), nonceWindow: z.boolean().optional() }

/** Whether the JSON has blanks between its parts. By hand, because a regular expression could take quadratic time. */
function hasBlanks(bytes: Buffer): boolean {
  let inText = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    if (byte === 0x22) inText = !inText
    else if (inText && byte === 0x5c) index += 1
    else if (!inText && blanks.has(byte)) return true
  }
  return false
}

const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a])

function textOf(bytes: Buffer): string | undefined {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    // Not UTF-8: the caller answers as to a body that is not JSON.
    return undefined
  }
}

function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  const value = text === undefined ? undefined : jsonIn(text)
  return isRecord(value) ? value : undefined
}

function isDeeper(value: unknown, levels: number): boolean {
  if (!isObject(value)) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1))
  // Without a list of the values: this looks at every order of every bulk.
  for (const name in value) if (isDeeper(value[name], levels - 1)) return true
  return false
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
