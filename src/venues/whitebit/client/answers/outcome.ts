import type { EndpointName, Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import type { Unread } from './partial-answer.ts'

/** The answer to a read. `unread` names the elements that are missing from `value`, because the client could not read them. */
export type AnsweredOutcome<Value> = { kind: 'answer'; value: Value; unread?: readonly Unread[] }

/**
 * The outcome of a read: an answer, a refusal, not sent, or unanswered. The client reports the first three only with proof.
 */
export type ReadOutcome<Value> = AnsweredOutcome<Value> | RefusedOutcome | NotSent | Unanswered
/** The outcome of a write: accepted, refused, not sent, or unknown: then the venue may or may not have acted. */
export type WriteOutcome<Value> =
  | { kind: 'accepted'; value: Value }
  | RefusedOutcome
  | NotSent
  | UnknownOutcome

/** The outcome of a bulk, with one outcome for each order. If the bulk failed as a whole, all orders have this outcome. */
export type BulkOutcome = ({ kind: 'answered' } | RefusedOutcome | NotSent | UnknownOutcome) & {
  orders: OrderOutcome[]
}

/** The outcome of one order of a bulk, in the order of the request. */
export type OrderOutcome =
  | { kind: 'accepted'; order: PlacedOrder }
  | OrderRefused
  /** A bulk with stopOnFail ended before this order: it may be sent again under the same id. */
  | { kind: 'not-attempted' }
  | NotSent
  | UnknownOutcome

export type PlacedOrder = NonNullable<ReadOf<Contract['collateralBulk']>[number]['result']>

/** The venue refused the call before it acted; `message` has its words. */
export type RefusedOutcome = {
  kind: 'refused'
  status: number
  /** Error code of the venue; null at public endpoints, whose errors have none. */
  code: number | null
  message: string
  errors: Problems
  /** `nonce`: the nonce did not rise, or was too far from the time of the venue. `rate`: too many calls. */
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

/** No byte of the call was sent, so it can be repeated; `cause` and `reason` say why. */
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
/** The outcome of a write is unknown: the venue may or may not have acted. Never repeat it without a look at the account. */
export type UnknownOutcome = { kind: 'unknown'; reason: string } & Paused

/** The outcome of an endpoint, by its name. */
export type OutcomeOf<Name extends EndpointName> = Name extends 'collateralBulk'
  ? BulkOutcome
  : Contract[Name]['effect'] extends 'read'
    ? ReadOutcome<ReadOf<Contract[Name]>>
    : WriteOutcome<ReadOf<Contract[Name]>>

export type AnyOutcome = ReadOutcome<unknown> | WriteOutcome<unknown> | BulkOutcome

export function notSent(cause: NotSentCause, reason: string, problems: Problems = {}): NotSent {
  return { kind: 'not-sent', cause, reason, problems }
}
