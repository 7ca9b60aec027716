import type { NonceMemory, NonceTrace } from '#src/venues/whitebit/client/calls/nonces.ts'

/** What would be in the file of a key. */
export function kept(): NonceMemory & { saves: number; trace: NonceTrace | undefined } {
  return {
    saves: 0,
    trace: undefined,
    load() {
      return this.trace
    },
    save(trace) {
      this.trace = trace
      this.saves += 1
    },
  }
}
