/** What crosses the wire, as both sides and every transport between them see it. */
export type WireRequest = {
  method: string
  /** Path without the query. */
  path: string
  /** Text behind the question mark, empty if there is none. */
  query: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  body: Uint8Array
  /** Who calls, as far as the network knows; limits before authentication count by it. */
  origin: string
}

export type WireResponse = {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

/** A call of a key within one process: it is not written as text, and no other program can send it, so it has no signature. */
export type DirectCall = {
  path: string
  key: string
  nonce: string
  /** Whether the nonce may be any new one near the present time. */
  nonceWindow: boolean
  /** They fit the schema of the row. */
  parameters: Record<string, unknown>
}

/** The answer to a direct call, in the names of the specification. */
export type DirectAnswer = { value: unknown }
