import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { loadVenueFile } from '#src/venues/whitebit/settings/venue-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-venue-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function venueFile(text: string): string {
  const path = join(folder, `venue-${files++}.yaml`)
  writeFileSync(path, text)
  return path
}

function secretFile(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

function complaint(run: () => unknown): BotError {
  try {
    run()
  } catch (error) {
    if (error instanceof BotError) return error
    throw error
  }
  throw new Error('nothing was complained of')
}

const local = 'url: http://127.0.0.1:8787\neuUrl: http://127.0.0.1:8788\nkey: paper\nsecret: hunter2\n'
const remote = 'url: https://venue.example\n'

test('a paper venue may hold its key and its secret, and the secret never prints', () => {
  const venue = loadVenueFile({ path: venueFile(local), environment: {} })
  expect(venue).toMatchObject({
    url: 'http://127.0.0.1:8787',
    euUrl: 'http://127.0.0.1:8788',
    spelling: 'spec',
    nonce: 'strict',
    clientIds: 'unproven',
    stopOnFailAnswer: undefined,
    batchMax: 20,
    settleMs: 60_000,
    leverage: undefined,
    shortSide: false,
    world: undefined,
    credentials: { key: 'paper' },
  })
  expect(venue.credentials?.secret.sign('x')).toBe(new Secret('hunter2').sign('x'))
  expect(inspect(venue, { depth: 9, showHidden: true }) + JSON.stringify(venue)).not.toContain('hunter2')
})

test('limits of the account are money as text and a count, and nothing else', () => {
  const limited = (text: string) => () =>
    loadVenueFile({ path: venueFile(`${local}limits: ${text}\n`), environment: {} }).limits
  expect(
    limited('{ max_notional: { total: 10000, BTC_PERP: 0.10 }, max_open_orders: 60, daily_loss: 5.5 }')(),
  ).toEqual({
    max_notional: { total: '10000', BTC_PERP: '0.10' },
    max_open_orders: 60,
    daily_loss: '5.5',
  })
  expect(limited('{ max_open_orders: 1 }')()).toEqual({ max_notional: {}, max_open_orders: 1 })
  expect(loadVenueFile({ path: venueFile(local), environment: {} }).limits).toBeUndefined()
  expect(complaint(limited('{ max_notional: { total: 0 } }')).seen).toContain('above zero')
  expect(complaint(limited('{ max_notional: { total: 1e5 } }')).seen).toContain('plain number')
  expect(complaint(limited('{ max_notionals: {} }')).seen).toContain('max_notionals')
})

test('the venue file that comes with the package is valid', () => {
  expect(loadVenueFile({ path: 'config/paper.yaml', environment: {} }).credentials?.key).toBeTypeOf('string')
})

test('an address in the place of a file is called what it is', () => {
  const { message } = complaint(() => loadVenueFile({ path: 'https://venue.example', environment: {} }))
  expect(message).toContain('https://venue.example is an address')
  expect(message).toContain('as url')
})

test('a flag wins over the environment, and the environment over the file', () => {
  const path = venueFile(local)
  const environment = { RUNGS_URL: 'http://127.0.0.1:1', RUNGS_SPELLING: 'camel', RUNGS_NONCE: 'window' }
  expect(loadVenueFile({ path, environment })).toMatchObject({
    url: 'http://127.0.0.1:1',
    spelling: 'camel',
    nonce: 'window',
  })
  expect(loadVenueFile({ path, environment, flags: { url: 'http://127.0.0.1:2' } }).url).toBe(
    'http://127.0.0.1:2',
  )
})

test('the second address of the file is not kept beside a first one from elsewhere', () => {
  const venue = loadVenueFile({
    path: venueFile(local),
    environment: {},
    flags: { url: 'http://127.0.0.1:2' },
  })
  expect(venue.euUrl).toBeUndefined()
})

test('a secret in the file of a venue elsewhere is refused, also when a flag leads there', () => {
  const path = venueFile(`${remote}key: a\nsecret: hunter2\n`)
  expect(complaint(() => loadVenueFile({ path, environment: {} })).code).toBe('SECRET_EXPOSED')
  const led = complaint(() =>
    loadVenueFile({ path: venueFile(local), environment: {}, flags: { url: 'https://venue.example' } }),
  )
  expect(led.code).toBe('SECRET_EXPOSED')
  expect(led.message).not.toContain('hunter2')
})

test('key and secret come from files beside the venue file, with the line end cut off', () => {
  secretFile('key.txt', 'public-key\n')
  secretFile('secret.txt', 'hunter2\n')
  const venue = loadVenueFile({
    path: venueFile(`${remote}keyFile: key.txt\nsecretFile: secret.txt\n`),
    environment: {},
  })
  expect(venue.credentials?.key).toBe('public-key')
  expect(venue.credentials?.secret.sign('x')).toBe(new Secret('hunter2').sign('x'))
})

test('a secret file that others can read is refused with its mode', () => {
  secretFile('open.txt', 'hunter2', 0o644)
  const path = venueFile(`${remote}key: a\nsecretFile: open.txt\n`)
  const error = complaint(() => loadVenueFile({ path, environment: {} }))
  expect(error.code).toBe('SECRET_EXPOSED')
  expect(error.seen).toContain('open.txt has mode 0644')
  expect(error.fix).toContain('chmod 600')
})

test('a symbolic link to a secret is refused', () => {
  symlinkSync(secretFile('target.txt', 'hunter2'), join(folder, 'link.txt'))
  const path = venueFile(`${remote}key: a\nsecretFile: link.txt\n`)
  const error = complaint(() => loadVenueFile({ path, environment: {} }))
  expect(error.code).toBe('SECRET_EXPOSED')
  expect(error.seen).toContain('link.txt is a symbolic link')
})

test.each([
  ['is missing', 'none.txt', undefined, 'FILE_UNREADABLE'],
  ['is empty', 'empty.txt', ' \n', 'FILE_INVALID'],
  ['holds two lines', 'lines.txt', 'one\ntwo\n', 'FILE_INVALID'],
  ['is a book', 'book.txt', 'x'.repeat(5000), 'FILE_INVALID'],
])('a secret file that %s is named, never shown', (_, name, text, code) => {
  if (text !== undefined) secretFile(name, text)
  const path = venueFile(`${remote}key: a\nsecretFile: ${name}\n`)
  const error = complaint(() => loadVenueFile({ path, environment: {} }))
  expect(error.code).toBe(code)
  expect(error.seen).toContain(name)
  expect(error.seen).not.toContain('two')
})

test('variables with credentials win over the file and are wiped once they are read', () => {
  const environment = { RUNGS_KEY: 'own', RUNGS_SECRET: 'hunter3', VENUE_KEY: 'a', VENUE_SECRET: 'b' }
  const path = venueFile(`${remote}keyEnv: VENUE_KEY\nsecretEnv: VENUE_SECRET\n`)
  const venue = loadVenueFile({ path, environment })
  expect(venue.credentials?.key).toBe('own')
  expect(environment).toEqual({})
})

test('a venue file may name the variables that hold its credentials', () => {
  const environment = { VENUE_KEY: 'a', VENUE_SECRET: 'b' }
  const path = venueFile(`${remote}keyEnv: VENUE_KEY\nsecretEnv: VENUE_SECRET\n`)
  expect(loadVenueFile({ path, environment }).credentials?.key).toBe('a')
  expect(environment).toEqual({})
})

test('a variable that names a secret file obeys the same rules', () => {
  const open = secretFile('variable.txt', 'hunter2', 0o640)
  const environment = { RUNGS_KEY: 'a', RUNGS_SECRET_FILE: open }
  expect(complaint(() => loadVenueFile({ path: venueFile(remote), environment })).code).toBe('SECRET_EXPOSED')
})

test('a key without its secret is missing its other half, and none at all is no mistake', () => {
  const half = complaint(() => loadVenueFile({ path: venueFile(`${remote}key: a\n`), environment: {} }))
  expect(half.code).toBe('KEY_MISSING')
  expect(half.seen).toContain('secret of')
  const alone = complaint(() => loadVenueFile({ path: venueFile(local), environment: { RUNGS_KEY: 'a' } }))
  expect(alone.seen).toContain('RUNGS_SECRET')
  expect(loadVenueFile({ path: venueFile(remote), environment: {} }).credentials).toBeUndefined()
})

test('a secret given twice is not guessed at', () => {
  const environment = { RUNGS_KEY: 'a', RUNGS_SECRET: 'b', RUNGS_SECRET_FILE: 'c' }
  const error = complaint(() => loadVenueFile({ path: venueFile(remote), environment }))
  expect(error.code).toBe('SETTING_INVALID')
  expect(error.seen).toContain('RUNGS_SECRET is given twice')
})

test.each([
  ['ftp://venue.example', 'must start with https://'],
  ['http://venue.example', 'must start with https:// unless it is on this machine'],
  ['http://127.0.0.1.venue.example', 'must start with https:// unless it is on this machine'],
  ['https://me:hunter2@venue.example', 'must not contain a user'],
  ['https://venue.example/api?x=1', 'must end after host'],
  ['venue', 'must be an address'],
])('the address %s is refused in the file and as a flag', (url, expected) => {
  const inFile = complaint(() => loadVenueFile({ path: venueFile(`url: ${url}\n`), environment: {} }))
  expect(inFile.code).toBe('FILE_INVALID')
  expect(inFile.seen).toContain(expected)
  const asFlag = complaint(() => loadVenueFile({ path: venueFile(remote), environment: {}, flags: { url } }))
  expect(asFlag.code).toBe('SETTING_INVALID')
  expect(asFlag.seen).toContain(`--url ${expected}`)
  expect(inFile.message + asFlag.message).not.toContain('hunter2')
})

test('mistakes in a venue file are named without showing its lines', () => {
  const error = complaint(() =>
    loadVenueFile({ path: venueFile(`${remote}secrte: hunter2\n`), environment: {} }),
  )
  expect(error.seen).toContain('2:1 unknown key "secrte", did you mean "secret"?')
  expect(error.seen).not.toContain('hunter2')
})

test('an odd value of a variable is named with what it may be', () => {
  const error = complaint(() =>
    loadVenueFile({ path: venueFile(remote), environment: { RUNGS_NONCE: 'loose' } }),
  )
  expect(error.seen).toBe('RUNGS_NONCE must be one of strict, window')
})
