import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { readTape, type RecordedTape } from '#src/research/recording/read-tape.ts'
import type { TapeCall, TapeEvent } from '#src/research/recording/tape.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { callsSent, isType, startBot } from '#test/runtime/support/bot-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'
import { rewritten } from './recorded-runs.ts'
import { patience } from '#test/support/patience.ts'

const bulk = '/api/v4/order/collateral/bulk'
// `using` would end before the first test runs.
const folder = temporaryFolder()
const path = folder.file('a.tape')
// Without the tests of the file, which would detect some of these changes first.
const text = readFileSync('strategies/01-static-grid.yaml', 'utf8').split('\ntests:')[0] ?? ''
const grid = folder.file('grid.yaml')
let tape: RecordedTape
let firstBulk: TapeCall

beforeAll(async () => {
  writeFileSync(grid, text)
  // Venue time at speed 1, like recordings of other programs.
  const words = [grid, '--speed', '1', '--state-dir', folder.file('state'), '--record', path]
  await using bot = startBot(words)
  await bot.said(isType('stream-connected'))
  await bot.said(isType('order-accepted'))
  // The bot has read the account several times.
  await vi.waitFor(async () => {
    expect(await callsSent(folder.file('state'))).toBeGreaterThanOrEqual(50)
  }, patience)
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  tape = readTape(path)
  const found = callsOf(tape).find((call) => call.path === bulk)
  if (found === undefined) throw new Error('nothing was placed')
  firstBulk = found
})
afterAll(() => folder[Symbol.dispose]())

function callsOf({ events }: RecordedTape): TapeCall[] {
  return events.filter((event) => event.kind === 'call')
}

const lastLine = z.object({
  requests: z.int(),
  matched: z.int(),
  divergence: z
    .object({
      request: z.int().nullable(),
      kind: z.string(),
      changes: z.array(z.object({ field: z.string(), recorded: z.unknown(), made: z.unknown() })),
      why: z.array(z.string()),
    })
    .nullable(),
})

const differing = z.object({
  requests: z.int(),
  matched: z.int(),
  differences: z.array(z.object({ kind: z.string(), changes: z.array(z.object({ field: z.string() })) })),
})

async function replayed(...words: string[]) {
  const { code, stdout, stderr } = await rungsHere(['replay', ...words, '--json'])
  if (code === 65) throw new Error(stderr)
  return { code, stderr, ...lastLine.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')) }
}

test('an unchanged run has no difference, with the strategies of the tape and of the file', async () => {
  const requests = callsOf(tape).length
  expect(requests).toBeGreaterThan(30)
  for (const files of [[], [grid]]) {
    expect(await replayed(path, ...files)).toMatchObject({
      code: 0,
      requests,
      matched: requests,
      divergence: null,
    })
  }
  const { stdout } = await rungsHere(['replay', path])
  expect(stdout).toBe(`All ${requests} requests match the tape.\n`)
})

test('a truncated tape is compared up to its end, and is no success', async () => {
  const cut = folder.file('cut.tape')
  writeFileSync(cut, zstdDecompressSync(readFileSync(path)).subarray(0, -300))
  const { code, divergence, stderr } = await replayed(cut)
  expect({ code, divergence, stderr }).toMatchObject({ code: 2, divergence: null })
  expect(stderr).toMatch(/cut\.tape is not complete: its end is missing after line \d+/)
  const { code: verified, stdout } = await rungsHere(['verify', cut])
  expect([verified, stdout.trim()]).toEqual([2, expect.stringMatching(/the same up to the cut$/)])
})

/** The amounts of the first market get one digit less. */
function coarse(event: TapeEvent): TapeEvent {
  if (event.kind !== 'call' || event.path !== '/api/v4/public/markets' || !('json' in event.got)) return event
  const said = JSON.stringify(event.got.json)
  const text = said
    .replace('"stockPrec":"6"', '"stockPrec":"5"')
    .replace('"stepSize":"0.000001"', '"stepSize":"0.00001"')
  return { ...event, got: { ...event.got, json: JSON.parse(text) } }
}

test('a changed answer is found at its first effect, field by field', async () => {
  const other = folder.file('other.tape')
  await rewritten(tape, other, coarse)
  const { code, divergence, matched } = await replayed(other)
  expect({ code, matched }).toEqual({ code: 2, matched: (firstBulk.n ?? 0) - 1 })
  expect(divergence).toMatchObject({ kind: 'changed', request: firstBulk.n })
  const fields = divergence?.changes.map(({ field }) => field) ?? []
  expect(fields.length).toBeGreaterThan(1)
  expect(fields.filter((field) => !/^orders\.sgrid\.grid\.\w+\.[a-z]\w1\.amount$/.test(field))).toEqual([])

  const golden = folder.file('golden')
  mkdirSync(golden)
  expect((await rungsHere(['verify', golden])).code).toBe(64)
  await rewritten(tape, `${golden}/1.tape`, (event) => event)
  expect(await rungsHere(['verify', golden])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('the same'),
  })
  await rewritten(tape, `${golden}/2.tape`, coarse)
  const verified = await rungsHere(['verify', golden])
  expect(verified.code).toBe(2)
  // The next requests equal the tape: only the amounts of the bulk differ.
  expect(verified.stdout).toMatch(
    /2\.tape: \d+ requests, different; recorded with rungs \S+: \d+ differences?\n/,
  )
  expect(verified.stdout).toContain(`First difference: request ${firstBulk.n}, at `)
  expect(verified.stdout).toMatch(/orders\.sgrid\.grid\.\w+\.[a-z]\w1\.amount +0\.\d+ +0\.\d{1,5}\n/)
})

test('verify continues if only parameters differ, up to twenty times', async () => {
  const requests = callsOf(tape).length
  const verified = async (most: number) => {
    const other = folder.file(`${most}.tape`)
    let left = most
    await rewritten(tape, other, (event) => {
      if (event.kind !== 'call' || event.path === bulk || !isSigned(event.body) || left === 0) return event
      left -= 1
      return { ...event, body: { ...event.body, limit: 7 } }
    })
    const { code, stdout } = await rungsHere(['verify', other, '--json'])
    return { code, ...differing.parse(JSON.parse(stdout)) }
  }
  const three = await verified(3)
  expect(three).toMatchObject({ code: 2, requests, matched: requests - 3 })
  expect(three.differences.map(({ kind, changes }) => [kind, changes.map(({ field }) => field)])).toEqual(
    Array.from({ length: 3 }, () => ['changed', ['limit']]),
  )
  const many = await verified(100)
  expect(many.differences).toHaveLength(20)
  expect(many.requests).toBeLessThan(requests)
})

/** A GET has its parameters in the query. */
function isSigned(body: unknown): body is object {
  return typeof body === 'object' && body !== null
}

test('missing and additional requests are reported as such', async () => {
  const n = firstBulk.n ?? 0
  // No other bulk is left that could be similar.
  const isBulk = (event: TapeEvent) => event.kind === 'call' && event.path === firstBulk.path
  const events = tape.events.filter((event) => !isBulk(event))
  const numbers = callsOf({ ...tape, events })
    .map((call) => call.n ?? 0)
    .sort((a, b) => a - b)
  const without = folder.file('without.tape')
  await rewritten({ ...tape, events }, without, (event) =>
    event.kind === 'call' ? { ...event, n: numbers.indexOf(event.n ?? 0) + 1 } : event,
  )
  const { divergence } = await replayed(without)
  expect(divergence).toMatchObject({ kind: 'additional', request: n })
  expect(divergence?.why.join('\n')).toMatch(
    /sgrid\.grid\.\w+\.[a-z]\w1: sent, (?:buy|sell)[^]*\nladder sgrid\.grid: ensure/,
  )

  const doubled = folder.file('doubled.tape')
  const end = tape.events.findIndex((event) => event.kind === 'ending')
  const asked = { ...firstBulk, path: '/api/v4/order/cancel', n: callsOf(tape).length + 1 }
  await rewritten({ ...tape, events: tape.events.toSpliced(end, 0, asked) }, doubled, (event) => event)
  expect((await replayed(doubled)).divergence).toMatchObject({ kind: 'missing', request: asked.n })
})

test('a changed strategy is reported with its fields', async () => {
  const changed = folder.file('changed.yaml')
  writeFileSync(changed, text.replace('{ max: 12, within', '{ max: 4, within'))
  const { code, divergence } = await replayed(path, changed)
  expect(code).toBe(2)
  expect(divergence).toMatchObject({ kind: 'changed', request: firstBulk.n })
  expect(divergence?.changes.length).toBeGreaterThan(5)
  expect(divergence?.changes.filter(({ recorded, made }) => recorded !== null && made !== null)).toEqual([])
  const { stdout } = await rungsHere(['replay', path, changed])
  expect(stdout).toContain(`${changed} is not the file of the recording`)
  expect(stdout).toMatch(/sgrid\.grid\.\w+\.[a-z]\w1 (?:buy|sell) 0\.\d+ BTC_USDT at \d+ +not on the tape/)
  expect(stdout).toMatch(/because\n {2}sgrid\.grid\.\w+\.[a-z]\w1: missing, (?:buy|sell).*, because /)
})

test('another strategy sends requests in another order, which is reported as `early`', async () => {
  const maker = folder.file('maker.yaml')
  const [perpetual = ''] = readFileSync('strategies/05-market-making.yaml', 'utf8').split('\ntests:')
  writeFileSync(maker, perpetual.replace('symbol: BTC_PERP', 'symbol: BTC_USDT'))
  const { divergence, matched } = await replayed(path, maker)
  expect(divergence).toMatchObject({ kind: 'early', changes: [] })
  const { stdout } = await rungsHere(['replay', path, maker])
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    `${matched} requests match the tape.`,
    `${maker} is not the file of the recording.`,
    expect.stringContaining(`First difference: request ${matched + 1}, at 2`),
  ])
  expect(stdout).toMatch(/\n {2}GET \S+\n(?: {4}\S+\n)? {2}is on the tape, but later\n {2}GET \S+\n/)
})

test('a failed start fails again, and a strategy that is no longer valid is reported with its line', async () => {
  const failed = folder.file('failed.tape')
  const first = callsOf(tape)[0]
  const got = { status: 401, json: { code: 0, message: 'Authorization failed', errors: {} } }
  const events = tape.events.slice(0, 2)
  expect(events.at(-1)).toMatchObject({ kind: 'call', n: first?.n })
  await rewritten({ ...tape, events }, failed, (event) => (event.kind === 'call' ? { ...event, got } : event))
  const { code, stdout, stderr } = await rungsHere(['replay', failed, '--json'])
  expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, requests: 1, matched: 1, divergence: null })
  expect(stderr).toMatch(/^VENUE_REFUSED: /)
  expect((await rungsHere(['verify', failed])).stdout).toContain('1 requests, the same')

  const unfit = folder.file('unfit.tape')
  await rewritten(tape, unfit, (event) => {
    if (event.kind !== 'call' || !('json' in event.got)) return event
    return {
      ...event,
      got: {
        ...event.got,
        json: JSON.parse(JSON.stringify(event.got.json).replaceAll('BTC_USDT', 'BTC_OTHER')),
      },
    }
  })
  const verified = await rungsHere(['verify', unfit])
  expect(verified.code).toBe(2)
  expect(verified.stderr).toMatch(/the venue has no market BTC_USDT/)
})

test('a loose replay answers known requests, and reports unknown writes without sending them', async () => {
  const same = await rungsHere(['replay', path, '--loose', '--json'])
  const requests = callsOf(tape).length
  expect(JSON.parse(same.stdout)).toMatchObject({ matched: requests, divergence: null, unsent: 0 })
  const changed = folder.file('loose.yaml')
  writeFileSync(changed, text.replace('{ max: 12, within', '{ max: 4, within'))
  const { code, stdout } = await rungsHere(['replay', path, changed, '--loose', '--json'])
  expect(code).toBe(0)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect(lines[0]).toMatchObject({ type: 'unsent', path: bulk, body: { orders: expect.any(Array) } })
  expect(lines.at(-1)).toMatchObject({ divergence: null, unsent: lines.length - 1 })
})

test('a foreign recording answers by content only, and is refused for a strict replay', async () => {
  const har = folder.file('session.har')
  const entries = callsOf(tape).map(({ at, tookMs, method, path: place, query, body, got }) => ({
    startedDateTime: new Date(at).toISOString(),
    time: tookMs,
    request: {
      method,
      url: `https://venue.example${place}${query === '' ? '' : `?${query}`}`,
      ...(method === 'POST' && {
        postData: { text: JSON.stringify({ ...Object(body), request: place, nonce: '1' }) },
      }),
    },
    response:
      'json' in got ? { status: got.status, content: { text: JSON.stringify(got.json) } } : { status: 0 },
  }))
  writeFileSync(har, JSON.stringify({ log: { version: '1.2', entries } }))
  const refused = await rungsHere(['replay', har, grid])
  expect(refused).toMatchObject({ code: 65, stderr: expect.stringContaining('add --loose') })
  const { code, stdout } = await rungsHere(['replay', har, grid, '--loose', '--json'])
  expect(code).toBe(0)
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(last.matched).toBeGreaterThan(25)
  expect(stdout).not.toContain(`"path":"${bulk}","query":"","body":${JSON.stringify(firstBulk.body)}`)
})

test('an edited tape and an empty one are refused in one line', async () => {
  const edited = folder.file('edited.tape')
  writeFileSync(
    edited,
    zstdDecompressSync(readFileSync(path)).toString().replace('"side":"buy"', '"side":"sell"'),
  )
  const refused = await rungsHere(['replay', edited])
  expect(refused).toMatchObject({ code: 65, stdout: '' })
  expect(refused.stderr).toMatch(/^TAPE_INVALID: .*edited\.tape:\d+: the hash chain is broken: .+\n.+\n$/)
  expect((await rungsHere(['replay', folder.file('none.tape')])).code).toBe(78)
  expect(
    (await rungs(['run', grid, '--for', '1s', '--record', path, '--state-dir', folder.file('more')])).stderr,
  ).toContain(`${path} exists`)
})
