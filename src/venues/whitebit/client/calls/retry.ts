/** Reads are asked again within one budget, the deadline of the call; writes never are. */
export const readAttemptsMax = 6
/** So long may one attempt of a read take: the other address must still get its chance. */
export const readAttemptMsMax = 5000

const pauseMsFirst = 200
const pauseMsMax = 2000

/** Full jitter: anything up to a bound that doubles, so that many clients do not come back together. */
export function readPauseMs(attempt: number, random: () => number): number {
  return random() * Math.min(pauseMsMax, pauseMsFirst * 2 ** attempt)
}

const reconnectMsFirst = 500
const reconnectMsMax = 30_000

/** How long to wait before a stream is connected again: from half of a bound that doubles up to all of it. */
export function reconnectMs(attempt: number, random: () => number): number {
  return Math.min(reconnectMsMax, reconnectMsFirst * 2 ** Math.min(attempt, 10)) * (0.5 + random() / 2)
}

const throttleMsFirst = 1000
const throttleMsMax = 30_000
const retryAfterMsMin = 1000
const retryAfterMsMax = 600_000

/** How long a key rests after the venue said "too many": what it asked for, within reason, or ever longer. */
export function throttleMs(strikes: number, retryAfterMs: number | undefined, random: () => number): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMsMax, Math.max(retryAfterMsMin, retryAfterMs))
  return Math.min(throttleMsMax, throttleMsFirst * 2 ** Math.min(strikes, 10) * (1 + random() / 2))
}

/** Retry-After as milliseconds: seconds or a date (RFC 9110); anything else says nothing. */
export function retryAfterMsOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : date - now
}
