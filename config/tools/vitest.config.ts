import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    // Files share processes: the tests share no globals, and a clean start per file costs twenty times more.
    isolate: false,
    // Also the last core: half of the time is spent waiting for processes that the tests have started.
    maxWorkers: '100%',
    // For what would never end: no test may depend on how fast a machine is.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // A poll ends with its condition, and else with its test.
    expect: { poll: { timeout: 890_000, interval: 20 } },
    reporters: ['default'],
  },
})
