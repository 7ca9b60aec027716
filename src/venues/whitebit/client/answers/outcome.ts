import type { EndpointName, Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import type { Unread } from './partial-answer.ts'

/** `unread` names the elements that are missing from the value, because the client could not read them. */
export type AnsweredOutcome<Value> = { kind: 'answer'; value: Value; unread?: readonly Unread[] }

/**
 * What a call can come to. Every kind but the last of each list needs proof; whatever is not proven is
 * `unanswered` for a read and `unknown` for a write: the venue may or may not have acted.
 */
export type ReadOutcome<Value> = AnsweredOutcome<Value> | RefusedOutcome | NotSent | Unanswered
export type WriteOutcome<Value> =
  | { kind: 'accepted'; value: Value }
  | RefusedOutcome
  | NotSent
  | UnknownOutcome

/** A bulk is answered order by order; when it failed as a whole, every order shares that outcome. */
export type BulkOutcome = ({ kind: 'answered' } | RefusedOutcome | NotSent | UnknownOutcome) & {
  orders: OrderOutcome[]
}

/** One for each order of a bulk, in the order of the request. */
export type OrderOutcome =
  | { kind: 'accepted'; order: PlacedOrder }
  | OrderRefused
  /** A bulk with stopOnFail ended before this order: it may be sent again under the same id. */
  | { kind: 'not-attempted' }
  | NotSent
  | UnknownOutcome

export type PlacedOrder = NonNullable<ReadOf<Contract['collateralBulk']>[number]['result']>

/** The venue said no, in its own words, before it acted. */
export type RefusedOutcome = {
  kind: 'refused'
  status: number
  /** Null where errors carry no code: public endpoints. */
  code: number | null
  message: string
  errors: Problems
  /** A nonce that did not rise or was too far from the time of the venue, or too many calls. */
  throttle?: 'nonce' | 'rate'
} & Paused

/** For people whose nonces a venue refuses. */
export const nonceFix = 'Set the clock of this computer right, and use the API key in no other program'

/** Statuses by which a venue says that it has no such endpoint, or that this key may not call it. */
const deniedStatuses: ReadonlySet<number> = new Set([403, 404, 405])

/** Whether the venue has said for good that it does not do this: any other failure may pass. */
export function isDenied(outcome: AnyOutcome): boolean {
  return outcome.kind === 'refused' && outcome.throttle === undefined && deniedStatuses.has(outcome.status)
}

type OrderRefused = {
  kind: 'refused'
  /** Null when the whole bulk was refused, in an answer without a code. */
  code: number | null
  message: string
  errors: Problems
  /** The client_order_id is taken: evidence that an earlier attempt was accepted, not that there is no order. */
  alreadyUsed: boolean
}

/** Not a byte left: the same call may be made again. */
export type NotSent = {
  kind: 'not-sent'
  cause: NotSentCause
  reason: string
  problems: Problems
} & Paused
/** The venue has paused calls of this kind for so many milliseconds from now on. */
export type Paused = { waitMs?: number }
export type NotSentCause =
  /** The parameters do not fit; `problems` says which. */
  | 'invalid'
  /** A private call by a client that was given no key. */
  | 'no-key'
  | 'unreachable'
  | 'aborted'
  /** The deadline passed before its turn came. */
  | 'late'
  | 'queue-full'

/** The reasons are our own words: they never hold a body, a header or a key. */
type Unanswered = { kind: 'unanswered'; reason: string }
export type UnknownOutcome = { kind: 'unknown'; reason: string } & Paused

export type OutcomeOf<Name extends EndpointName> = Name extends 'collateralBulk'
  ? BulkOutcome
  : Contract[Name]['effect'] extends 'read'
    ? ReadOutcome<ReadOf<Contract[Name]>>
    : WriteOutcome<ReadOf<Contract[Name]>>

export type AnyOutcome = ReadOutcome<unknown> | WriteOutcome<unknown> | BulkOutcome

export function notSent(cause: NotSentCause, reason: string, problems: Problems = {}): NotSent {
  return { kind: 'not-sent', cause, reason, problems }
}
