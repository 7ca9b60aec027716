import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { eventText } from '#src/cli/words/event-text.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { Log } from '#src/operate/logs/log.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { isType, runUntil } from '#test/runtime/support/bot-process.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { programWords, rungs, temporaryFolder } from '#test/cli/support/process.ts'

const talker = fileURLToPath(new URL('../../operate/logs/talker.ts', import.meta.url))
const strategy = fileURLToPath(new URL('../../../strategies/01-static-grid.yaml', import.meta.url))
const at = Date.UTC(2026, 10, 21, 14, 2, 11, 123)
const order = {
  strategy: 'grid',
  ladder: 'main',
  rung: '3',
  order: 'grid.main.3.1',
  market: 'BTC_PERP',
  side: 'buy',
} as const

const story: BotEvent[] = [
  { type: 'started', at, strategies: ['grid', 'dips'] },
  { type: 'order-accepted', at, ...order, price: '59000', amount: '0.02' },
  {
    type: 'order-refused',
    at,
    ...order,
    order: 'grid.main.3.2',
    code: 32,
    message: `too small\u001b[2J${'!'.repeat(99)}`,
  },
  { type: 'kill-switch-refreshed', at, market: 'ETH_PERP' },
  {
    type: 'fill',
    at,
    ...order,
    order: 'grid.main.31.1',
    price: '58999.5',
    amount: '0.01',
    money: '589.995',
    fee: '0.2',
  },
  { type: 'halted', at, strategy: 'dips', reason: 'lost more than 5%' },
]

/** A log with one line a second. */
function told(stateDir: string, since = at): string {
  const clock = new ManualClock(since)
  const log = new Log({ stateDir, clock, secrets: [], onLost: expect.unreachable })
  for (const event of story) {
    log.write([event])
    clock.advance(1000)
  }
  log.close()
  return `${stateDir}/logs/rungs-2026-11-21-0000.ndjson`
}

const typesOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => z.looseObject({ type: z.string() }).parse(JSON.parse(line)).type)

test('without a terminal the log has complete aligned lines without colours', async () => {
  using state = temporaryFolder()
  told(state.path)
  const { code, stdout, stderr } = await rungs(['logs', '--state-dir', state.path])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.split('\n')).toEqual([
    '11-21 14:02:11Z       started                                  strategies grid, dips',
    '11-21 14:02:12Z       order-accepted      grid.main.3.1 BTC_PERP buy 0.02 at 59000',
    `11-21 14:02:13Z warn  order-refused       grid.main.3.2 BTC_PERP buy  code 32  too small\\u001b[2J${'!'.repeat(99)}`,
    '11-21 14:02:15Z       fill                grid.main.31.1 BTC_PERP buy 0.01 at 58999.5  money 589.995  fee 0.2',
    '11-21 14:02:16Z error halted              dips                 lost more than 5%',
    '',
  ])
  const coloured = await rungs(['logs', '--state-dir', state.path], { FORCE_COLOR: '1' })
  expect(coloured.stdout).toContain('\u001b[31m11-21 14:02:16Z error halted')
})

const shown = (event: { level: string; type: string } & Record<string, unknown>) =>
  stripVTControlCharacters(eventText({ ...event, time: '2026-11-21T14:02:11.000Z' }, 80))

test('a narrow terminal gets complete lines without columns', () => {
  const fill = { level: 'info', type: 'fill', ...order, amount: '0.01', price: '58999.5', money: '589.995' }
  const text = eventText({ ...fill, time: '2026-11-21T14:02:11.000Z' }, 20)
  expect(text).toBe('11-21 14:02:11Z fill grid.main.3.1 BTC_PERP buy 0.01 at 58999.5  money 589.995')
})

test('lines fit the width of the terminal, except warnings and errors', () => {
  const fill = { level: 'info', type: 'fill', ...order, amount: '0.01', price: '58999.5', money: '589.995' }
  expect(shown(fill)).toBe('11-21 14:02:11Z       fill                grid.main.3.1 BTC_PERP buy 0.01 at 58…')
  const reason = `lost more than 5%, ${'and more '.repeat(9)}and so on`
  expect(shown({ level: 'error', type: 'halted', strategy: 'dips', reason })).toContain(reason)
  const summary = {
    level: 'info',
    type: 'summary',
    accepted: 814,
    refused: 28,
    unknown: 0,
    fills: 62,
    fees: '7',
    tookMs: 1500,
  }
  expect(shown(summary)).toContain(' 62 fills, 814 orders accepted, 28 refused, fees 7.00, took 1.5 s')
  const doubts = { unknown: 16, placed: 14, absent: 2, doubtful: 0, agrees: true, readAgeMs: 400 }
  expect(shown({ ...summary, ...doubts })).toContain(
    'resolved (14 placed, 2 absent, none left), fees 7.00, took 1.5 s, bot and venue agree, as read 0.4 s earlier',
  )
  expect(
    shown({ ...summary, ...doubts, absent: 1, doubtful: 1, agrees: false, difference: 'BTC_PERP differs' }),
  ).toContain(
    ' 16 unknown (14 placed, 1 absent, 1 still unknown), fees 7.00, took 1.5 s, bot and venue disagree: BTC_PERP differs',
  )
})

test.each<[string, string[], string[]]>([
  ['a strategy, with the events that concern it', ['--strategy', 'dips'], ['started', 'halted']],
  ['a market', ['--market', 'ETH_PERP', '--level', 'debug'], ['kill-switch-refreshed']],
  ['an order', ['--order', 'grid.main.3.1'], ['order-accepted']],
  ['a rung with all of its orders', ['--order', 'grid.main.3'], ['order-accepted', 'order-refused']],
  ['a level and those above', ['--level', 'warn'], ['order-refused', 'halted']],
  ['types', ['--type', 'fill', '--type', 'order-*'], ['order-accepted', 'order-refused', 'fill']],
  ['a time and later', ['--since', '2026-11-21T14:02:14Z'], ['fill', 'halted']],
  ['a time with an offset', ['--since', '2026-11-21T16:02:14+02:00'], ['fill', 'halted']],
  ['a day and later', ['--since', '2026-11-22'], []],
  [
    'all conditions together',
    ['--type', 'order-*', '--level', 'warn', '--market', 'BTC_PERP'],
    ['order-refused'],
  ],
])('filter by %s', async (_, flags, types) => {
  using state = temporaryFolder()
  told(state.path)
  const { code, stdout } = await rungsHere(['logs', '--state-dir', state.path, '--json', ...flags])
  expect([code, typesOf(stdout)]).toEqual([0, types])
})

test('an unknown strategy is reported with a suggestion', async () => {
  using state = temporaryFolder()
  told(state.path)
  const ask = (name: string) => rungsHere(['logs', '--state-dir', state.path, '--json', '--strategy', name])
  expect(await ask('grit')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'No event belongs to strategy "grit", did you mean "grid"?\n',
  })
  expect((await ask('dips')).stderr).toBe('')
})

test('-n shows the last matching lines of all files', async () => {
  using state = temporaryFolder()
  // An older day with an invalid line.
  appendFileSync(told(state.path, at - 86_400_000), 'nothing\n')
  told(state.path)
  const last = (...flags: string[]) =>
    rungsHere(['logs', '--state-dir', state.path, '--json', '--level', 'debug', ...flags])
  expect(typesOf((await last('-n', '2')).stdout)).toEqual(['fill', 'halted'])
  expect(typesOf((await last('--lines', '2', '--type', 'started')).stdout)).toEqual(['started', 'started'])
  const words = story.map(({ type }) => type)
  expect(await last('-n', '8')).toMatchObject({ stderr: '' })
  expect(typesOf((await last('-n', '8')).stdout)).toEqual([...words.slice(4), ...words])
  expect(typesOf((await last('-n', '0')).stdout)).toEqual([])
  for (const all of [['-n', 'all'], ['-n', '+1'], []])
    expect(typesOf((await last(...all)).stdout)).toHaveLength(12)
})

test('--follow shows the last ten lines first, then new ones', async () => {
  using state = temporaryFolder()
  told(state.path, at - 86_400_000)
  const path = told(state.path)
  const follow = ['logs', '-f', '--json', '--level', 'debug', '--state-dir', state.path]
  const follower = spawn(process.execPath, programWords(follow))
  const types: string[] = []
  for await (const line of createInterface({ input: follower.stdout })) {
    types.push(...typesOf(line))
    if (types.length === 10)
      appendFileSync(path, '{"level":"info","time":"2026-11-22","type":"resumed","at":1}\n')
    if (types.at(-1) === 'resumed') follower.kill('SIGTERM')
  }
  const words = story.map(({ type }) => type)
  expect(types).toEqual([...words.slice(2), ...words, 'resumed'])
})

test('--since counts back from now', async () => {
  using state = temporaryFolder()
  told(state.path, Date.now() - 3 * 3_600_000)
  const since = (span: string) => rungsHere(['logs', '--state-dir', state.path, '--json', '--since', span])
  expect(typesOf((await since('2h')).stdout)).toEqual([])
  expect(typesOf((await since('4h')).stdout)).toHaveLength(5)
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const utc = new Date(Date.now() - 2 * 3_600_000).toISOString().slice(0, 16)
  expect(typesOf((await since(utc)).stdout), 'UTC on every machine').toEqual([])
})

test('an invalid line is reported on stderr with its place, and the others are shown', async () => {
  using state = temporaryFolder()
  const path = told(state.path)
  appendFileSync(path, '{"level":"info","ti\n{"a":1}\nnull\n')
  appendFileSync(path, Buffer.from([0xff, 0x1b, 0x5b, 0x0a]))
  appendFileSync(path, '{"level":"info","time":"2027","type":"resumed","at":1}\n{"level":"in')
  const { code, stdout, stderr } = await rungsHere(['logs', '--state-dir', state.path, '--json'])
  expect([code, typesOf(stdout).at(-1)]).toEqual([0, 'resumed'])
  expect(stderr.split('\n')).toEqual([
    'rungs-2026-11-21-0000.ndjson:7 is not an event: {"level":"info","ti',
    'rungs-2026-11-21-0000.ndjson:8 is not an event: {"a":1}',
    'rungs-2026-11-21-0000.ndjson:9 is not an event: null',
    'rungs-2026-11-21-0000.ndjson:10 is not an event: \ufffd\\u001b[',
    'rungs-2026-11-21-0000.ndjson:12 is incomplete: {"level":"in',
    '',
  ])
})

test.each([
  ['no log', ['--state-dir', '/nowhere'], 78, '/nowhere/logs holds no log'],
  ['an unknown event', ['--type', 'order-acepted'], 64, 'did you mean "order-accepted"?'],
  ['a level that is none', ['--level', 'loud'], 64, 'allowed choices are debug, info, warn, error'],
  ['a number of lines that is none', ['-n', 'some'], 64, 'Write a number such as -n 20, or -n all'],
  [
    'a span that is none',
    ['--since', 'yesterday'],
    64,
    'Write a value such as 10m, 2h, 3d or 2026-11-21T14:00Z',
  ],
])('%s is reported with a fix', async (_, flags, exitCode, words) => {
  const { code, stdout, stderr } = await rungsHere(['logs', ...flags])
  expect([code, stdout]).toEqual([exitCode, ''])
  expect(stderr).toContain(words)
})

test('--follow shows every line of another process once and in order, across files', async () => {
  using state = temporaryFolder()
  const lines = 3000
  const follower = spawn(process.execPath, programWords(['logs', '-f', '--json', '--state-dir', state.path]))
  const closed = once(follower, 'close')
  let waits = ''
  follower.stderr.setEncoding('utf8').on('data', (text: string) => {
    waits += text
  })
  await once(follower.stderr, 'data')
  // Small files: six, and none is deleted.
  spawn(process.execPath, [talker, state.path, '60000', String(lines)], { stdio: 'ignore' })
  const chunks: number[] = []
  for await (const line of createInterface({ input: follower.stdout })) {
    chunks.push(z.looseObject({ chunk: z.number() }).parse(JSON.parse(line)).chunk)
    if (chunks.length === lines) follower.kill('SIGTERM')
  }
  expect(await closed).toEqual([0, null])
  expect(chunks).toEqual(Array.from({ length: chunks.length }, (_, index) => index + 1))
  expect(chunks.length).toBeGreaterThanOrEqual(lines)
  expect(waits).toBe(`No log in ${state.path}/logs yet: waiting for the first event\n`)
})

test('a run logs its output with level and time, without key and secret', async () => {
  using state = temporaryFolder()
  const words = [strategy, '--state-dir', state.path]
  const { code, lines: printed, stderr } = await runUntil(words, isType('order-accepted'))
  expect(code, stderr).toBe(0)
  const logged = await rungsHere(['logs', '--json', '--level', 'debug', '--state-dir', state.path])
  const event = z.looseObject({ type: z.string() })
  const kept = logged.stdout
    .trimEnd()
    .split('\n')
    .map((line) => event.parse(JSON.parse(line)))
  // The summary for programs has more fields.
  expect(kept.map(({ type }) => type)).toEqual(printed.map(({ type }) => type))
  for (const [index, own] of printed.slice(0, -1).entries()) {
    expect(kept[index]).toEqual({ level: expect.any(String), time: expect.any(String), ...own })
  }
  expect(JSON.stringify(printed) + stderr + logged.stdout).not.toMatch(/paper-key|paper-secret/)
})

const timeless = (text: string) => text.split('\n').map((line) => line.slice('11-21 14:02:11Z '.length))

test('a verbose run prints the same lines as the log later', async () => {
  using state = temporaryFolder()
  const flags = ['--state-dir', state.path]
  const run = await rungs(['run', strategy, '--for', '1s', '--verbose', ...flags])
  const logged = await rungsHere(['logs', ...flags])
  expect(timeless(run.stdout)).toEqual(timeless(logged.stdout))
  expect(run.stdout).toContain(' summary ')
})
