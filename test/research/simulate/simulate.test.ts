import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { faultList, faultListText, type FaultList } from '#src/research/simulate/faults.ts'
import { simulate } from '#src/research/simulate/run-simulation.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'
import { worldNames, type WorldName } from '#src/research/simulate/worlds.ts'
import { isSlowRun, seed, times } from '#test/properties/runs.ts'

const base = readYaml('config/exchange.yaml', worldSchema)
const strategies = simulatedStrategies()
const run = promisify(execFile)

const [busy] = strategies
function simulated(about: {
  seed: number
  world?: WorldName
  file?: typeof busy | undefined
  only?: FaultList
  faultyMs?: number
  flattens?: boolean
}) {
  const { world = 'usual', file = busy, ...others } = about
  if (file === undefined) throw new RangeError('there is no strategy')
  return simulate({ world, file, base, ...others })
}

/** How long faults may happen in the test of repetitions: twenty seconds in `npm run programs`. */
const faultyMs = times(180_000, 180_000, 20_000)

test('a seed or the list of its faults reproduces the run, and another seed gives another run', async () => {
  const [one, again, other] = [
    await simulated({ seed: 7, faultyMs }),
    await simulated({ seed: 7, faultyMs }),
    await simulated({ seed: 8, faultyMs }),
  ]
  expect(again.traceHash).toBe(one.traceHash)
  expect(again.fired).toEqual(one.fired)
  expect(other.traceHash).not.toBe(one.traceHash)
  expect(one.orders).toBeGreaterThan(30)
  expect(one.fired.length).toBeGreaterThan(10)
  const text = faultListText(new Map(one.fired.map(({ site, kind }) => [site, kind])))
  const listed = await simulated({ seed: 7, faultyMs, only: faultList(text) ?? new Map() })
  expect(listed.fired).toEqual(one.fired)
  expect(listed.traceHash).toBe(one.traceHash)
})

test('no seed breaks an invariant, with any strategy in any world', async () => {
  const broken: string[] = []
  const seeds = times(8, 1050, 1)
  let [faults, lives] = [0, 0]
  for (let n = 0; n < seeds; n++) {
    const file = strategies[n % strategies.length]
    const world = worldNames[Math.floor(n / strategies.length) % worldNames.length]
    const found = await simulated({ seed: seed + n, ...(world && { world }), file })
    broken.push(...found.violations.map((each) => `${seed + n} ${world} ${found.strategy}: ${each}`))
    faults += found.fired.length
    lives += found.lives
  }
  expect(broken).toEqual([])
  process.stdout.write(`${seeds} seeds of the simulation: ${faults} faults, ${lives} lives\n`)
  if (seeds < 1050) return
  expect(faults).toBeGreaterThanOrEqual(60_000)
  expect(lives).toBeGreaterThanOrEqual(8000)
})

test.each([
  ['resting stops', 'order/collateral/trigger-market'],
  ['amended quotes', 'order/modify'],
])('%s break no invariant either, in any world', async (path, call) => {
  const file = strategies.find((each) => each.path === path)
  const broken: string[] = []
  let atCall = 0
  for (let n = 0; n < times(8, 100, 1); n++) {
    const world = worldNames[n % worldNames.length] ?? 'usual'
    const found = await simulated({ seed: seed + n, world, file })
    broken.push(...found.violations.map((each) => `${seed + n} ${world}: ${each}`))
    atCall += found.steps.has(call) ? 1 : 0
  }
  expect(broken).toEqual([])
  expect(atCall).toBeGreaterThan(0)
})

test('whatever fails while the operator closes all positions, nothing stays open', async () => {
  const broken: string[] = []
  let [held, lives] = [0, 0]
  for (let n = 0; n < times(12, 100, 2); n++) {
    const file = strategies[n % strategies.length]
    const world = worldNames[Math.floor(n / strategies.length) % worldNames.length]
    const found = await simulated({ seed: seed + n, ...(world && { world }), file, flattens: true })
    broken.push(...found.violations.map((each) => `${seed + n} ${world} ${found.strategy}: ${each}`))
    if (found.held) held += 1
    lives += found.lives
  }
  expect(broken).toEqual([])
  process.stdout.write(`${held} runs held a position when it was closed, ${lives} lives\n`)
  expect(held).toBeGreaterThan(0)
})

// Each of these defects breaks its invariant, and few faults show it.
const entriesMost = 5
for (const [mutant, invariant] of [
  ['m01', 'I1'],
  ['m09', 'I2'],
  ['m11', 'I6'],
  ['m19', 'I14'],
  ['crash-ended', 'I4'],
  ['used-again', 'I20'],
  ['step-wait', 'I18'],
] as const) {
  // Each takes ten seconds and more. `npm run mutants` plants them, too.
  test.runIf(isSlowRun)(
    `a planted defect is found: ${mutant} breaks ${invariant} with at most ${entriesMost} faults`,
    async () => {
      const words = ['--import', './test/mutants/mutate.ts', 'test/research/simulate/planted.ts', 'shrink']
      const env = { ...process.env, RUNGS_MUTANT: mutant }
      const { stdout } = await run(process.execPath, words, { env })
      expect(stdout).toContain(`${invariant}:`)
      const [, list] = /^shrunk: (.*)$/m.exec(stdout) ?? []
      expect(faultList(list ?? '?')?.size, list).toBeLessThanOrEqual(entriesMost)
    },
  )
}
