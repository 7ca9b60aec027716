import { setTimeout } from 'node:timers/promises'

/**
 * Waits in real time. Only for real processes and connections: until the moment of a kill, or as long as an outage lasts. A test
 * that waits for a result polls for it. A test that expects nothing uses a clock that it turns.
 */
export function realTime(ms: number): Promise<void> {
  return setTimeout(ms)
}
