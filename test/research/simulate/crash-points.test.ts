import { expect, test } from 'vitest'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { SeededRandom } from '#src/research/simulate/seeded-random.ts'
import type { FaultKind } from '#src/research/simulate/faults.ts'
import { simulate } from '#src/research/simulate/run-simulation.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'
import { isSlowRun, seed, times } from '#test/properties/runs.ts'
import { distinctKills, leftByKills } from './distinct-kills.ts'

const base = readYaml('config/exchange.yaml', worldSchema)
const during = 'killed during a commit'
const besides = ['killed before', 'killed after'] as const
const ways = [...besides, during] as const
// One strategy of each kind, with all its ladders: its own rules may wait for weeks.
const always = new Set(['busy', 'amended quotes'])
const files = simulatedStrategies().filter(
  ({ path }) => always.has(path) || (isSlowRun && path.endsWith('with all ladders')),
)

for (const file of files) {
  const run = (faults: readonly (readonly [site: string, FaultKind])[]) =>
    simulate({
      seed: 1,
      world: 'usual',
      file,
      base,
      faultyMs: 12_000,
      only: new Map(faults),
    })

  test(`${file.path}: the process can be killed at each operation, and the next one converges`, async () => {
    const { operations } = await run([])
    const left = leftByKills(operations)
    const kills = operations.flatMap(({ site }, n) => besides.map((way) => ({ n, site, way })))
    const points = [
      ...distinctKills(kills, ({ n, way }) => left(n, way)).map(({ site, way }) => [site, way] as const),
      ...operations.flatMap(({ site }) => (site.startsWith('commit:') ? [[site, during] as const] : [])),
    ]
    const broken: string[] = []
    for (const point of spread(points, times(12, points.length, 2))) {
      const { violations, lives } = await run([point])
      // A commit that has nothing to write does not interrupt the process.
      if (point[1] !== during && lives !== 2) broken.push(`${point.join('=')}: ${lives} processes`)
      broken.push(...violations.map((each) => `${point.join('=')}: ${each}`))
    }
    expect(broken).toEqual([])
  })

  test(`${file.path}: the next process can be killed too, during its recovery`, async () => {
    const { operations } = await run([])
    const broken: string[] = []
    for (let n = 0; n < times(4, 50, 1); n++) {
      const dice = new SeededRandom(seed + n)
      const at = dice.whole(0, operations.length - 1, 'first')
      const first = [operations[at]?.site ?? '', dice.pick(ways, 'way')] as const
      const { operations: later } = await run([first])
      const next = later[at + dice.whole(1, 60, 'second')]?.site ?? ''
      const second = [next, dice.pick(ways, 'way', 1)] as const
      const pair = [first, second]
      const { violations } = await run(pair)
      broken.push(...violations.map((each) => `${JSON.stringify(pair)}: ${each}`))
    }
    expect(broken).toEqual([])
  })
}

/** A sample at equal distances. */
function spread<One>(all: readonly One[], count: number): One[] {
  const every = Math.max(1, Math.ceil(all.length / count))
  return all.filter((_, n) => n % every === 0)
}
