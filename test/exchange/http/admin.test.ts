import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startExchange, type RunningExchange } from '#src/exchange/http/server.ts'
import { move } from '#src/exchange/ledger/ledger.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { beginsAt, paperWorld } from '#test/exchange/exchange-fixture.ts'

let venue: RunningExchange
beforeAll(async () => {
  venue = await startExchange({ world: paperWorld, clock: new ManualClock(beginsAt), adminPort: 0 })
})
afterAll(() => venue.close())

async function ask(method: 'GET' | 'POST', url: string, headers: Record<string, string> = {}) {
  const { statusCode, body } = await request(url, { method, headers })
  const answer: unknown = await body.json()
  return { status: statusCode, answer }
}

test('/clock/turn moves the time of the venue forward permanently', async () => {
  expect(await ask('POST', `${venue.adminUrl}/clock/turn/60`)).toEqual({
    status: 200,
    answer: { now: beginsAt + 60_000 },
  })
  expect(await ask('POST', `${venue.adminUrl}/clock/turn/1`)).toEqual({
    status: 200,
    answer: { now: beginsAt + 61_000 },
  })
})

test.each([
  '/clock/turn/-1',
  '/clock/turn/1.5',
  '/clock/turn/1e3',
  '/clock/turn/9999999999',
  '/clock/turn/',
  '/clock',
])('%s turns nothing', async (path) => {
  const before = venue.exchange.state.turnedMs
  expect((await ask('POST', `${venue.adminUrl}${path}`)).status).toBe(404)
  expect(venue.exchange.state.turnedMs).toBe(before)
})

test('the ledger check reports a balanced ledger, and the difference of an unbalanced one', async () => {
  expect(await ask('GET', `${venue.adminUrl}/ledger`)).toEqual({ status: 200, answer: { imbalances: [] } })
  const { ledger } = venue.exchange.state
  ledger.get('main/paper')?.set('BTC', 1n)
  expect(await ask('GET', `${venue.adminUrl}/ledger`)).toEqual({
    status: 200,
    answer: { imbalances: [['BTC', '-1999999999999999999']] },
  })
  ledger.get('main/paper')?.set('BTC', 2n * 10n ** 18n)
  expect(() => move(ledger, 'main/paper', 'fees', 'BTC', 3n * 10n ** 18n)).toThrow('below zero')
})

test('requests with another host name or origin are refused', async () => {
  expect((await ask('GET', `${venue.adminUrl}/ledger`, { host: 'elsewhere.example' })).status).toBe(403)
  expect((await ask('GET', `${venue.adminUrl}/ledger`, { origin: 'http://localhost' })).status).toBe(403)
  const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
  expect((await ask('GET', `${venue.adminUrl}/ledger`, image)).status).toBe(403)
})

test('admin calls work only on the admin listener', async () => {
  const before = venue.exchange.state.turnedMs
  for (const url of [venue.url, venue.euUrl])
    expect((await ask('POST', `${url}/clock/turn/60`)).status).toBe(404)
  expect(venue.exchange.state.turnedMs).toBe(before)
})
