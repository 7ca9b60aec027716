import { isDeepStrictEqual } from 'node:util'
import { withoutBearers } from '#src/research/recording/bearer-tokens.ts'
import type { TapeCall } from '#src/research/recording/tape.ts'

/** A request as stored on a tape. */
export type Request = Pick<TapeCall, 'method' | 'path' | 'query' | 'body'>
/** A field that differs; null where it is missing. */
export type Change = { field: string; recorded: unknown; made: unknown }

/** A difference between a replay and its tape. */
export type Divergence = {
  /** Time of the run. */
  at: number
  /** Number of the request, counted from 1; null for a frame of a stream. */
  request: number | null
  /** `early`: the tape has the same request later than the recorded one that is shown. */
  kind: 'changed' | 'additional' | 'early' | 'missing' | 'stream'
  recorded: Request | null
  made: Request | null
  changes: Change[]
}

export function isSame(recorded: Request, made: Request): boolean {
  return (
    recorded.path === made.path &&
    recorded.method === made.method &&
    recorded.query === made.query &&
    isSameJson(recorded.body, made.body)
  )
}

export function isSameJson(recorded: unknown, made: unknown): boolean {
  return isDeepStrictEqual(recorded, made) || isDeepStrictEqual(recorded, withoutBearers(made))
}

/** Requests that are searched for a similar one. */
const aheadMax = 200

/** The recorded request with the same path, preferably with a common order. */
export function mostSimilar<Some extends Request>(made: Request, ahead: readonly Some[]): Some | undefined {
  const ids = idsIn(made)
  const alike = ahead
    .slice(0, aheadMax)
    .filter(({ path, method }) => path === made.path && method === made.method)
  return alike.find((request) => idsIn(request).some((id) => ids.includes(id))) ?? alike[0]
}

function idsIn({ body }: Request): string[] {
  const orders: unknown = typeof body === 'object' && body !== null && 'orders' in body ? body.orders : []
  return Array.isArray(orders) ? orders.flatMap((order: unknown) => idOf(order) ?? []) : []
}

export function changesBetween(recorded: Request, made: Request): Change[] {
  const changes: Change[] = []
  compare('', parametersOf(recorded), parametersOf(made), changes)
  return changes
}

function parametersOf({ query, body }: Request): unknown {
  return query === '' ? body : Object.fromEntries(new URLSearchParams(query))
}

function compare(field: string, recorded: unknown, made: unknown, changes: Change[]): void {
  if (isSameJson(recorded, made)) return
  const [one, other] = [partsOf(recorded), partsOf(made)]
  if (one === undefined || other === undefined) {
    changes.push({ field, recorded: recorded ?? null, made: made ?? null })
    return
  }
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    compare(field === '' ? name : `${field}.${name}`, one.get(name), other.get(name), changes)
  }
}

/** Fields by name; orders by client order id, so that an additional one does not shift the others. */
function partsOf(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) {
    return new Map(value.map((each: unknown, index) => [idOf(each) ?? String(index), each]))
  }
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined
}

function idOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('client_order_id' in value)) return undefined
  return typeof value.client_order_id === 'string' ? value.client_order_id : undefined
}
