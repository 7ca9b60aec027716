import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { engineVersion } from '#src/engine/engine-version.ts'
import type { Explanation } from '#src/engine/explain/explanation.ts'
import { Engine } from '#src/engine/engine.ts'
import type { State } from '#src/engine/state/state.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { explanationNow } from '#test/engine/support/explanation-replay.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'

const files = readdirSync('strategies')
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => `strategies/${name}`)

/** The names and ladders of the strategies of the package. */
const ladders = files.flatMap((path) => {
  const read = readStrategy(readFileSync(path))
  if (!('strategy' in read)) throw new Error(`${path} is not right`)
  return Object.keys(read.strategy.ladder).map((ladder) => [read.strategy.name, ladder] as const)
})

/** Missing without a fill, however long the past is. */
const isOfPosition = (text: string) => text.includes('the average entry without a position')

/** What was not known when this was decided. */
function unknownTo({ rules: all, lets, rungs }: Explanation): string[] {
  const rules = all.filter((rule) => !rule.leaves.some(({ value }) => isOfPosition(value)))
  const leaves = rules.flatMap((rule) => rule.leaves).map(({ text, value }) => `${text}: ${value}`)
  return [
    ...rules.filter(({ truth }) => truth === 'unknown').map(({ id }) => `rule ${id}`),
    ...leaves.filter((text) => text.includes('unknown')),
    ...lets.filter(({ text }) => text.includes('unknown') && !isOfPosition(text)).map(({ name }) => name),
    ...rungs.filter(({ price }) => price === '').map(({ level }) => `price of rung ${level}`),
  ]
}

/** What would be decided at the end; only what is news is told. */
function decidedNow(state: State, strategy: string, ladder: string): Explanation {
  const decision = explanationNow(state, strategy, ladder)
  if (!decision) throw new Error(`${strategy} has no ladder ${ladder}`)
  return decision
}

test('the exchange of a run has a past that is long enough for all that the strategies of the package look at', async () => {
  using folder = temporaryFolder()
  await using bot = startBot([...files, '--state-dir', folder.path])
  await bot.said(isType('dashboard-ready'))
  // Nothing else sends the signal that one of them reads.
  expect((await rungsHere(['signal', 'trend', 'long', '--state-dir', folder.path])).code).toBe(0)
  using journal = new DatabaseSync(join(folder.path, 'journal.sqlite'), { readOnly: true })
  const asked = journal.prepare('SELECT body FROM decisions WHERE strategy = ? AND ladder = ? ORDER BY seq')
  expect(ladders.length).toBeGreaterThan(files.length)
  const ready = new Set<string>()
  /** What the ladders do not know that never knew all at once: a pause of the machine makes feeds unknown for a moment. */
  const missing = (): string[] => {
    using history = new SqliteHistory(folder.path)
    const { state } = history.machine(engineVersion, (kept) => new Engine(kept))
    return ladders.flatMap(([strategy, ladder]) => {
      const name = `${strategy}.${ladder}`
      if (ready.has(name)) return []
      const told = asked.all(strategy, ladder).map(({ body }): Explanation => JSON.parse(String(body)))
      const last = decidedNow(state, strategy, ladder)
      if (![...told, last].some((decision) => unknownTo(decision).length === 0))
        return [`${name} does not know ${unknownTo(last).join(', ')}`]
      ready.add(name)
      return []
    })
  }
  await expect.poll(missing, { interval: 500 }).toEqual([])
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
})
