import { isDeepStrictEqual } from 'node:util'
import { withoutBearers } from './bearers.ts'
import type { TapeCall } from './tape.ts'

/** A request as a tape has it. */
export type Request = Pick<TapeCall, 'method' | 'path' | 'query' | 'body'>
/** What stands in one place on the tape and in what was made; undefined where it is not there. */
export type Change = { field: string; recorded: unknown; made: unknown }

/** The first place where a run came out otherwise than the one on its tape. */
export type Divergence = {
  /** Unix milliseconds of the clock of the run. */
  at: number
  /** Which request of the run it is, counted from 1; null for a frame of a stream. */
  request: number | null
  kind: 'changed' | 'additional' | 'missing' | 'stream'
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

/** How near a request is looked for, in requests. */
const nearMax = 200

/** Of the recorded requests that lie ahead the one that the made one was most likely to be. */
export function nearest<Some extends Request>(made: Request, ahead: readonly Some[]): Some | undefined {
  let best: { request: Some; changes: number } | undefined
  for (const request of ahead.slice(0, nearMax)) {
    if (request.path !== made.path || request.method !== made.method) continue
    const changes = changesBetween(request, made).length
    if (best === undefined || changes < best.changes) best = { request, changes }
  }
  return best?.request
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
    changes.push({ field, recorded, made })
    return
  }
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    compare(field === '' ? name : `${field}.${name}`, one.get(name), other.get(name), changes)
  }
}

/** By name; orders by the id that we gave them, so that one more or less does not shift all others. */
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
