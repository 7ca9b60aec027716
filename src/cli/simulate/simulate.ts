import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { usage } from '#src/cli/words/usage.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { readStrategies, type StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { faultList, faultListText, type FaultList } from '#src/research/simulate/faults.ts'
import { simulate as simulateSeed } from '#src/research/simulate/run-simulation.ts'
import type { SimulationResult } from '#src/research/simulate/simulation.ts'
import { shrinkFaults } from '#src/research/simulate/shrink-faults.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'
import { worldNames, type WorldName } from '#src/research/simulate/worlds.ts'
import { readWorld } from '#src/cli/files/packaged-world.ts'
import { printFaulty } from '#src/cli/words/problems-text.ts'
import { shellWord } from '#src/cli/words/text.ts'

export type SimulateFlags = {
  seed: number
  faults: number
  lives: number
  world: string
  strategy?: string[]
  only?: string
  flatten?: boolean
  json?: boolean
}

/** How often each fault has happened, by step; 0 if it could have happened and did not. */
type Cells = Map<string, Record<string, number>>
type Totals = { requests: number; faults: number; lives: number; violations: number }

/** `rungs simulate`: runs the bot and the exchange in virtual time, with faults from a seed. */
export async function simulate(flags: SimulateFlags): Promise<number> {
  const files = strategiesIn(flags.strategy)
  if (files === undefined) return exitCodes.data
  const worlds = worldsIn(flags.world)
  const only = onlyIn(flags.only)
  const base = readWorld()
  const flattens = flags.flatten === true
  const totals: Totals = { requests: 0, faults: 0, lives: 0, violations: 0 }
  const hash = createHash('sha256')
  const cells: Cells = new Map()
  let unfit = 0
  let seed = flags.seed
  let isInterrupted = false
  const interrupt = () => (isInterrupted = true)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  for (; ; seed++) {
    // Signals arrive between two seeds only.
    await setImmediate()
    if (isInterrupted) break
    const { file, world } = paired(files, worlds, seed)
    const result = await simulateSeed({ seed, world, file, base, flattens, ...(only && { only }) })
    if (result.unfit) unfit += 1
    hash.update(result.traceHash)
    count(totals, cells, result)
    print(flags, lineOf(result), () => `${seedText(result)}\n`)
    if (result.violations.length > 0) {
      const input = { seed, world, file, base, flattens }
      const repeat = commandFor(flags, result, await shrinkFaults(input, result))
      print(flags, { seed, repeat }, () => `  repeat: ${repeat}\n`)
    }
    if (only !== undefined || (totals.faults >= flags.faults && totals.lives >= flags.lives)) break
    if (unfit > 1000) throw usage('no strategy is valid in these worlds', 'Choose another world or strategy')
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt)
  print(flags, { cells: Object.fromEntries(cells) }, () => cellsText(cells))
  if (isInterrupted)
    print(
      flags,
      { continueFrom: seed },
      () => `interrupted: the same command with --seed ${seed} continues\n`,
    )
  const traceHash = hash.digest('hex')
  print(flags, { seed: flags.seed, ...totals, traceHash }, () => totalsText(flags, totals, traceHash))
  return totals.violations === 0 ? exitCodes.ok : exitCodes.findings
}

/** In as many consecutive seeds as there are pairs of a strategy and a world, each pair runs once. */
function paired(files: readonly StrategyFile[], worlds: readonly WorldName[], seed: number) {
  const file = files[seed % files.length]
  const world = worlds[Math.floor(seed / files.length) % worlds.length]
  if (file === undefined || world === undefined) throw new RangeError('there is no strategy')
  return { file, world }
}

function strategiesIn(paths: readonly string[] | undefined): readonly StrategyFile[] | undefined {
  if (paths === undefined) return simulatedStrategies()
  const { files, faulty } = readStrategies(paths, () => [])
  printFaulty(faulty)
  return faulty.length > 0 ? undefined : files
}

function worldsIn(name: string): readonly WorldName[] {
  if (name === 'all') return worldNames
  const world = worldNames.find((each) => each === name)
  if (world !== undefined) return [world]
  throw usage(
    `there is no world "${name.slice(0, 40)}"${suggestion(name, worldNames)}`,
    `Use all, or one of ${worldNames.join(', ')}`,
  )
}

function onlyIn(text: string | undefined): FaultList | undefined {
  if (text === undefined) return undefined
  const list = faultList(text)
  if (list !== undefined) return list
  throw usage(
    `--only "${text.slice(0, 60)}" is not a list of faults`,
    'Write places and faults as a failed simulation prints them, such as --only "orders:12=answer lost"',
  )
}

function count(totals: Totals, cells: Cells, result: SimulationResult): void {
  totals.requests += result.requests
  totals.faults += result.fired.length
  totals.lives += result.lives
  totals.violations += result.violations.length
  for (const [step, kinds] of result.steps) {
    const row = cells.get(step) ?? {}
    cells.set(step, row)
    for (const kind of kinds) row[kind] ??= 0
  }
  for (const { kind, step } of result.fired) {
    const row = cells.get(step)
    if (row !== undefined) row[kind] = (row[kind] ?? 0) + 1
  }
}

function lineOf({
  seed,
  world,
  strategy,
  requests,
  orders,
  lives,
  fired,
  violations,
  traceHash,
}: SimulationResult) {
  return { seed, world, strategy, requests, orders, faults: fired.length, lives, violations, traceHash }
}

function print({ json = false }: SimulateFlags, line: object, text: () => string): void {
  process.stdout.write(json ? `${JSON.stringify(line)}\n` : text())
}

function seedText(result: SimulationResult): string {
  const { seed, world, strategy, requests, orders, lives, fired, violations, unfit } = result
  if (unfit) return `seed ${seed}: ${strategy} is not valid in the world ${world}, skipped`
  const figures = `${requests} requests, ${orders} orders, ${fired.length} faults, ${lives} lives`
  const head = `seed ${seed}: ${world}, ${strategy}: ${figures}`
  return violations.length === 0
    ? head
    : [head, ...violations.map((each) => `  violation ${each}`)].join('\n')
}

function cellsText(cells: Cells): string {
  const lines = ['How often each fault has happened, by request or operation:']
  let never = 0
  for (const [step, row] of [...cells].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const happened = Object.entries(row).filter(([, times]) => times > 0)
    never += Object.keys(row).length - happened.length
    if (happened.length > 0)
      lines.push(`  ${step}: ${happened.map(([kind, times]) => `${kind} ${times}`).join(', ')}`)
  }
  return `${lines.join('\n')}\n${never} pairs of a fault and a request or operation have not happened\n`
}

function totalsText({ seed }: SimulateFlags, totals: Totals, traceHash: string): string {
  const { requests, faults, lives, violations } = totals
  return (
    `from seed ${seed}: ${requests} requests, ${faults} faults, ${lives} lives, ${violations} violations\n` +
    `trace hash ${traceHash}\n`
  )
}

/** One command that repeats the failure. */
function commandFor(
  { strategy, world, flatten = false }: SimulateFlags,
  { seed }: SimulationResult,
  list: FaultList,
): string {
  const paths = (strategy ?? []).flatMap((path) => ['--strategy', shellWord(path)])
  const words = [
    'rungs simulate',
    '--seed',
    String(seed),
    '--world',
    world,
    ...paths,
    ...(flatten ? ['--flatten'] : []),
  ]
  return [...words, '--only', shellWord(faultListText(list))].join(' ')
}
