/** The exchange computes in milliseconds, its API in seconds, its earnings in days. */
export const dayMs = 86_400_000
export const hourMs = 3_600_000

export const seconds = (ms: number): number => Math.floor(ms / 1000)
