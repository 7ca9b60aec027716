import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { LogFiles } from '#src/operate/logs/log-files.ts'
import { Log } from '#src/operate/logs/log.ts'
import { errorEvent } from '#src/operate/logs/log-errors.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { runs } from '#test/properties/runs.ts'

const key = 'k7Qx-canary-of-the-key-0042'
const secret = `c4n+ry/"of"\\the'se~cret=%41&(now)!*.${'Zq9'.repeat(12)}`
const secrets = [new Secret(key), new Secret(secret)]
const clock = new ManualClock(Date.UTC(2026, 10, 21))
/** A common substring of this length is no coincidence. */
const piece = 6

/** Decodes a text in several ways, with independent code. */
function readings(text: string): string[] {
  const readings = [text]
  for (let depth = 0; depth < 4; depth += 1) readings.push((readings.at(-1) ?? '').replaceAll(/\\(.)/g, '$1'))
  readings.push(
    text
      .replaceAll('+', ' ')
      .replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => letter(Number.parseInt(code, 16))),
  )
  readings.push(text.replaceAll(/(\d{1,3})(?:, ?|\])/g, (_, code: string) => letter(Number(code))))
  readings.push(text.replaceAll(/([0-9a-f]{2}) ?/gi, (_, code: string) => letter(Number.parseInt(code, 16))))
  for (const [run] of text.matchAll(/[\w+/-]{8,}/g)) {
    for (let start = 0; start < 4; start += 1)
      readings.push(Buffer.from(run.slice(start), 'base64').toString('latin1'))
    for (let start = 0; start < 2; start += 1)
      readings.push(Buffer.from(run.slice(start), 'hex').toString('latin1'))
  }
  return readings
}

const letter = (code: number) => String.fromCharCode(code)

/** Readable parts of a secret. */
function left(text: string, hidden: string): string[] {
  const pieces = Array.from({ length: hidden.length - piece + 1 }, (_, start) =>
    hidden.slice(start, start + piece),
  )
  const all = readings(text)
  return pieces.filter((each) => all.some((reading) => reading.includes(each)))
}

const body = JSON.stringify({ request: '/api/v4/order/bulk', nonce: '1', passphrase: secret, key })
const payload = Buffer.from(body).toString('base64')
const failure = new Error(`refused ${secret}`, { cause: new Error('socket', { cause: new Error(key) }) })

/** Ways in which a secret can get into a line. */
const slips: Record<string, unknown> = {
  'two levels down': { request: { options: { credentials: { key, secret } } } },
  'a header, whatever its case': {
    headers: { 'X-TXC-APIKEY': key, 'x-txc-apikey': key, 'X-Txc-Secret': secret },
  },
  'an error with causes': { err: failure },
  'the text of a message': `signed by ${key} with ${secret}`,
  'an array': { words: [key, [secret, key]] },
  'a body as text': { body, nested: JSON.stringify({ body: JSON.stringify({ body }) }) },
  'a template': { line: `${key}:${secret}@venue` },
  'a buffer': {
    raw: Buffer.from(body),
    shown: inspect(Buffer.from(secret)),
    hex: Buffer.from(body).toString('hex'),
  },
  'an address': {
    url: new URL(`https://${key}:x@venue.test/?s=${encodeURIComponent(secret)}&k=${key}`).href,
  },
  'the payload header': {
    headers: { 'x-txc-payload': payload, url: Buffer.from(body).toString('base64url') },
  },
}

test.each(Object.entries(slips))('%s writes no secret to the disk', (_, slip) => {
  using folder = temporaryFolder()
  const files = new LogFiles({ folder: folder.path, clock, secrets, bytesMax: 1e6, filesMax: 2 })
  const logger = pino({}, files)
  if (typeof slip === 'string') logger.info(slip)
  else logger.info(slip)
  expect(files.flush()).toBeUndefined()
  const text = readFileSync(folder.file('rungs-2026-11-21-0000.ndjson'), 'utf8')
  expect([...left(text, key), ...left(text, secret)]).toEqual([])
  expect(z.looseObject({ level: z.number() }).safeParse(JSON.parse(text)).success).toBe(true)
  // Without the search for secrets each of these would be a leak.
  const open = JSON.stringify(slip, (_name, value: unknown) =>
    value instanceof Error ? inspect(value) : value,
  )
  expect([...left(open, key), ...left(open, secret)]).not.toEqual([])
})

test('a secret in two writes is found in the complete line', () => {
  using folder = temporaryFolder()
  const files = new LogFiles({ folder: folder.path, clock, secrets, bytesMax: 1e6, filesMax: 2 })
  const path = folder.file('rungs-2026-11-21-0000.ndjson')
  files.write(`{"a":"before"}\n{"a":"${key.slice(0, 9)}`)
  files.flush()
  expect(readFileSync(path, 'utf8')).toBe('{"a":"before"}\n')
  files.write(`${key.slice(9)} after"}\n`)
  files.flush()
  expect(readFileSync(path, 'utf8')).toBe('{"a":"before"}\n{"a":"[secret] after"}\n')
})

test('errors are logged by name, code and message, without other properties', () => {
  using folder = temporaryFolder()
  const log = new Log({ stateDir: folder.path, clock, secrets, onLost: expect.unreachable })
  const ours = new BotError('VENUE_UNREACHABLE', { seen: 'http://127.0.0.1:1' })
  const stack = 'Error: refused\n    at step (file:///home/me/rungs/src/runtime/loop/driver.ts:12:5)'
  const theirs = Object.assign(failure, {
    stack,
    code: 'ECONNRESET',
    request: { headers: { 'x-txc-apikey': key } },
  })
  log.write([ours, theirs, { key, secret }, `thrown ${secret}`].map((error) => errorEvent(error, 5)))
  const text = readFileSync(folder.file('logs/rungs-2026-11-21-0000.ndjson'), 'utf8')
  expect([...left(text, key), ...left(text, secret)]).toEqual([])
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  const about = { level: 'error', time: '2026-11-21T00:00:00.000Z', type: 'error', at: 5 }
  expect(lines).toEqual([
    { ...about, kind: 'BotError', code: 'VENUE_UNREACHABLE', message: ours.message },
    {
      ...about,
      kind: 'Error',
      code: 'ECONNRESET',
      message: 'refused [secret], because: socket, because: [secret]',
      where: 'driver.ts:12:5',
    },
    { ...about, kind: 'object', code: null, message: 'A value that is not an error was thrown' },
    { ...about, kind: 'string', code: null, message: 'thrown [secret]' },
  ])
})

const encoders: ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('base64url'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => Buffer.from(text).toString('hex').toUpperCase(),
  encodeURIComponent,
  (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  (text) => new URLSearchParams({ text }).toString(),
  (text) => JSON.stringify(Buffer.from(text)),
]

test('no part of any secret stays readable, in any form and at any position', () => {
  const word = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map(letter),
    minLength: 8,
    maxLength: 80,
  })
  const around = fc.string({ unit: fc.constantFrom(' ', '\n', '$', 'é'), maxLength: 5 })
  fc.assert(
    fc.property(word, around, around, fc.constantFrom(...encoders), (text, before, after, encode) => {
      const line = JSON.stringify({ said: encode(before + text + after) })
      const hidden = new Secret(text).hiddenIn(line)
      expect(left(hidden, text)).toEqual([])
      expect(() => JSON.parse(hidden)).not.toThrow()
    }),
    runs(500, 20_000, 167),
  )
})

test('a secret does not reveal its encoded forms', () => {
  const own = new Secret(secret)
  expect(own.hiddenIn(`a ${secret} b`)).toBe('a [secret] b')
  const seen =
    inspect(own, { showHidden: true, depth: 9, getters: true }) + JSON.stringify([own, Object.entries(own)])
  expect(left(seen, secret)).toEqual([])
  expect(Reflect.ownKeys(own)).toEqual([])
})

test('text that is too short for a secret stays', () => {
  expect(new Secret('short').hiddenIn('a short word')).toBe('a short word')
})
