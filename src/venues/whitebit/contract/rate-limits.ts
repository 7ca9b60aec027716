import type { RateLimit } from './rolling-window.ts'

/** Spec §8 for the first two; the others are assumptions.rateLimits. */
export const publicLimit: RateLimit = { calls: 2000, perMs: 10_000 }
export const flexListLimit: RateLimit = { calls: 1000, perMs: 10_000 }
export const accountLimit: RateLimit = { calls: 1000, perMs: 10_000 }
export const orderLimit: RateLimit = { calls: 10_000, perMs: 10_000 }
export const tradeReadLimit: RateLimit = { calls: 12_000, perMs: 10_000 }
/** Beyond spec.md, as the public documents of the family have them. */
export const transactionLimit: RateLimit = { calls: 200, perMs: 10_000 }
export const tokenLimit: RateLimit = { calls: 10, perMs: 60_000 }
export const applyLimit: RateLimit = { calls: 60, perMs: 1000 }
export const orderbookLimit: RateLimit = { calls: 600, perMs: 10_000 }
export const olderPublicLimit: RateLimit = { calls: 1000, perMs: 10_000 }
/** Per origin, before anyone is authenticated: a stranger cannot use up an owner's allowance, only this one. */
export const strangerLimit: RateLimit = { calls: 10_000, perMs: 10_000 }
