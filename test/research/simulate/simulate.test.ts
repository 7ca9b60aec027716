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

/** How long faults may happen: half a minute in `npm test`. */
const faultyMs = times(180_000, 180_000, 30_000)

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

test('whatever fails while the operator closes all positions, nothing stays open', async () => {
  const broken: string[] = []
  let [held, lives] = [0, 0]
  for (let n = 0; n < times(12, 200, 3); n++) {
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

// Regressions.
for (const [number, world, name, defect] of [
  [
    1,
    'nonce-window',
    '03-trailing-volatility-grid.yaml',
    'no call left after a clock that was an hour ahead, with nonces of a window',
  ],
  [64, 'window-ids-reusable', '08-hedged-ladders.yaml', 'the same, where client order ids can be used again'],
  [
    42,
    'nonce-window',
    '01-static-grid.yaml with all ladders',
    'after a slow answer about the time, a step of the clock was not seen, and each call was refused',
  ],
  [
    100385,
    'window-ids-reusable',
    '03-trailing-volatility-grid.yaml with all ladders',
    'a process that was frozen at its start took the time of the venue from an old answer, and ended',
  ],
  [
    100655,
    'nonce-window',
    '05-market-making.yaml with all ladders',
    'entries left the queue of the client long after their prices were stale',
  ],
  [69, 'window-ids-reusable', '05-market-making.yaml', 'a silent stream confirmed its last price'],
  [100037, 'usual', 'busy within limits', 'a leap of the venue time after a restart broke submit.rate'],
  [
    1000219,
    'rates-html',
    'busy within limits',
    'a request that waited in the queue of the client longer than the period broke submit.rate',
  ],
  [
    1002426,
    'late-history',
    '02-geometric-dip-ladder.yaml',
    'a clock an hour behind the venue let no nonce pass those of another program, and the start ended',
  ],
  [
    20262081,
    'slow-execution',
    '01-static-grid.yaml with all ladders',
    'requests to cancel without an answer were repeated so fast that the account was never read again',
  ],
  [1003517, 'ids-reusable', '06-mean-reversion.yaml', 'the same, before the venue had told its time'],
  [
    1004239,
    'freeze-hidden',
    '06-mean-reversion.yaml',
    'nonces of a clock that was an hour ahead did not pass those of another program',
  ],
  [
    100159,
    'stop-absent',
    '04-dca-take-profit.yaml with all ladders',
    'an answer that had lost its end was taken for the refusal of an order',
  ],
  [
    1001130,
    'status-422',
    'busy with stopOnFail',
    'a guess of the time that was 70 s ahead made own orders look like older ones, and their fills were lost',
  ],
  [
    1001625,
    'stop-full',
    'busy within limits',
    'the same after a step of the clock, and the orders stayed doubtful',
  ],
  [20262148, 'rates-html', '08-hedged-ladders.yaml', 'the same, with an order that stayed doubtful'],
  [
    1005054,
    'stop-full',
    '05-market-making.yaml',
    'orders were sent before the bot had the time of the venue, which its description had told, and stayed doubtful',
  ],
] as const) {
  test(`seed ${number}: ${defect}`, async () => {
    const file = strategies.find(({ path }) => path === name)
    if (file === undefined) throw new Error(`there is no strategy ${name}`)
    expect((await simulated({ seed: number, world, file })).violations).toEqual([])
  })
}

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
