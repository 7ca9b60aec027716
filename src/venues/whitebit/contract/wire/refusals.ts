import { z } from 'zod'
import type { Problems } from './problems.ts'

/**
 * A refusal before it is written down. `code` is the one that spec §7 documents; `finerCode` is the one that
 * the public venues of this family use for the same cause, sent with profile `full` only.
 */
export type ApiRefusal = {
  status: number
  code: number
  finerCode?: number
  message: string
  errors?: Problems
  /** When to come again, for refusals that pass by themselves. */
  retryAfterMs?: number
}

const validationFailed = 'Validation failed'
const innerValidationFailed = 'Inner validation failed'

/** Code 0: a parameter does not fit (spec §7). */
export function invalid(problems: Problems): ApiRefusal {
  return { status: 400, code: 0, message: validationFailed, errors: problems }
}

/** Code 30: the whole request of the trading family does not fit; `errors` stays empty in profile `spec`. */
export function invalidTrade(problems: Problems): ApiRefusal {
  return { status: 422, code: 30, message: validationFailed, errors: problems }
}

/**
 * Code 2: a flex investment against the rules of its plan or the balance (spec §4.3). Finer: 0 for the plan, 2
 * below the minimum, 3 above the maximum, 4 beyond the balance.
 */
export function innerInvalid(
  field: 'amount' | 'balance' | 'plan',
  finerCode: number,
  text: string,
): ApiRefusal {
  return { status: 422, code: 2, finerCode, message: innerValidationFailed, errors: { [field]: [text] } }
}

/** Beyond spec.md: a call that is well formed, against the rules or the balance. */
export function refusedInside(code: number, problems: Problems): ApiRefusal {
  return { status: 422, code, message: innerValidationFailed, errors: problems }
}

/** Code 422, and no `errors` member (spec §4.14). */
export const incorrectTimestamp: ApiRefusal = { status: 422, code: 422, message: 'Incorrect timestamp' }

/** The gate: all before a handler is asked. Codes in profile `spec` are 0, the only documented one that fits. */
export const gateRefusals = {
  notJson: { status: 415, code: 0, message: 'Content-type must be application/json.', errors: {} },
  tooLarge: { status: 413, code: 0, message: 'The body is too large.', errors: {} },
  keyMissing: { status: 401, code: 0, message: 'Key not provided.', errors: {} },
  payloadMissing: { status: 401, code: 0, message: 'Payload not provided.', errors: {} },
  signatureMissing: { status: 401, code: 0, message: 'Signature not provided.', errors: {} },
  payloadInvalid: { status: 400, code: 0, finerCode: 9, message: 'Invalid payload.', errors: {} },
  unauthorized: { status: 401, code: 0, finerCode: 10, message: 'Unauthorized request.', errors: {} },
  bodyInvalid: { status: 400, code: 0, finerCode: 9, message: 'The body must be a JSON object.', errors: {} },
  bodyDeep: { status: 400, code: 0, finerCode: 9, message: 'The body is nested too deeply.', errors: {} },
  requestMissing: { status: 401, code: 0, message: 'Request not provided.', errors: {} },
  requestForeign: { status: 401, code: 0, message: 'Invalid request in body.', errors: {} },
  nonceMissing: { status: 401, code: 0, message: 'Nonce not provided.', errors: {} },
  nonceInvalid: { status: 401, code: 0, message: 'Invalid nonce.', errors: {} },
  nonceWindowInvalid: { status: 401, code: 0, message: 'Invalid nonceWindow.', errors: {} },
  nonceOutside: {
    status: 401,
    code: 0,
    message: 'Your nonce is more than 5 seconds away from the current time.',
    errors: {},
  },
  nonceUsed: { status: 429, code: 0, message: 'Too many requests.', errors: {} },
  rateLimited: { status: 429, code: 0, message: 'Too Many Attempts.', errors: {} },
  keyForbidden: {
    status: 403,
    code: 0,
    finerCode: 4,
    message: 'This API Key is not authorized to perform this action.',
    errors: {},
  },
  notPartner: {
    status: 403,
    code: 0,
    message: "You don't have permission to use this endpoint. Please contact support for more details",
    errors: {},
  },
  pathUnknown: { status: 404, code: 0, message: 'This endpoint does not exist.', errors: {} },
  methodForbidden: { status: 405, code: 0, message: 'This endpoint takes POST only.', errors: {} },
} as const satisfies Record<string, ApiRefusal>

/** The gate of public endpoints: their errors have no codes. */
export const publicRefusals = {
  methodForbidden: { status: 405, code: 0, message: 'This endpoint takes GET only.' },
  rateLimited: { status: 429, code: 0, message: 'Too many requests.' },
  queryTooLong: { status: 400, code: 0, message: 'The query is too long.' },
} as const satisfies Record<string, ApiRefusal>

/** Codes of the gate: whatever the endpoint, the call was turned away before anything happened. */
export const gateCodes: readonly number[] = [
  ...new Set(
    Object.values(gateRefusals).flatMap((refusal: ApiRefusal) => [
      refusal.code,
      refusal.finerCode ?? refusal.code,
    ]),
  ),
]

/** Codes and wordings for an order that is not open (any more). */
const goneCodes = new Set([2, 404])
const goneText = /not found|not exist|already cancell?ed|unexecuted/i

/** Whether a refusal says that the order is not open. */
export function saysGone(code: number | null, message: string): boolean {
  return goneCodes.has(code ?? -1) || goneText.test(message)
}

/** What an error of a private endpoint looks like; the 422 of the hashrate has no `errors`. */
export const privateError = z.object({
  code: z.int(),
  message: z.string(),
  errors: z.union([z.record(z.string(), z.array(z.string())), z.array(z.never()).max(0)]).optional(),
})

/** What an error of a public endpoint looks like. */
export const publicError = z.object({
  success: z.literal(false),
  message: z.string(),
  params: z.array(z.unknown()),
})

const texts = z.record(z.string(), z.union([z.array(z.string()), z.string()]))

/** The other wordings of parameters that do not fit: `flat` has status 422, `wrapped` 200 like a success. */
export const wordings = {
  flat: texts,
  wrapped: z.object({ success: z.literal(false), message: texts, result: z.null() }),
}
