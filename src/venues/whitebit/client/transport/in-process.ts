import type {
  DirectAnswer,
  DirectCall,
  WireRequest,
  WireResponse,
} from '#src/venues/whitebit/contract/wire/wire.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { Transport } from './transport.ts'

/** The venue as a function: the same bytes as over a socket, without one. */
export function inProcessTransport(
  handle: (request: WireRequest, now: number) => WireResponse,
  clock: Pick<Clock, 'now'>,
  origin = '127.0.0.1',
): Transport {
  return {
    send: async (request) => ({
      kind: 'answered',
      response: handle({ ...request, origin }, clock.now()),
    }),
    close: async () => {},
  }
}

/** The same for a venue that also takes calls of a key without text and signature. */
export function directTransport(
  venue: {
    handle: (request: WireRequest, now: number) => WireResponse
    handleDirect: (call: DirectCall, now: number) => WireResponse | DirectAnswer
  },
  clock: Pick<Clock, 'now'>,
): Required<Transport> {
  return {
    ...inProcessTransport((request, now) => venue.handle(request, now), clock),
    call: async (call) => {
      const answer = venue.handleDirect(call, clock.now())
      return 'value' in answer ? answer : { kind: 'answered', response: answer }
    },
  }
}
