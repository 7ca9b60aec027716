import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { createVitest } from 'vitest/node'
import { allMutations, suitesOf, type PlacedMutation } from './scope.ts'

/**
 * Runs the tests against one mutation after the other, and prints a line for each. The names of the mutations come from the
 * standard input. It runs in a process of its own, which ends with a mutation that never comes to its end.
 */
const wanted = new Set((await text(process.stdin)).split('\n'))
const mutations = allMutations().filter(({ id }) => wanted.has(id))
let current: PlacedMutation | undefined

const vitest = await createVitest(
  {
    config: 'config/tools/vitest.config.ts',
    watch: false,
    maxWorkers: 1,
    bail: 1,
    // What a mutation prevents never comes: long enough for a busy machine, and short for a run of hundreds of mutations.
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // A sign of life per test: only a test without end is ended from outside.
    reporters: [{ onTestCaseResult: () => void process.stdout.write('\n') }],
    // Files pass the plugin each time.
    fsModuleCache: false,
    experimental: { viteModuleRunner: true },
  },
  {
    plugins: [
      {
        name: 'mutation',
        enforce: 'pre',
        transform: (code, path) =>
          current && path === resolve(current.path)
            ? code.slice(0, current.start) + current.to + code.slice(current.end)
            : undefined,
      },
    ],
  },
)

const checked = new Set<string>()

/** The list of suites that has noticed the mutation, counted from 1; 0 for none of them. */
async function noticedBy(mutation: PlacedMutation): Promise<number> {
  for (const [index, files] of suitesOf(mutation.scope).entries()) {
    if (!checked.has(files.join()) && (await isFailing(files)))
      throw new Error(`the tests of ${mutation.scope} fail without a mutation: ${files.join(' ')}`)
    checked.add(files.join())
    if (await isFailing(files, mutation)) return index + 1
  }
  return 0
}

/** Runs these tests with the mutation, or without one. A line says which: a test without end is ended from outside. */
async function isFailing(files: readonly string[], mutation?: PlacedMutation): Promise<boolean> {
  process.stdout.write(`${JSON.stringify({ id: mutation?.id ?? '' })}\n`)
  current = mutation
  if (mutation) vitest.invalidateFile(resolve(mutation.path))
  const specifications = await vitest.globTestSpecifications(files.map((file) => resolve(file)))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  current = undefined
  if (mutation) vitest.invalidateFile(resolve(mutation.path))
  if (testModules.length < files.length)
    throw new Error(`${files.length - testModules.length} files did not run`)
  return unhandledErrors.length > 0 || testModules.some((module) => !module.ok())
}

let path: string | undefined
for (const mutation of mutations) {
  // Without this, a change of a file that never reaches the tests would count as one that survives.
  const isNewFile = mutation.path !== path
  if (
    isNewFile &&
    (await noticedBy({ ...mutation, id: '', start: 0, to: "throw new Error('changed')\n" })) === 0
  )
    throw new Error(`the tests of ${mutation.scope} run without the changes of ${mutation.path}`)
  path = mutation.path
  const began = performance.now()
  const noticed = await noticedBy(mutation)
  const ms = Math.round(performance.now() - began)
  process.stdout.write(`${JSON.stringify({ id: mutation.id, noticed, ms })}\n`)
}
await vitest.close()
process.exit()
