import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
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
