/**
 * The mutation run: makes one small change after the other in the files of test/mutants/scope.ts, and counts those that the
 * tests notice.
 *
 *   npm run mutation                                   a twentieth of all mutations
 *   npm run mutation -- --share 1 --scope money,nonce  all mutations of two scopes
 *   npm run mutation -- --seed 7                       another sample
 *   npm run mutation -- --hangs 900                    on a busy machine: a test may take 900 s
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { equivalents } from './equivalents.ts'
import { runApart } from './run-apart.ts'
import { allMutations, isSampled, scopes, type PlacedMutation } from './scope.ts'

const scoreLeast = 90
const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '0.05' },
    seed: { type: 'string', default: '1' },
    scope: { type: 'string', default: Object.keys(scopes).join() },
    /** The tests have noticed a mutation after which a test takes longer than so many seconds. */
    hangs: { type: 'string', default: '120' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
})
const hangsMs = 1000 * Number(values.hangs)
const wanted = values.scope.split(',')
const inScope = allMutations().filter(({ scope }) => wanted.includes(scope))
const sample = inScope.filter((mutation) => isSampled(mutation, Number(values.share), values.seed))
const equivalent = new Map(sample.map((mutation) => [mutation.id, whyEquivalent(mutation)]))
const results = new Map<string, 'killed' | 'survived' | 'hangs'>()
const began = performance.now()
process.stdout.write(`${sample.length} of ${inScope.length} mutations, seed ${values.seed}\n`)

// One queue for each process: a process runs the tests that it needs once without a change.
const workerCount = Number(values.workers)
const queues = Array.from({ length: workerCount }, (_, worker) =>
  sample.filter((_mutation, index) => index % workerCount === worker),
)
await Promise.all(
  queues.map(async (queue) => {
    while (queue.length > 0) await workThrough(queue)
  }),
)

let score = 0
for (const scope of [...wanted, 'all']) {
  const own = sample.filter((mutation) => scope === 'all' || mutation.scope === scope)
  const other = own.filter(({ id }) => !equivalent.get(id))
  const [hangs, survived] = [countOf(other, 'hangs'), countOf(other, 'survived')]
  const killed = other.length - survived
  score = (100 * killed) / Math.max(1, other.length)
  const about = `${killed} noticed, ${hangs} of them by an endless loop, ${survived} survived`
  process.stdout.write(
    `${scope}: ${score.toFixed(1)} % (${about}, ${own.length - other.length} equivalent)\n`,
  )
}
process.stdout.write(`in ${((performance.now() - began) / 1000).toFixed(0)} s\n`)
process.exitCode = score >= scoreLeast ? 0 : 1

function countOf(mutations: readonly PlacedMutation[], result: 'survived' | 'hangs'): number {
  return mutations.filter(({ id }) => results.get(id) === result).length
}

/** One process for the mutations of a queue; it takes those from the queue that came to an end, and the one that did not. */
async function workThrough(queue: PlacedMutation[]): Promise<void> {
  let started: string | undefined
  const { output, isHanging } = await runApart(['test/mutants/mutation-worker.ts'], {
    hangsMs,
    input: queue.map(({ id }) => id).join('\n'),
    onLine: (line) => {
      if (!line.startsWith('{')) return
      const { id, noticed, ms }: { id: string; noticed?: number; ms?: number } = JSON.parse(line)
      started = id
      if (noticed === undefined || ms === undefined) return
      const mutation = queue.shift()
      if (mutation?.id !== id) throw new Error(`${id} was not the next mutation`)
      tell(mutation, noticed > 0 ? 'killed' : 'survived', ms)
    },
  })
  const first = queue[0]
  // A test that takes too long without a change says nothing about the next mutation.
  if (first && !(isHanging && first.id === started))
    throw new Error(`the process ${isHanging ? 'was too slow' : 'ended'} before ${first.id}:\n${output}`)
  const hanging = isHanging ? queue.shift() : undefined
  if (hanging) tell(hanging, 'hangs', hangsMs)
}

function tell(mutation: PlacedMutation, result: 'killed' | 'survived' | 'hangs', ms: number): void {
  const { id, before, after } = mutation
  results.set(id, result)
  const why = equivalent.get(id)
  if (result === 'killed' && why === undefined) return
  const word = why === undefined ? result.toUpperCase() : `equivalent, ${result} (${why})`
  process.stdout.write(`${word} ${id} in ${(ms / 1000).toFixed(1)} s\n  - ${before}\n  + ${after}\n`)
}

function whyEquivalent({ path, before, after }: PlacedMutation): string | undefined {
  return equivalents.find((one) => one.path === path && one.before === before && one.after === after)?.why
}
