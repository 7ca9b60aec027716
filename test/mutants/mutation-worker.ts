import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { createVitest } from 'vitest/node'
import { allMutations, suitesOf, type Placed } from './scope.ts'

/**
 * Runs the tests against one mutation after the other, and prints a line for each. The names of the mutations come from the
 * standard input. It runs in a process of its own, which ends with a mutation that never comes to its end.
 */
const wanted = new Set((await text(process.stdin)).split('\n'))
const mutations = allMutations().filter(({ id }) => wanted.has(id))
let current: Placed | undefined

const vitest = await createVitest(
  {
    config: 'config/tools/vitest.config.ts',
    watch: false,
    maxWorkers: 1,
    bail: 1,
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

/** The list of suites that has noticed the mutation, counted from 1; 0 for none of them. */
async function noticedBy(scope: string): Promise<number> {
  for (const [index, files] of suitesOf(scope).entries()) {
    const specifications = await vitest.globTestSpecifications(files.map((file) => resolve(file)))
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
    if (testModules.length < files.length)
      throw new Error(`${files.length - testModules.length} files did not run`)
    if (unhandledErrors.length > 0 || testModules.some((module) => !module.ok())) return index + 1
  }
  return 0
}

for (const scope of new Set(mutations.map(({ scope }) => scope)))
  if ((await noticedBy(scope)) > 0) throw new Error(`the tests of ${scope} fail without a mutation`)
/** Whether the tests of its scope notice this change. */
async function noticing(mutation: Placed): Promise<number> {
  current = mutation
  vitest.invalidateFile(resolve(mutation.path))
  const noticed = await noticedBy(mutation.scope)
  current = undefined
  vitest.invalidateFile(resolve(mutation.path))
  return noticed
}

// Without this, a change that never reaches the tests would count as one that survives.
const [first] = mutations
if (first && (await noticing({ ...first, start: 0, to: "throw new Error('changed')\n" })) === 0)
  throw new Error(`the tests of ${first.scope} run without the changes`)
for (const mutation of mutations) {
  const began = performance.now()
  const noticed = await noticing(mutation)
  const ms = Math.round(performance.now() - began)
  process.stdout.write(`${JSON.stringify({ id: mutation.id, noticed, ms })}\n`)
}
await vitest.close()
process.exit()
