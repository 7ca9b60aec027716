import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engineVersion } from '#src/engine/engine-version.ts'
import { Engine } from '#src/engine/engine.ts'
import { openJournal } from '#src/journal/journal.ts'
import { type Desk, trailingBuys } from '../engine/desk.ts'
import { rungsHere } from './here.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-why-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What the strategy paid, which has bought once, follows what it gains, and may lose six percent. */
let entry: string | null = null

beforeAll(() => {
  const desk = trailingBuys()
  desk.at += 100
  write(desk, 'nothing')
  desk.settle(desk.quote('BTC_PERP', Number(desk.order('tvol.trail.1.1').price), 0.02))
  desk.fill('tvol.trail.1.1')
  entry = desk.ladder('tvol', 'trail').held.entry
  write(desk, 'held')
  desk.at += 100
  desk.quote('BTC_PERP', Math.floor(Number(entry) * 94) / 100, 0.02)
  write(desk, 'left')
})

/** What the desk went through, as the journal of a bot has it. */
function write({ steps }: Desk, name: string): void {
  const journal = openJournal(join(folder, name), {
    account: 'paper',
    engine: engineVersion,
    begin: (state) => new Engine(state),
  })
  for (const { event } of steps) journal.append(event, journal.machine.step(event))
  journal.close()
}

const why = (state: string, what: string) => rungsHere(['why', what, '--state-dir', join(folder, state)])

test('an exit that has not been sent says where it stands, and what it waits for', async () => {
  const { code, stdout } = await why('held', 'tvol.trail.st')
  const stop = (Math.floor(Number(entry) * 94) / 100).toFixed(2)
  expect({ code, lines: stdout.split('\n') }).toEqual({
    code: 0,
    lines: [
      'tvol.trail.st',
      `exit, stop: sell 0.00238 at ${stop}`,
      expect.stringMatching(
        `^  because the stop is at ${stop}, 6.00 % below the average entry; 0.00238 is held at ${entry} on average; bid \\d+`,
      ),
      '',
    ],
  })
})

test('where nothing is held, nothing can leave; and what is no exit of the ladder is none', async () => {
  const { code, stdout } = await why('nothing', 'tvol.trail.tr')
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'tvol.trail.tr\nexit, trail\n  because nothing is held, so that there is nothing to leave\n',
  })
  expect(await why('nothing', 'tvol.trail.ag')).toMatchObject({ code: 64 })
})

test('an exit that was sent says why, by its label and by its order, and not which rules let entries in', async () => {
  for (const what of ['tvol.trail.st', 'tvol.trail.st.1']) {
    const { code, stdout } = await why('left', what)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^tvol\.trail\.st\.1$/m)
    expect(stdout).toMatch(/because the stop is at .+, 6\.00 % below .+; bid \d+/)
    expect(stdout).toMatch(/^sent at .+\n.+\n  priority exits, stopOnFail false$/m)
    expect(stdout).not.toContain('rule')
  }
})

test.each([
  '__proto__.x.y',
  'constructor.x.y',
  'tvol.__proto__.y',
  'tvol.trail.__proto__',
  '__proto__.x.y.1',
])('rungs why %s asks for nothing that the journal knows, and says so', async (what) => {
  const { code, stderr } = await rungsHere(['why', what, '--state-dir', join(folder, 'held')])
  expect({ code, stderr }).toEqual({
    code: 64,
    stderr: expect.stringMatching(/the journal knows nothing of|has no rung __proto__/),
  })
})
