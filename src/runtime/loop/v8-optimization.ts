import { setFlagsFromString } from 'node:v8'

/** V8 waits for 3000 calls, and some prices lead to orders only a few times an hour. */
const callsUntilOptimized = 100

/**
 * Has the engine of JavaScript compile for speed what has run so often. A bot runs for weeks and goes the same way each
 * time, but too seldom for the usual threshold, which is made for programs that end or loop.
 */
export function optimizeSoon(): void {
  setFlagsFromString(`--invocation-count-for-turbofan=${callsUntilOptimized}`)
}
