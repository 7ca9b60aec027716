import type { Transport } from '#src/client/transport.ts'
import type { Clock } from '#src/time/clock.ts'

/** The way to the venue, as long as a request takes; nothing is lost on it. */
export function longWay(transport: Transport, clock: Pick<Clock, 'sleep'>, latencyMs: number): Transport {
  if (latencyMs === 0) return transport
  return {
    async send(request, withinMs) {
      await clock.sleep(latencyMs)
      return transport.send(request, withinMs)
    },
    close: () => transport.close(),
  }
}
