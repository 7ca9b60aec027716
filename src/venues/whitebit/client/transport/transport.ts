import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'

/** A request on its way out; who calls is for the other side to find out. */
export type OutgoingRequest = Omit<WireRequest, 'origin'>

/** What became of a request. Recorders and players of tapes are transports around, or instead of, another. */
export type Delivery =
  | { kind: 'answered'; response: WireResponse }
  /** Proven: no byte of the request was handed to a connection. */
  | { kind: 'not-sent'; reason: string }
  /** It left, or may have left, and no whole answer came back. */
  | { kind: 'unanswered'; reason: string }

export type Transport = {
  /** Sends once, never again by itself, and settles within `withinMs`. It does not reject. */
  send(request: OutgoingRequest, withinMs: number): Promise<Delivery>
  close(): Promise<void>
}
