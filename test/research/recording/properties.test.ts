import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { readTape, type RecordedTape } from '#src/research/recording/read-tape.ts'
import type { TapeEvent } from '#src/research/recording/tape.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { runs } from '#test/properties/runs.ts'
import { at, call, events, header, writer } from './tape-fixture.ts'

const text = fc.string({ unit: 'binary', maxLength: 40 })
const about = { at: fc.nat(), tookMs: fc.double({ min: 0, max: 1e6, noNaN: true }) }
const stream = fc.integer({ min: 1, max: 9 })
const status = fc.integer({ min: 200, max: 599 })
const retryAfter = text
const got = fc.oneof(
  fc.record({ status, retryAfter, json: fc.jsonValue() }, { requiredKeys: ['status', 'json'] }),
  fc.record({ status, retryAfter, text }, { requiredKeys: ['status', 'text'] }),
  fc.record({ failed: fc.constantFrom('not-sent', 'unanswered'), reason: text }),
)
const event: fc.Arbitrary<TapeEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('call'),
    ...about,
    method: fc.constantFrom('GET', 'POST'),
    path: text,
    query: text,
    body: fc.jsonValue(),
    got,
  }),
  fc.record({ kind: fc.constant('stream-opened'), at: about.at, stream }),
  fc.record(
    {
      kind: fc.constant('stream-frame'),
      at: about.at,
      stream,
      from: fc.constantFrom('us', 'venue'),
      json: fc.jsonValue(),
      text,
    },
    { requiredKeys: ['kind', 'at', 'stream', 'from'] },
  ),
  fc.record({ kind: fc.constant('stream-closed'), at: about.at, stream, reason: text }),
  fc.record({ kind: fc.constant('turn'), at: about.at, monotonic: about.tookMs }),
)

test('all written events are read back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (written) => {
      using folder = temporaryFolder()
      const { tape } = writer(folder.file('a'))
      for (const each of written) tape.write(each)
      await tape.close(at)
      // JSON has no negative zero.
      const expected: unknown = JSON.parse(JSON.stringify(written))
      expect(readTape(folder.file('a'))).toEqual({ begin: header, events: expected, notes: [], whole: true })
    }),
    runs(150, 2000),
  )
})

/** A complete uncompressed tape, which a secret keeps from getting its name. */
async function plainTape(path: string): Promise<Buffer> {
  const { tape } = writer(path, [new Secret('half a fra')])
  for (const each of events) tape.write(each)
  await expect(tape.close(at)).rejects.toMatchObject({ code: 'TAPE_HOLDS_SECRET' })
  return readFileSync(`${path}.partial`)
}

/** Changes one bit of the file during the callback. */
function changedAt<Result>(path: string, bytes: Buffer, place: number, look: () => Result): Result {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.of((bytes[place] ?? 0) ^ (1 << (place % 8))), 0, 1, place)
  const result = look()
  writeSync(file, bytes, place, 1, place)
  closeSync(file)
  return result
}

function outcomeOf(path: string): RecordedTape | string {
  try {
    return readTape(path)
  } catch (error) {
    if (error instanceof BotError && error.code === 'TAPE_INVALID') return error.seen
    throw error
  }
}

const linesIn = (bytes: Buffer) => bytes.toString('latin1').split('\n').length - 1

test('a tape that is truncated anywhere is read up to its last complete line, with a note', async () => {
  using folder = temporaryFolder()
  const bytes = await plainTape(folder.file('a'))
  const path = folder.file('a.partial')
  expect(readTape(path)).toEqual({ begin: header, events, notes: [], whole: true })
  for (let length = bytes.length - 1; length >= 0; length -= 1) {
    truncateSync(path, length)
    const lines = linesIn(bytes.subarray(0, length))
    const where = bytes[length - 1] === 0x0a ? `after line ${lines}` : `in the middle of line ${lines + 1}`
    const notes = [`The tape was cut off ${where}; all lines before are read`]
    const expected = { begin: header, events: events.slice(0, lines - 1), notes, whole: false }
    expect(outcomeOf(path)).toEqual(lines === 0 ? expect.stringContaining(path) : expected)
  }
})

test('any changed byte is detected in its line', async () => {
  using folder = temporaryFolder()
  const bytes = await plainTape(folder.file('a'))
  const path = folder.file('a.partial')
  for (let place = 0; place < bytes.length - 1; place += 1) {
    const outcome = changedAt(path, bytes, place, () => outcomeOf(path))
    const line = linesIn(bytes.subarray(0, place)) + 1
    const first = /does not start like|no complete line|in format/
    if (line === 1) expect(outcome).toMatch(new RegExp(`${RegExp.escape(path)}:1: |${first.source}`))
    else expect(outcome).toMatch(new RegExp(`^${RegExp.escape(path)}:${line}: `))
  }
  // Without its newline the last line is incomplete.
  expect(changedAt(path, bytes, bytes.length - 1, () => outcomeOf(path))).toMatchObject({
    notes: [expect.stringContaining('cut off')],
  })
})

test('a truncated or changed compressed tape is never read as another tape', async () => {
  using folder = temporaryFolder()
  const { tape } = writer(folder.file('a'))
  for (const each of events) tape.write(each)
  await tape.close(at)
  const path = folder.file('a')
  const bytes = readFileSync(path)
  for (let place = 0; place < bytes.length; place += 1) {
    const outcome = changedAt(path, bytes, place, () => outcomeOf(path))
    if (typeof outcome !== 'string')
      expect(outcome).toEqual({ begin: header, events, notes: [], whole: true })
  }
  for (let length = bytes.length - 1; length >= 0; length -= 1) {
    truncateSync(path, length)
    const outcome = outcomeOf(path)
    if (typeof outcome === 'string') expect(outcome).toContain(path)
    else {
      const notes = outcome.whole ? [] : [expect.stringMatching(/^The tape was cut off /)]
      const kept = outcome.whole ? events : events.slice(0, outcome.events.length)
      expect(outcome).toEqual({ begin: header, events: kept, notes, whole: outcome.whole })
    }
  }
})

test('a truncated long compressed tape is read up to its last block', async () => {
  using folder = temporaryFolder()
  const { tape } = writer(folder.file('a'))
  for (let turn = 0; turn < 300; turn += 1) for (const each of events) tape.write(each)
  await tape.close(at)
  const path = folder.file('a')
  truncateSync(path, readFileSync(path).length - 12)
  const outcome = readTape(path)
  expect(outcome.notes).toEqual([expect.stringMatching(/^The tape was cut off in the middle of line /)])
  expect(outcome.events.length).toBeGreaterThan(0)
})

const encoders: ((text: string) => string)[] = [
  (word) => word,
  (word) => JSON.stringify(word).slice(1, -1),
  (word) => JSON.stringify(JSON.stringify({ word })),
  (word) => Buffer.from(word).toString('base64'),
  (word) => Buffer.from(word).toString('base64url'),
  (word) => Buffer.from(word).toString('hex'),
  (word) => Buffer.from(word).toString('hex').toUpperCase(),
  (word) => encodeURIComponent(word),
  (word) => new URLSearchParams({ word }).toString(),
  (word) => JSON.stringify(Buffer.from(word)),
]
const frame = { kind: 'stream-frame', at, stream: 1, from: 'us' } as const
const places: ((said: string) => TapeEvent)[] = [
  (said) => call({ status: 200, json: { said: [said] } }),
  (said) => call({ status: 200, json: { [said]: 1 } }),
  (said) => call({ status: 400, text: `<p>${said}</p>` }),
  (said) => call({ status: 429, retryAfter: said, text: '' }),
  (said) => call({ failed: 'unanswered', reason: said }),
  (said) => call({ status: 200, json: null }, { said }),
  (said) => ({ ...frame, json: { id: 1, method: said, params: [{ said }] } }),
  (said) => ({ ...frame, text: said }),
  (said) => ({ kind: 'stream-closed', at, stream: 1, reason: said }),
]

const signs = Array.from('aZ9-_.~!*+/"\\\'%=&()')

test('no form of a secret gets onto a finished tape, in any place', async () => {
  const word = fc.string({ unit: fc.constantFrom(...signs), minLength: 8, maxLength: 60 })
  const readable = word.filter((each) => /[a-zA-Z9]/.test(each))
  const around = fc.string({ unit: fc.constantFrom(' ', '\n', '$', 'é'), maxLength: 4 })
  const cases = fc.tuple(readable, around, around, fc.constantFrom(...encoders), fc.constantFrom(...places))
  await fc.assert(
    fc.asyncProperty(cases, async ([secret, before, after, encode, place]) => {
      using folder = temporaryFolder()
      const path = folder.file('a')
      const { tape } = writer(path, [new Secret('one that is not there'), new Secret(secret)])
      tape.write(place(encode(`${before}${secret}${after}`)))
      await expect(tape.close(at)).rejects.toMatchObject({
        code: 'TAPE_HOLDS_SECRET',
        seen: `${path}.partial:2`,
      })
      expect(outcomeIsAbsent(path)).toBe(true)
    }),
    runs(300, 4000),
  )
})

function outcomeIsAbsent(path: string): boolean {
  try {
    readTape(path)
    return false
  } catch (error) {
    return error instanceof BotError && error.code === 'FILE_UNREADABLE'
  }
}
