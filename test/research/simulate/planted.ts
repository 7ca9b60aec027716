import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { faultListText } from '#src/research/simulate/faults.ts'
import { simulate } from '#src/research/simulate/run-simulation.ts'
import { shrinkFaults } from '#src/research/simulate/shrink-faults.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'

// A defect of `rungs flatten` shows where no other exit closes the position: with the strategies of the package.
const flattens = process.argv.includes('flatten')
const seedsMost = flattens ? 57 : 12
const base = readYaml('config/exchange.yaml', worldSchema)
const strategies = simulatedStrategies()

/**
 * Runs seeds until one breaks an invariant, and prints it. The word `flatten`: an operator closes all positions. The word
 * `shrink`: prints also the shortest list of faults.
 */
for (let seed = 1; seed <= seedsMost; seed++) {
  const file = strategies[flattens ? seed % strategies.length : 0]
  if (file === undefined) throw new RangeError('there is no strategy')
  const input = { seed, world: 'usual', file, base, flattens } as const
  const result = await simulate(input)
  const { violations } = result
  if (violations.length === 0) continue
  process.stdout.write(`${violations.map((violation) => `seed ${seed}: ${violation}`).join('\n')}\n`)
  if (process.argv.includes('shrink'))
    process.stdout.write(`shrunk: ${faultListText(await shrinkFaults(input, result))}\n`)
  break
}
