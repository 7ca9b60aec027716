import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    // One process for all files: the tests share no globals, and a clean start per file costs twenty times more.
    isolate: false,
    testTimeout: 30_000,
    reporters: ['default'],
  },
})
