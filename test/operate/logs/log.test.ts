import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { logFiles, logFolder } from '#src/operate/logs/log-files.ts'
import { Log } from '#src/operate/logs/log.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { realTime } from '#test/support/real-time.ts'

const talker = fileURLToPath(new URL('talker.ts', import.meta.url))
const at = Date.UTC(2026, 10, 21, 14)
const day = 86_400_000
const line = z.looseObject({
  level: z.string(),
  time: z.string(),
  type: z.string(),
  chunk: z.number().optional(),
})

const sent = (chunk: number): BotEvent => ({ type: 'bulk-sent', at, strategy: 'grid', chunk, orders: 20 })

function opened(stateDir: string, bytesMax = 1e6) {
  const clock = new ManualClock(at)
  const lost: string[] = []
  const log = new Log({ stateDir, clock, secrets: [], onLost: (code) => lost.push(code), bytesMax })
  const folder = logFolder(stateDir)
  const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
  const lines = () =>
    logFiles(folder)
      // A killed process may leave an incomplete line, which was not acknowledged.
      .flatMap((name) => textOf(name).split('\n').slice(0, -1))
      .map((text) => line.parse(JSON.parse(text)))
  return { log, clock, folder, lines, lost }
}

test('a line has the event, local time and level, in a file that only the owner can read', () => {
  using state = temporaryFolder()
  const { log, folder } = opened(state.path)
  log.write([
    { type: 'paused', at: at - 5, strategy: 'grid', reason: 'the spread is "wide"\n', rule: undefined },
  ])
  const [name = ''] = logFiles(folder)
  expect(name).toBe('rungs-2026-11-21-0000.ndjson')
  expect(readFileSync(join(folder, name), 'utf8')).toBe(
    '{"level":"warn","time":"2026-11-21T14:00:00.000Z","type":"paused","at":1795269599995,"strategy":"grid",' +
      '"reason":"the spread is \\"wide\\"\\n"}\n',
  )
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('a full file or a new day starts the next file, and the oldest are deleted', () => {
  using state = temporaryFolder()
  const { log, clock, folder, lines } = opened(state.path, 1000)
  for (let chunk = 1; chunk <= 200; chunk += 1) log.write([sent(chunk)])
  clock.advance(day)
  log.write([sent(201)])
  // The clock steps back before midnight: later files still sort later.
  clock.step(-day)
  log.write([sent(202)])
  const names = logFiles(folder)
  expect(names).toHaveLength(16)
  expect(names.at(-1)).toBe('rungs-2026-11-22-0000.ndjson')
  expect(names.map((name) => statSync(join(folder, name)).size).filter((size) => size > 1000)).toEqual([])
  const chunks = lines().map(({ chunk = 0 }) => chunk)
  expect(chunks).toEqual(Array.from({ length: chunks.length }, (_, index) => 203 - chunks.length + index))
})

test('the next process continues the file, after ending an incomplete line', () => {
  using state = temporaryFolder()
  const first = opened(state.path)
  first.log.write([sent(1)])
  first.log.close()
  const path = join(first.folder, logFiles(first.folder)[0] ?? '')
  appendFileSync(path, '{"level":"info","ti')
  opened(state.path).log.write([sent(2)])
  const texts = readFileSync(path, 'utf8').trimEnd().split('\n')
  expect(texts.map((text) => /"chunk":(\d)/.exec(text)?.[1] ?? text)).toEqual([
    '1',
    '{"level":"info","ti',
    '2',
  ])
})

test('lines that cannot be written are counted and reported once, and stop nothing', () => {
  using state = temporaryFolder()
  const { log, folder, lines, lost } = opened(state.path, 1)
  log.write([sent(1)])
  renameSync(folder, `${folder}.away`)
  writeFileSync(folder, 'a file where the folder was')
  log.write([sent(2), sent(3)])
  log.write([sent(4)])
  expect(lost).toEqual(['ENOTDIR'])
  rmSync(folder)
  renameSync(`${folder}.away`, folder)
  log.write([sent(5)])
  expect(lines().map(({ chunk, message }) => chunk ?? message)).toEqual([
    1,
    '3 log lines could not be written',
    5,
  ])
})

test('acknowledged lines survive kill -9', async () => {
  for (let round = 0; round < 8; round += 1) {
    using state = temporaryFolder()
    const told = openSync(state.file('told'), 'w')
    const child = spawn(process.execPath, [talker, state.path, '20000'], {
      stdio: ['ignore', told, 'inherit'],
    })
    const closed = once(child, 'close')
    await expect.poll(() => statSync(state.file('told')).size).toBeGreaterThan(0)
    await realTime(1 + 7 * round)
    child.kill('SIGKILL')
    expect(await closed).toEqual([null, 'SIGKILL'])
    closeSync(told)
    const texts = readFileSync(state.file('told'), 'utf8').split('\n')
    const acknowledged = Number(texts.at(-2))
    const chunks = opened(state.path)
      .lines()
      .map(({ chunk = 0 }) => chunk)
    expect(acknowledged).toBeGreaterThan(0)
    expect(chunks.at(-1)).toBeGreaterThanOrEqual(acknowledged)
    expect(chunks).toEqual(chunks.map((_, index) => (chunks[0] ?? 0) + index))
  }
})
