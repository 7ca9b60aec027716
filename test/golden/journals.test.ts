import { refusalOf } from '#src/venues/whitebit/adapter/refusals.ts'
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { statusOfBot } from '#src/cli/operate/status.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import { Engine } from '#src/engine/engine.ts'
import type { State } from '#src/engine/state/state.ts'
import { openJournal } from '#src/journal/sqlite/journal.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { startBot } from '#test/runtime/support/bot-process.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { environment, temporaryFolder } from '#test/cli/support/process.ts'
import { patience } from '#test/support/patience.ts'
import { factsOf, type GoldenFacts } from './facts.ts'
import { unpackFolder } from './folder-file.ts'
import { recordedPath } from './recorded.ts'

type Recorded = { facts: GoldenFacts; status: { strategies: { name: string }[] } }

function recordedOf(name: string, folder: string): Recorded {
  unpackFolder(recordedPath(`journals/${name}.folder`), folder)
  return JSON.parse(readFileSync(recordedPath(`journals/${name}.json`), 'utf8'))
}

/** What a start knows at its first moment. */
function opened(folder: string): State {
  const journal = openJournal(folder, {
    account: accountIn(folder),
    engine: engineVersion,
    begin: engineFrom,
  })
  journal.close()
  return journal.machine.state
}

function engineFrom(state: State | null): Engine {
  return new Engine(state, { refusalOf })
}

function accountIn(folder: string): string {
  using db = new DatabaseSync(`${folder}/journal.sqlite`)
  return String(db.prepare('SELECT account FROM meta').get()?.['account'])
}

const traders = ['01-static-grid', '05-market-making', '08-hedged-ladders', 'tightly'].map((name) =>
  fileURLToPath(new URL(`strategies/${name}.yaml`, import.meta.url)),
)

test('a journal that was killed is read by another version of the package with the same engine', async () => {
  using folder = temporaryFolder()
  recordedOf('killed', folder.file('state'))
  const journal = openJournal(folder.file('state'), {
    account: accountIn(folder.file('state')),
    engine: engineVersion,
    begin: engineFrom,
  })
  const { machine } = journal
  const event = { kind: 'operator', act: 'stop', at: machine.state.at + 1, reason: 'an upgrade' } as const
  journal.append(event, machine.step(event))
  journal.commit()
  cpSync(folder.file('state'), folder.file('left'), { recursive: true })
  journal.close()
  for (const part of ['src', 'config']) cpSync(part, folder.file(part), { recursive: true })
  symlinkSync(resolve('node_modules'), folder.file('node_modules'))
  const { version: _, ...more } = JSON.parse(readFileSync('package.json', 'utf8'))
  writeFileSync(folder.file('package.json'), JSON.stringify({ ...more, version: '99.0.0' }))
  const run = promisify(execFile)
  const words = [folder.file('src/rungs.mjs'), 'status', '--json', '--state-dir', folder.file('left')]
  const told = await run(process.execPath, [folder.file('src/rungs.mjs'), '--version'])
  expect(told.stdout).toBe('99.0.0\n')
  const asked = run(process.execPath, words, { env: environment({}) })
  await expect(asked).rejects.toMatchObject({
    code: 69,
    stdout: expect.stringContaining('"stopped":"an upgrade"'),
  })
})

describe.each([
  ['closed in order', 'ordered'],
  ['killed with orders in flight', 'killed'],
])('a journal of 0.3.2 that was %s', (_, name) => {
  test('is opened, and every order, position and result is known', () => {
    using folder = temporaryFolder()
    const { facts } = recordedOf(name, folder.path)
    expect(factsOf(opened(folder.path))).toEqual(facts)
  })

  test('is read by status and why', async () => {
    using folder = temporaryFolder()
    const { facts, status } = recordedOf(name, folder.path)
    const asked = await rungsHere(['status', '--json', '--state-dir', folder.path])
    expect(asked.code).toBe(69)
    const { strategies } = JSON.parse(asked.stdout)
    expect(strategies).toMatchObject(status.strategies.map(heldBy))
    // 0.3.2 matched no pairs: what it made is named by itself, and what it held is open.
    for (const { result, gridProfit, floating, earlier } of strategies)
      expect(new Decimal(gridProfit).plus(earlier).plus(floating).toFixed()).toBe(result)
    for (const id of someOf(Object.keys(facts.orders))) {
      const why = await rungsHere(['why', id, '--json', '--state-dir', folder.path])
      expect({ code: why.code, stderr: why.stderr }, id).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(why.stdout)).toMatchObject({ order: id })
    }
  })

  // The journal with orders in flight asks for more, and each takes a bot with four strategies.
  test.runIf(isSlowRun || name === 'killed')(
    'is continued: the bot looks up orders in flight, and agrees with the venue',
    async () => {
      using folder = temporaryFolder()
      const { facts } = recordedOf(name, folder.path)
      const alive = Object.keys(facts.orders).filter((id) => !facts.orders[id]?.startsWith('ended'))
      await using bot = startBot([...traders, '--speed', '10', '--state-dir', folder.path])
      await vi.waitFor(async () => {
        const status = await statusOfBot(folder.path)
        expect(status?.process?.readAt).toBeTypeOf('number')
        const doubtful = status?.strategies.flatMap(({ orders }) => orders.doubtful)
        expect(doubtful?.filter((id) => alive.includes(id))).toEqual([])
      }, patience)
      bot.kill('SIGTERM')
      expect(await bot.ended, bot.stderr()).toEqual({ code: 0, signal: null })
      expect(bot.lines.at(-1)).toMatchObject({ type: 'summary', agrees: true })
      const recalled = bot.lines.filter(({ message }) => /engine 0\.3\.2 wrote/.test(String(message)))
      expect(recalled).toHaveLength(name === 'killed' ? 1 : 0)
      const { orders } = opened(folder.path)
      for (const id of alive) expect(['resting', 'ended', undefined], id).toContain(orders[id]?.status)
    },
  )
})

/** What status says of a strategy, without what depends on the moment at which it is asked. */
function heldBy({ name, ...rest }: Record<string, unknown>) {
  const { halted, pauses, result, fees, orders, holdings } = rest
  return { name, halted, pauses, result, fees, orders, holdings }
}

function someOf(ids: readonly string[]): string[] {
  return ids.filter((_, place) => place % Math.ceil(ids.length / 5) === 0)
}
