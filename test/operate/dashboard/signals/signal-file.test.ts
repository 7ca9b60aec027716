import { execFileSync } from 'node:child_process'
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ManualClock } from '#src/core/time/clock.ts'
import { SignalFile } from '#src/operate/dashboard/signals/signal-file.ts'
import { SignalIntake, signalsPerSecond } from '#src/operate/dashboard/signals/signal-intake.ts'
import type { Signal } from '#src/strategy/signals/signal-values.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { fileOf } from '#test/engine/support/engine-harness.ts'
import { strategyIn } from '#test/strategy/strategy-files.ts'

const { strategy } = strategyIn(fileOf('signal-entry'))

/** What a file sets and logs. */
function followed(path: string) {
  const clock = new ManualClock(0)
  const file = new SignalFile(path)
  const set: string[] = []
  const said: unknown[] = []
  const say = (event: unknown) => void said.push(event)
  const signal = ({ name, value }: Signal) => void set.push(`${name} ${value}`)
  const intake = new SignalIntake({ clock, strategies: () => [strategy], bot: () => ({ signal }), say })
  return {
    set,
    said,
    async poll() {
      clock.turnTo({ now: clock.now() + 1000, monotonic: clock.monotonic() + 1000 })
      await file.poll(intake, say)
      return set.splice(0)
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }
}

test('only lines that come after the start are read, when they are complete', async () => {
  using folder = temporaryFolder()
  const path = folder.file('signals.csv')
  writeFileSync(path, 'time,name,value\n2026-01-01T00:00:00Z,trend,long\n')
  using at = followed(path)
  expect(await at.poll()).toEqual([])
  appendFileSync(path, '2026-01-02T00:00:00Z,trend,flat\ntrend lo')
  expect(await at.poll()).toEqual(['trend flat'])
  expect(await at.poll()).toEqual([])
  appendFileSync(path, 'ng\n\n# a comment\nsigent.trend flat\r\n')
  expect(await at.poll()).toEqual(['trend long', 'sigent.trend flat'])
})

test('a file that was cut or replaced is read from its begin', async () => {
  using folder = temporaryFolder()
  const path = folder.file('signals')
  writeFileSync(path, 'trend long\ntrend long\n')
  using at = followed(path)
  writeFileSync(path, 'trend flat\n')
  expect(await at.poll()).toEqual(['trend flat'])
  writeFileSync(`${path}.new`, 'trend long\ntrend flat\n')
  renameSync(`${path}.new`, path)
  expect(await at.poll()).toEqual(['trend long', 'trend flat'])
})

test('a file that is gone is reported once, and followed again when it is back', async () => {
  using folder = temporaryFolder()
  const path = folder.file('signals')
  writeFileSync(path, '')
  using at = followed(path)
  rmSync(path)
  for (let count = 0; count < 3; count++) expect(await at.poll()).toEqual([])
  expect(at.said).toEqual([{ type: 'alert', message: expect.stringContaining('cannot be read (ENOENT)') }])
  writeFileSync(path, 'trend long\n')
  expect(await at.poll()).toEqual(['trend long'])
})

test('lines beyond the rate wait, and none is lost', async () => {
  using folder = temporaryFolder()
  const path = folder.file('signals')
  writeFileSync(path, '')
  using at = followed(path)
  appendFileSync(path, 'trend long\n'.repeat(signalsPerSecond) + 'trend flat\n')
  expect(await at.poll()).toHaveLength(signalsPerSecond)
  expect(await at.poll()).toEqual(['trend flat'])
})

test('a line that sets nothing is logged with the remedy, and the next one counts', async () => {
  using folder = temporaryFolder()
  const path = folder.file('signals')
  writeFileSync(path, '')
  using at = followed(path)
  appendFileSync(path, `go long\ntrend\ntrend up\n${'x'.repeat(5000)}`)
  expect(await at.poll()).toEqual([])
  appendFileSync(path, '\ntrend long\n')
  expect(await at.poll()).toEqual(['trend long'])
  const reasons = at.said.map((event) => JSON.stringify(event))
  for (const [index, part] of [
    'a line is too long; fix: write lines of at most 4096 bytes',
    'no running strategy has a signal \\"go\\"',
    'the line \\"trend\\" is no signal; fix: write NAME VALUE, or time,name,value',
    '\\"up\\" is no value of the signal trend of sigent; fix: use one of long, flat',
  ].entries())
    expect(reasons[index]).toContain(part)
})

test('a pipe without a writer waits, and its last line needs no end', async () => {
  using folder = temporaryFolder()
  const path = folder.file('pipe')
  execFileSync('mkfifo', [path])
  using at = followed(path)
  expect(await at.poll()).toEqual([])
  writeFileSync(path, 'trend long\ntrend flat')
  expect([...(await at.poll()), ...(await at.poll())]).toEqual(['trend long', 'trend flat'])
  expect(await at.poll()).toEqual([])
  writeFileSync(path, 'trend long\n')
  expect(await at.poll()).toEqual(['trend long'])
})

test('a file that is missing ends the start', () => {
  using folder = temporaryFolder()
  expect(() => new SignalFile(folder.file('none'))).toThrow(
    expect.objectContaining({ code: 'FILE_UNREADABLE' }),
  )
})
