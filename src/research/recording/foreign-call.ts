import { isUtf8 } from 'node:buffer'
import { methodOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { stemOf } from '#src/venues/whitebit/contract/wire/public-call.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { answerOnTape, requestOnTape } from './calls.ts'
import type { TapeEvent } from './tape.ts'

/** An event from another recorder's file, or why a part of the file is not usable. */
export type ForeignLine = TapeEvent | { unusable: string }

export type ForeignCall = {
  at: number
  tookMs: number
  method: string
  url: string
  sent: Buffer
  /** Undefined if the file has no complete answer. */
  answered: { status: number; body: Buffer } | undefined
}

const rows = Object.values(contract).map((row) => ({
  method: methodOf(row),
  stem: stemOf(row),
  whole: stemOf(row) === row.path,
}))

/** Reads a call of this API. Headers are ignored. */
export function lineOfCall({ at, tookMs, method, url, sent, answered }: ForeignCall): ForeignLine {
  const { pathname, search } = new URL(url)
  const isOurs = rows.some(
    (row) => row.method === method && (row.whole ? pathname === row.stem : pathname.startsWith(row.stem)),
  )
  if (!isOurs) return { unusable: 'is not a call of this API' }
  // Public calls have no body, whatever the recorder stored.
  const body = method === 'GET' ? Buffer.alloc(0) : sent
  const request = requestOnTape({ method, path: pathname, query: search.slice(1), headers: {}, body })
  // Private calls have at least the envelope.
  if (method === 'POST' && (typeof request.body !== 'object' || request.body === null)) {
    return { unusable: 'has no parameters in the file' }
  }
  if (answered === undefined) return { unusable: 'has no complete answer in the file' }
  if (!isUtf8(answered.body)) return { unusable: 'has an answer that is not text' }
  const got = answerOnTape(answered.status, answered.body.toString())
  return { kind: 'call', at, tookMs, ...request, got }
}
