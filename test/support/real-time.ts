import { setTimeout } from 'node:timers/promises'

/**
 * Lets real time pass, for real processes and connections only: the moment at which one is killed, or an outage. A test that
 * waits for something polls for it, and a test that nothing happens has a clock of its own.
 */
export function realTime(ms: number): Promise<void> {
  return setTimeout(ms)
}
