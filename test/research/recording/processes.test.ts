import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readTape } from '#src/research/recording/read-tape.ts'
import { environment, temporaryFolder } from '#test/cli/support/process.ts'
import { events } from './tape-fixture.ts'

const program = fileURLToPath(new URL('writing-process.ts', import.meta.url))

function start([command = '', ...words]: string[]) {
  const child = spawn(command, words, { env: environment({}), stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  return { child, said: () => said, gone: once(child, 'close') }
}

test('a killed process leaves a tape of all completed turns of the event loop', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a')
  const { child, said, gone } = start([process.execPath, program, path])
  await expect.poll(() => said().length).toBeGreaterThan(20)
  child.kill('SIGKILL')
  await gone
  expect(existsSync(path)).toBe(false)
  const tape = readTape(`${path}.partial`)
  // The turn is reported before it is complete.
  expect(tape.events.length).toBeGreaterThanOrEqual((said().length - 1) * events.length)
  expect(tape.events.slice(0, events.length)).toEqual(events)
  expect(tape.notes).toEqual([expect.stringMatching(/^The tape was cut off /)])
})

test('a full disk is reported once, the bot continues, and the written lines are readable', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a')
  // A limit of the file size, with an error in place of the signal.
  const limited = `trap '' XFSZ; ulimit -f 64; exec "$0" "$1" "$2"`
  const { child, said, gone } = start(['bash', '-c', limited, process.execPath, program, path])
  await gone
  expect(child.exitCode).toBe(0)
  const [first, ...rest]: string[] = JSON.parse(said().split('\n')[1] ?? '')
  const seen = `${path}.partial failed (EFBIG); it ends before line`
  expect(first).toMatch(new RegExp(String.raw`^TAPE_NOT_WRITTEN ${RegExp.escape(seen)} \d+$`))
  expect(rest).toEqual([expect.stringContaining(seen)])
  expect(existsSync(path)).toBe(false)
  const tape = readTape(`${path}.partial`)
  expect(tape.events.length).toBeGreaterThan(100)
  expect(tape.notes).toEqual([expect.stringMatching(/^The tape was cut off in the middle of line /)])
})
