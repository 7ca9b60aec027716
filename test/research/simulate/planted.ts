import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { simulate } from '#src/research/simulate/run-simulation.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'

const seedsMost = 12
const base = readYaml('config/exchange.yaml', worldSchema)
const [file] = simulatedStrategies()
if (file === undefined) throw new RangeError('there is no strategy')

/** Runs seeds until one breaks an invariant, and prints it. */
for (let seed = 1; seed <= seedsMost; seed++) {
  const { violations } = await simulate({ seed, world: 'usual', file, base })
  if (violations.length === 0) continue
  process.stdout.write(`${violations.map((violation) => `seed ${seed}: ${violation}`).join('\n')}\n`)
  break
}
