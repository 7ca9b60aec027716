import { expect, test } from 'vitest'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { callFaults, type FaultKind } from '#src/research/simulate/faults.ts'
import { simulate } from '#src/research/simulate/run-simulation.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import { times } from '#test/properties/runs.ts'
import { distinctKills, leftByKills } from './distinct-kills.ts'

const base = readYaml('config/exchange.yaml', worldSchema)
const strategies = simulatedStrategies()
const [busy] = strategies
if (busy === undefined) throw new RangeError('there is no strategy')
// The busy grid with three buys in one bulk.
const { text: busyText } = busy.sourceOf({ line: 1, column: 1, message: '', hint: '' })
const text = busyText
  .replace('levels: 10', 'levels: 3')
  .replace('side: both', 'side: buy')
  .replace('total: 2000', 'total: 600')
const read = readStrategyText(text)
if (Array.isArray(read)) throw new Error(read[0]?.message)
const quotes = strategies.find(({ path }) => path === 'amended quotes')
if (quotes === undefined) throw new RangeError('no strategy amends')
/** The first request with orders, and the first one that replaces an order. */
const requests = [
  {
    what: 'a bulk with three orders',
    file: { ...busy, path: 'three', read },
    request: 'order/collateral/bulk:1',
  },
  { what: 'an amendment', file: quotes, request: 'order/modify:1' },
]
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
const faults = Object.keys(callFaults) as (keyof typeof callFaults)[]
const operationsAfter = 30
const isBulk = (request: string) => request.startsWith('order/collateral/bulk:')
/**
 * The most pairs that a test tries: all of them in the usual world. `npm run programs` reuses no ids here: the simulation and
 * other tests do.
 */
const pairsMost = { usual: Infinity, 'ids-reusable': 100 }
const worlds = (['usual', 'ids-reusable'] as const).slice(0, times(2, 2, 1))

// Pairs of a fault and a crash, in addition to the tests of each alone.
for (const { what, file, request } of requests) {
  test.each(worlds)(`%s: each fault of ${what}, and kills at the next operations`, async (world) => {
    const run = (only: readonly (readonly [string, FaultKind])[]) =>
      simulate({ seed: 1, world, file, base, faultyMs: 12_000, only: new Map(only) })
    const broken: string[] = []
    const possible = faults.filter((fault) => isBulk(request) || !('bulkOnly' in callFaults[fault]))
    const pairs = possible.flatMap((fault, place) =>
      Array.from({ length: operationsAfter }, (_, n) => ({ fault, n: n + 1, turn: place + n })),
    )
    const every = Math.max(
      1,
      Math.ceil(pairs.length / times(20, Math.min(pairs.length, pairsMost[world]), 1)),
    )
    const chosen = Map.groupBy(
      pairs.filter(({ turn }) => turn % every === 0),
      ({ fault }) => fault,
    )
    for (const [fault, kills] of chosen) {
      const { operations } = await run([[request, fault]])
      const sent = operations.findIndex(({ site }) => site === `send ${request}`)
      expect(sent).toBeGreaterThan(0)
      const left = leftByKills(operations)
      for (const { n } of distinctKills(kills, (kill) => left(sent + kill.n, 'killed before'))) {
        const operation = operations[sent + n]?.site ?? ''
        const { violations, fired } = await run([
          [request, fault],
          [operation, 'killed before'],
        ])
        expect(fired.map(({ site }) => site)).toEqual([request, operation])
        broken.push(...violations.map((each) => `${fault}, killed ${n} operations later: ${each}`))
      }
    }
    expect(broken).toEqual([])
  })
}
