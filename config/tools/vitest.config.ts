import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { FileOrder } from './file-order.ts'
import { mutated, wantedMutant } from '../../test/mutants/substitution.ts'

const mutant = wantedMutant()

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  // `npm run mutants` tests the program with a defect in it.
  plugins: mutant
    ? [
        {
          name: 'mutant',
          enforce: 'pre',
          // The cache of transformed files knows a file by its content.
          configureVitest: ({ experimental_defineCacheKeyGenerator: define }) => define(() => mutant.id),
          transform: (code, path) => (path.endsWith(mutant.file) ? mutated(mutant, code) : undefined),
        },
      ]
    : [],
  test: {
    include: ['test/**/*.test.ts'],
    // Searches what the tests leave in their folders for the secrets that they trade with.
    setupFiles: ['test/security/leak-watch.ts'],
    // Files share processes: the tests share no globals, and a clean start per file costs twenty times more.
    isolate: false,
    sequence: { sequencer: FileOrder },
    // Two more than there are cores: a fifth of the time is spent waiting for processes that the tests have started.
    maxWorkers: availableParallelism() + 2,
    // Node loads the files itself, which runs them a fifth faster; a mutant needs the plugin above.
    experimental: { viteModuleRunner: mutant !== undefined, nodeLoader: false },
    // The compiler's cache halves the start of such a process.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'rungs-compile-cache') },
    // For what would never end: no test may depend on how fast a machine is.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // A poll ends with its condition, and else with its test.
    expect: { poll: { timeout: 890_000, interval: 20 } },
    reporters: ['default'],
  },
})
