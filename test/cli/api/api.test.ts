import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { exchangeHere, type ExchangeHere } from '#test/cli/support/exchange-here.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
let exchange: ExchangeHere
beforeAll(async () => {
  exchange = await exchangeHere()
})
afterAll(async () => {
  await exchange.end()
  folder[Symbol.dispose]()
})

/** Calls run one after the other, because they share one key with rising nonces. */
const api = (...words: string[]) =>
  rungsHere(['api', ...words, '--url', exchange.url], { RUNGS_STATE_DIR: folder.file('state') })

/** Reads each request and closes the connection. */
async function startDeafVenue(): Promise<{ url: string; requests: () => number } & AsyncDisposable> {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => {
      requests += 1
      socket.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the venue has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

const unsent = 'http://127.0.0.1:1'
const order = { market: 'BTC_PERP', side: 'buy', amount: '0.02', price: '60000', client_order_id: 'cli.1' }

test('the case and the separators of an endpoint name do not matter', async () => {
  const pong = { code: 0, stdout: 'pong\n', stderr: '' }
  expect(await api('PING')).toEqual(pong)
  expect(await rungs(['api', 'P_i-ng', '--url', exchange.url])).toEqual(pong)
})

test('balances are a table for people, and one line of JSON with --json', async () => {
  expect(await api('mainBalance', '--ticker', 'USDT')).toMatchObject({
    code: 0,
    stdout: '      main_balance\nUSDT  100000\n',
  })
  expect(await api('main-balance', '--ticker=USDT', '--json')).toEqual({
    code: 0,
    stdout: '{"USDT":{"main_balance":"100000"}}\n',
    stderr: '',
  })
})

test('the last nonce is stored in the state folder, in a file without the key', () => {
  const [file, ...others] = readdirSync(folder.file('state'))
  expect(others).toEqual([])
  expect(file).toMatch(/^nonce-[0-9a-f]{16}\.json$/)
})

test('a refusal prints code, message and every field, with exit code 77', async () => {
  const { code, stdout, stderr } = await api('create-code', '--ticker', 'USDT', '--amount', '100001', '--yes')
  expect({ code, stdout }).toEqual({ code: 77, stdout: '' })
  expect(stderr).toMatch(/^VENUE_REFUSED: .*code 0: Validation failed[\s\S]*\n {2}amount: /)
})

test('a refusal with --json is the error object on stdout', async () => {
  const { code, stdout } = await api('main-balance', '--ticker', 'NOPE', '--json')
  expect(code).toBe(77)
  expect(JSON.parse(stdout)).toEqual({
    code: 0,
    message: 'Validation failed',
    errors: { ticker: [expect.any(String)] },
  })
})

test('a bulk prints one line for each order with its outcome', async () => {
  const orders = JSON.stringify([order, { ...order, amount: '0.0001', client_order_id: 'cli.2' }])
  const { code, stdout } = await api('collateral-bulk', '--orders', orders, '--yes')
  expect(code).toBe(0)
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^1 {2}accepted {2}BTC_PERP buy 0\.02 at 60000 OPEN id \d+ cli\.1$/),
    expect.stringMatching(/^2 {2}refused {3}code 32: Validation failed; amount: /),
    '',
  ])
})

test('a bulk without any accepted order ends as refused, after its lines', async () => {
  const orders = JSON.stringify([{ ...order, amount: '0.0001', client_order_id: 'cli.6' }])
  const { code, stdout, stderr } = await api('collateral-bulk', '--orders', orders, '--yes')
  expect(code).toBe(77)
  expect(stdout).toMatch(/^1 {2}refused {2}code 32: /)
  expect(stderr).toMatch(/^VENUE_REFUSED: /)
})

test('a bulk from a file with stopOnFail names the orders that were not attempted', async () => {
  const file = folder.file('orders.json')
  const orders = [
    { ...order, client_order_id: 'cli.3' },
    { ...order, client_order_id: 'cli.4', amount: '0.0001' },
    { ...order, client_order_id: 'cli.5' },
  ]
  writeFileSync(file, JSON.stringify(orders))
  const { code, stdout, stderr } = await api(
    'collateral-bulk',
    '--orders',
    `@${file}`,
    '--stop-on-fail',
    '--yes',
    '--json',
  )
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual([
    { result: expect.objectContaining({ client_order_id: 'cli.3' }), error: null },
    { result: null, error: expect.objectContaining({ code: 32 }) },
  ])
  expect(stderr).toMatch(/^1 {2}accepted[\s\S]*\n2 {2}refused[\s\S]*\n3 {2}not-attempted/)
})

test('a nested object takes dotted flags, and an empty answer to a write means success', async () => {
  const words = ['--id', '44444444-4444-4444-8444-000000000001', '--alias', 'hedge']
  const flags = ['--permissions.spotEnabled', 'true', '--permissions.collateral-enabled=false']
  expect(await api('edit-sub-account', ...words, ...flags, '--yes')).toEqual({
    code: 0,
    stdout: 'Done.\n',
    stderr: '',
  })
})

test.concurrent('an unconfirmed write is not sent', async () => {
  const words = ['create-code', '--ticker', 'USDT', '--amount', '1', '--url', unsent]
  const { code, stdout, stderr } = await rungsHere(['api', ...words])
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(/^NOT_CONFIRMED: [\s\S]*--yes/)
})

test.concurrent('a dry run prints the signed request, masks secrets and sends nothing', async () => {
  using state = temporaryFolder()
  writeFileSync(state.file('passphrase'), 'Winter!7', { mode: 0o600 })
  const words = [
    'create-code',
    '--ticker',
    'USDT',
    '--amount',
    '1.50',
    '--passphrase',
    `@${state.file('passphrase')}`,
    '--dry-run',
  ]
  const { code, stdout, stderr } = await rungsHere([
    'api',
    ...words,
    '--url',
    unsent,
    '--state-dir',
    state.file('none'),
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    `POST ${unsent}/api/v4/main-account/codes`,
    'content-type: application/json',
    'x-txc-apikey: [masked]',
    'x-txc-payload: [masked]',
    'x-txc-signature: [masked]',
    '',
    expect.stringMatching(
      /^\{"ticker":"USDT","amount":"1\.50","passphrase":"\[masked\]","request":"\/api\/v4\/main-account\/codes","nonce":"\d+"\}$/,
    ),
    '',
  ])
  expect(readdirSync(state.path)).toEqual(['passphrase'])
})

test.concurrent('a dry run with --json is one line with method, url, headers and body', async () => {
  const { stdout } = await rungsHere(['api', 'ping', '--dry-run', '--json', '--url', unsent])
  expect(JSON.parse(stdout)).toEqual({
    method: 'GET',
    url: `${unsent}/api/v4/public/ping`,
    headers: {},
    body: null,
  })
})

test.concurrent('an order has the spelling of the venue', async () => {
  const words = ['collateral-bulk', '--orders', JSON.stringify([order]), '--dry-run', '--url', unsent]
  const { stdout } = await rungsHere(['api', ...words], { RUNGS_SPELLING: 'camel' })
  expect(stdout).toContain('"clientOrderId":"cli.1"')
})

test.concurrent('invalid fields are reported by their flags before anything is sent', async () => {
  const words = ['create-code', '--ticker', 'usdt', '--amount', '1e3', '--yes', '--url', unsent]
  const { code, stderr } = await rungsHere(['api', ...words])
  expect(code).toBe(64)
  expect(stderr).toMatch(
    /2 fields are invalid\n {2}--ticker: .* \(.*such as USDT\)\n {2}--amount: .*\nfix: Nothing was sent.* create-code --help\n/,
  )
})

test('an endpoint beyond the specification is refused by default, with the profile that serves it', async () => {
  const { code, stderr } = await api('time')
  expect(code).toBe(77)
  expect(stderr).toMatch(/^VENUE_REFUSED: .*time: .*HTTP 404.*\n.*--profile full/)
})

test.concurrent('a mistake inside of a list names its position', async () => {
  const words = [
    'collateral-bulk',
    '--orders',
    JSON.stringify([{ ...order, side: 'hold' }]),
    '--yes',
    '--url',
    unsent,
  ]
  const { code, stderr } = await rungsHere(['api', ...words])
  expect(code).toBe(64)
  expect(stderr).toContain('--orders 0.side: ')
})

test.concurrent('the OpenAPI document of all endpoints is one JSON value', async () => {
  const { code, stdout } = await rungsHere(['api', '--openapi'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0', paths: { '/api/v4/public/ping': {} } })
})

test.concurrent('a write without an answer has an unknown outcome, with exit code 75', async () => {
  using state = temporaryFolder()
  await using venue = await startDeafVenue()
  const words = ['create-code', '--ticker', 'USDT', '--amount', '1', '--yes']
  const { code, stdout, stderr } = await rungsHere([
    'api',
    ...words,
    '--url',
    venue.url,
    '--state-dir',
    state.path,
  ])
  expect({ code, stdout }).toEqual({ code: 75, stdout: '' })
  expect(stderr).toMatch(/^OUTCOME_UNKNOWN: [\s\S]*before you send the call again/)
  expect(venue.requests()).toBe(1)
})

test.concurrent('a read without an answer says that a retry is safe', async () => {
  await using venue = await startDeafVenue()
  const { code, stderr } = await rungsHere(['api', 'ping', '--url', venue.url])
  expect(code).toBe(69)
  expect(stderr).toMatch(/^VENUE_UNREACHABLE: [\s\S]*the call only reads/)
})

test.concurrent('an address without a listener is reported with the command to start', async () => {
  using state = temporaryFolder()
  const { code, stderr } = await rungsHere([
    'api',
    'main-balance',
    '--url',
    unsent,
    '--state-dir',
    state.path,
  ])
  expect(code).toBe(69)
  expect(stderr).toMatch(/^VENUE_UNREACHABLE: [\s\S]*npx rungs exchange/)
})

test.concurrent('a private call without a key says where to set it', async () => {
  using state = temporaryFolder()
  const venue = state.file('venue.yaml')
  writeFileSync(venue, 'url: https://venue.example\n')
  const { code, stderr } = await rungsHere(['api', 'main-balance', '--venue', venue])
  expect(code).toBe(78)
  expect(stderr).toMatch(/^KEY_MISSING: [\s\S]*secretFile/)
})

test.concurrent('an invalid venue file is refused before anything is sent', async () => {
  using state = temporaryFolder()
  const venue = state.file('venue.yaml')
  writeFileSync(venue, 'ulr: http://127.0.0.1:1\n')
  const { code, stderr } = await rungsHere(['api', 'ping'], { RUNGS_VENUE: venue })
  expect(code).toBe(78)
  expect(stderr).toContain(`${venue}:1:1 unknown key "ulr", did you mean "url"?`)
})
