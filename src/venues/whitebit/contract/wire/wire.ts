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
