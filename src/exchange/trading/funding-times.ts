import { hourMs } from '../moments.ts'

/** Funding is settled at these hours of the day, UTC, on every market of futures. */
export const fundingEveryMs = 8 * hourMs

/** The next settlement after `at`. */
export function nextFunding(at: number): number {
  return (Math.floor(at / fundingEveryMs) + 1) * fundingEveryMs
}
