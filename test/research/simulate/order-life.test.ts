import { expect, test } from 'vitest'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { callFaults, type FaultKind } from '#src/research/simulate/faults.ts'
import { simulate } from '#src/research/simulate/run-simulation.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import { times } from '#test/properties/runs.ts'

const base = readYaml('config/exchange.yaml', worldSchema)
const [busy] = simulatedStrategies()
if (busy === undefined) throw new RangeError('there is no strategy')
// The busy grid with three buys in one bulk.
const { text: busyText } = busy.sourceOf({ line: 1, column: 1, message: '', hint: '' })
const text = busyText
  .replace('levels: 10', 'levels: 3')
  .replace('side: both', 'side: buy')
  .replace('total: 2000', 'total: 600')
const read = readStrategyText(text)
if (Array.isArray(read)) throw new Error(read[0]?.message)
const file = { ...busy, path: 'three', read }
const run = (world: 'usual' | 'ids-reusable', only: readonly (readonly [string, FaultKind])[]) =>
  simulate({ seed: 1, world, file, base, faultyMs: 12_000, only: new Map(only) })
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
const faults = Object.keys(callFaults) as (keyof typeof callFaults)[]
const operationsAfter = 30
/** The first request with orders. */
const bulk = 'order/collateral/bulk:1'

// All pairs of a fault and a crash, in addition to the tests of each alone.
for (const world of ['usual', 'ids-reusable'] as const) {
  test(`${world}: each fault of a bulk with three orders, and a kill at each of the next operations`, async () => {
    const broken: string[] = []
    const pairs = faults.flatMap((fault) =>
      Array.from({ length: operationsAfter }, (_, n) => ({ fault, n: n + 1 })),
    )
    const every = Math.max(1, Math.ceil(pairs.length / times(20, pairs.length, 4)))
    const chosen = Map.groupBy(
      pairs.filter((_, index) => index % every === 0),
      ({ fault }) => fault,
    )
    for (const [fault, kills] of chosen) {
      const { operations } = await run(world, [[bulk, fault]])
      const sent = operations.indexOf(`send ${bulk}`)
      expect(sent).toBeGreaterThan(0)
      for (const { n } of kills) {
        const operation = operations[sent + n] ?? ''
        const { violations, fired } = await run(world, [
          [bulk, fault],
          [operation, 'killed before'],
        ])
        expect(fired.map(({ site }) => site)).toEqual([bulk, operation])
        broken.push(...violations.map((each) => `${fault}, killed ${n} operations later: ${each}`))
      }
    }
    expect(broken).toEqual([])
  })
}
