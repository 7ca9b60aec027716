import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { chanceOf } from '../fuzz/chance.ts'
import { seed, times } from '../properties/runs.ts'
import { CountingMachine, open } from './counting-machine.ts'
import { realTime } from '#test/support/real-time.ts'

const kills = times(5, 60, 2)
const folder = mkdtempSync(join(tmpdir(), 'rungs-journal-'))
afterAll(() => rmSync(folder, { recursive: true }))

const writer = fileURLToPath(new URL('writer.ts', import.meta.url))

type Writer = { child: ChildProcess; heard: () => string; said: () => string; gone: Promise<unknown> }

function start(words: [string, ...string[]]): Writer {
  const child = spawn(words[0], words.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
  let [heard, said] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    heard += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  return { child, heard: () => heard, said: () => said, gone: once(child, 'close') }
}

const write = (data: string, life: number) => start([process.execPath, writer, data, String(life)])

/** The last line that was heard to its end. */
const acknowledged = (heard: string) => Number(heard.split('\n').at(-2) ?? 0)

/** What all events of the file come to, done one after the other by a machine that knows nothing of journals. */
function doneAgain(data: string): CountingMachine {
  const machine = new CountingMachine(null)
  using db = new DatabaseSync(join(data, 'journal.sqlite'), { readOnly: true })
  for (const { body } of db.prepare('SELECT body FROM events ORDER BY seq').iterate()) {
    machine.step(JSON.parse(String(body)))
  }
  return machine
}

test(`${kills} times killed at any moment, it has all that was committed and goes on from there`, async () => {
  const data = join(folder, 'killed')
  const chance = chanceOf(seed)
  let before = 0
  for (let round = 0; round < kills; round++) {
    const { child, heard, said, gone } = write(data, seed + round)
    await expect.poll(heard).not.toBe('')
    await realTime(chance.below(60))
    child.kill('SIGKILL')
    await gone
    expect(said()).toBe('')
    // Mostly a copy, so that the next process begins from what this one left, and now and then from a state.
    const copy = chance.percent(70) ? join(folder, `copy-${round}`) : data
    if (copy !== data) cpSync(data, copy, { recursive: true })
    const journal = open(copy)
    expect(journal.machine.state.at).toBeGreaterThanOrEqual(acknowledged(heard()))
    expect(acknowledged(heard())).toBeGreaterThanOrEqual(before)
    expect(JSON.stringify(journal.machine.state)).toBe(JSON.stringify(doneAgain(copy).state))
    before = journal.machine.state.at
    journal.close()
    if (copy !== data) rmSync(copy, { recursive: true })
  }
  expect(before).toBeGreaterThan(kills * 10)
})

test('a second process is told whose the folder is, and gets it as soon as that one is dead', async () => {
  const data = join(folder, 'two')
  const first = write(data, 1)
  await expect.poll(first.heard).not.toBe('')
  expect(() => open(data)).toThrow(
    expect.objectContaining({
      code: 'DATA_BUSY',
      seen: `${data} is held by process ${first.child.pid}`,
    }),
  )
  const second = write(data, 2)
  await second.gone
  expect(second.child.exitCode).toBe(75)
  expect(second.said()).toMatch(/^DATA_BUSY: .*is held by process \d+/)
  first.child.kill('SIGKILL')
  await first.gone
  const journal = open(data)
  expect(journal.machine.state.at).toBeGreaterThanOrEqual(acknowledged(first.heard()))
  journal.close()
})

test.each(['', ' quiet'])(
  'on a full disk it ends, with everything that was committed and no second try%s',
  async (more) => {
    const data = join(folder, `full${more}`)
    // Files may grow to so many kilobytes, which several groups fit into; what would be a signal becomes an error of the call.
    const limited = `trap '' XFSZ; ulimit -f 4000; exec "$0" "$1" "$2" 1${more}`
    const { child, heard, said, gone } = start(['bash', '-c', limited, process.execPath, writer, data])
    await gone
    expect(child.exitCode).toBe(1)
    expect(said()).toMatch(/^DATA_BROKEN: .*could not be written after record \d+/)
    const journal = open(data)
    expect(journal.machine.state.at).toBeGreaterThan(100)
    expect(journal.machine.state.at).toBeGreaterThanOrEqual(acknowledged(heard()))
    expect(JSON.stringify(journal.machine.state)).toBe(JSON.stringify(doneAgain(data).state))
    journal.close()
  },
)
