import { expect, test } from 'vitest'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'
import { seed, times } from '#test/properties/runs.ts'
import { simulateFleet } from './simulated/simulate-fleet.ts'

const base = readYaml('config/exchange.yaml', worldSchema)
/** Strategies that have orders in the market all the time. */
const strategies = simulatedStrategies().filter(({ path }) => /^busy|with all ladders$/.test(path))
/** Strict nonces, nonces of a window, ids that can be used again, and orders that are executed or listed late. */
const worlds = [
  'usual',
  'nonce-window',
  'ids-reusable',
  'slow-execution',
  'window-ids-reusable',
  'late-history',
] as const
const takeOvers = times(20, 200, 6)

/** The run of a seed. */
function simulated(number: number) {
  const [file, world] = [strategies[number % strategies.length], worlds[number % worlds.length]]
  if (file === undefined || world === undefined) throw new RangeError('there is no strategy')
  return simulateFleet({ seed: number, world, file, base })
}

test(`${takeOvers} simulated take-overs: no process sends without the lease, and no order is doubled or unknown`, async () => {
  const broken: string[] = []
  const total = { takeOvers: 0, left: 0, arrived: 0, executed: 0, orders: 0 }
  const first = await simulated(seed)
  let found = first
  for (let number = seed; ; found = await simulated((number += 1))) {
    // With this variable, the test repeats the seed first.
    broken.push(...found.violations.map((each) => `RUNGS_SEED=${number}: ${each}`))
    total.takeOvers += found.takeOvers
    total.left += found.late.left
    total.arrived += found.late.arrived
    total.executed += found.late.executed
    total.orders += found.orders
    if (total.takeOvers >= takeOvers) break
  }
  process.stdout.write(`simulated take-overs, and late requests: ${JSON.stringify(total)}\n`)
  expect(broken).toEqual([])
  expect(total.orders).toBeGreaterThan(takeOvers)
  // A seed repeats its run.
  expect(await simulated(seed)).toEqual(first)
})
