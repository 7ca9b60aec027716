import type {
  DirectAnswer,
  DirectCall,
  WireRequest,
  WireResponse,
} from '#src/venues/whitebit/contract/wire/wire.ts'

/** A request on its way out; who calls is for the other side to find out. */
export type OutgoingRequest = Omit<WireRequest, 'origin'>

/** What became of a request. Recorders and players of tapes are transports around, or instead of, another. */
export type Delivery =
  | { kind: 'answered'; response: WireResponse }
  /** Proven: no byte of the request was handed to a connection. */
  | { kind: 'not-sent'; reason: string }
  /** It left, or may have left, and no whole answer came back. */
  | { kind: 'unanswered'; reason: string }

/** The way of requests to a venue. Tests can replace it. */
export type Transport = {
  /** Sends a request once, and returns its answer or why there is none within `withinMs` milliseconds. It does not throw. */
  send(request: OutgoingRequest, withinMs: number): Promise<Delivery>
  /** Takes each call of the key before it is written and signed: only to a venue in the same process. */
  call?: (asked: DirectCall) => Promise<Delivery | DirectAnswer>
  close(): Promise<void>
}
