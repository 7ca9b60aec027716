import { setFlagsFromString } from 'node:v8'

/** V8's default is 3000 calls, and some prices lead to orders only a few times an hour. */
const callsUntilOptimized = 100

/** Makes V8 optimize functions earlier: the default threshold suits programs that end or loop, not a bot that runs for weeks. */
export function lowerJitThreshold(): void {
  setFlagsFromString(`--invocation-count-for-turbofan=${callsUntilOptimized}`)
}
