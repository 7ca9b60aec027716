import { expect } from 'vitest'
import { z } from 'zod'
import { beginsAtMs, headersOf } from '#test/support/venue.ts'
import { openApiDocument } from '#src/venues/whitebit/contract/openapi.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { clause } from './clause.ts'
import {
  bulk,
  done,
  element,
  errorOf,
  failsOn,
  fits,
  fixedUsdt,
  flexUsdt,
  last,
  mainBalanceOf,
  order,
  place,
  refused,
  refusesKeys,
  shown,
} from './reading.ts'
import { resources } from '#test/venues/whitebit/contract/spec/resources/resources.ts'
import { exampleOf, partnerNames, pingPath, privateNames } from './rows.ts'

const sentBody = z.looseObject({ request: z.string(), nonce: z.string() })

export const conventions = [
  clause('1.1', 'the public call is a GET without a body, and a POST to it is refused', async (venue) => {
    await done(venue.paper.ping({}))
    expect(last(venue)).toMatchObject({ method: 'GET', sent: '', status: 200 })
    const posted = await venue.send({ method: 'POST', path: pingPath })
    expect(posted).toMatchObject({ status: 405, allow: 'GET' })
    expect(resources.publicError.parse(JSON.parse(posted.body)).params).toEqual([])
  }),
  clause(
    '1.1',
    'parameters of a public call stand in the query, where one it lacks is named',
    async (venue) => {
      const answer = await venue.send({ method: 'GET', path: pingPath, query: 'colour=red' })
      expect(answer.status).toBe(400)
      expect(resources.publicError.parse(JSON.parse(answer.body)).message).toContain('colour')
      const marked = await venue.send({ method: 'GET', path: pingPath, query: 'a?b=1' })
      expect(resources.publicError.parse(JSON.parse(marked.body)).message).toContain('a?b')
    },
  ),
  clause('1.1', 'every private call is a POST, and a GET to it is refused', async (venue) => {
    for (const name of privateNames) {
      const answer = await venue.send({
        method: 'GET',
        path: contract[name].path,
        headers: { ...headersOf('paper', ''), 'Content-type': 'application/json' },
      })
      expect(answer, name).toMatchObject({ status: 405, allow: 'POST' })
      expect(errorOf(answer).code).toBe(0)
    }
  }),
  clause(
    '1.1',
    'parameters of a private call are the JSON object of the body, not the query',
    async (venue) => {
      const narrowed = await shown(venue, 'mainBalance', venue.paper.mainBalance({ ticker: 'ETH' }))
      expect(last(venue)).toMatchObject({ method: 'POST', query: '' })
      expect(JSON.parse(last(venue).sent)).toMatchObject({ ticker: 'ETH' })
      expect(Object.keys(narrowed)).toEqual(['ETH'])
      const body = JSON.stringify({ request: contract.mainBalance.path, nonce: venue.nonce('paper') })
      const asked = { path: contract.mainBalance.path, headers: headersOf('paper', body), body }
      // Nobody signed it, so it cannot count, and who sends it should know.
      const behind = errorOf(await venue.send({ ...asked, query: 'ticker=ETH&x' }))
      expect(behind).toMatchObject({ status: 400, code: 0, keys: ['ticker', 'x'] })
    },
  ),
  clause('1.1', 'a body that is a JSON array or no JSON at all is refused', async (venue) => {
    for (const body of ['[]', 'null', '"text"', '7', '{"request"', '']) {
      const path = contract.mainBalance.path
      const headers = { ...headersOf('paper', body) }
      const { code, status } = errorOf(await venue.send({ path, headers, body }))
      expect({ body, code, status }).toEqual({ body, code: 0, status: body === '' ? 401 : 400 })
    }
  }),
  clause('1.1', 'a parameter that no table lists is refused by its name', async (venue) => {
    for (const name of privateNames.filter((each) => contract[each].invalid.code === 0)) {
      const error = await refused(venue, name, { ...exampleOf(name), postonly: true })
      expect(error.errors['postonly'], name).toHaveLength(1)
    }
    await failsOn(venue, { postonly: true }, ['postonly'])
  }),
  clause('1.2', 'every endpoint answers with a JSON object or array', async (venue) => {
    await venue.send({ method: 'GET', path: pingPath })
    for (const name of privateNames) await venue.signed(name, exampleOf(name))
    expect(venue.exchanged).toHaveLength(19)
    for (const { contentType, body, path } of venue.exchanged) {
      expect(contentType, path).toBe('application/json')
      const answer: unknown = JSON.parse(body)
      expect(typeof answer === 'object' && answer !== null, path).toBe(true)
    }
  }),
  clause('1.3', 'times are whole Unix seconds', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '10' }))
    const { data } = await shown(venue, 'flexInvestments', venue.paper.flexInvestments())
    expect(data[0]?.createdAt).toBe(Math.floor(beginsAtMs / 1000))
  }),
  clause('1.3', 'times of orders are Unix seconds with a fraction', async (venue) => {
    const placed = await place(venue, venue.paper, {})
    expect(placed.timestamp).toBe(beginsAtMs / 1000)
    expect(Number.isInteger(placed.timestamp)).toBe(false)
  }),
  clause('1.4', 'amounts and prices are sent and answered as text, digit for digit', async (venue) => {
    await done(venue.paper.createCode({ ticker: 'USDT', amount: '0.00000001' }))
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99999.99999999')
    await place(venue, venue.paper, { amount: '0.010', price: '50000.5' })
    expect(last(venue).sent).toContain('"amount":"0.010","price":"50000.5"')
    expect(last(venue).body).toContain('"amount":"0.01"')
    expect(last(venue).body).toContain('"price":"50000.5"')
  }),
  clause('1.4', 'a JSON number, an exponent, a sign, NaN or a blank is no decimal', async (venue) => {
    for (const amount of [
      10,
      '1e1',
      '-10',
      '+10',
      'NaN',
      '',
      ' 10',
      '10.',
      '.5',
      '010',
      '1,000',
      null,
      true,
    ]) {
      await refusesKeys(venue, 'fixedInvest', { planId: fixedUsdt, amount }, ['amount'])
      await refusesKeys(venue, 'createCode', { ticker: 'USDT', amount }, ['amount'])
      await failsOn(venue, { amount }, ['amount'])
      await failsOn(venue, { price: amount }, ['price'])
    }
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100000')
  }),
  clause('1.5', 'the ping answers an array of the one word pong, without authentication', async (venue) => {
    const answer = await venue.send({ method: 'GET', path: pingPath })
    expect(answer).toMatchObject({ status: 200, contentType: 'application/json', body: '["pong"]' })
    expect(Object.keys(answer.headers)).toEqual([])
    expect(await done(venue.paper.ping({}))).toEqual(['pong'])
  }),
  clause('1.5', 'public endpoints beyond the ping are not served', async (venue) => {
    for (const path of ['/api/v4/public/time', '/api/v4/public/markets', '/api/v4/public']) {
      const answer = await venue.send({ method: 'GET', path })
      expect(answer.status, path).toBe(404)
      if (path !== '/api/v4/public') resources.publicError.parse(JSON.parse(answer.body))
    }
  }),
  clause('1.6', 'an account without partner access is turned away from seven endpoints', async (venue) => {
    for (const name of partnerNames) {
      const error = await refused(venue, name, exampleOf(name), { as: 'rival' })
      expect({ name, status: error.status, code: error.code }).toEqual({ name, status: 403, code: 0 })
    }
  }),
  clause('1.6', 'a partner is let in to all of them, and anyone to the other eleven', async (venue) => {
    for (const name of privateNames) {
      const as = partnerNames.includes(name) ? 'paper' : 'rival'
      expect((await venue.signed(name, exampleOf(name), { as })).status, name).not.toBe(403)
    }
  }),
  clause('1', 'request is the path of the call, as text', async (venue) => {
    await done(venue.paper.flexPlans())
    expect(sentBody.parse(JSON.parse(last(venue).sent)).request).toBe(contract.flexPlans.path)
    for (const request of [null, 'a', '', 7, contract.mainBalance.path, '/api/v4/order/collateral/bulk/']) {
      const { status, code } = await refused(venue, 'tradingBalance', {}, { request })
      expect({ request, status, code }).toEqual({ request, status: 401, code: 0 })
    }
  }),
  clause(
    '1',
    'nonce is text that rises with every call, beginning at the time in milliseconds',
    async (venue) => {
      for (let call = 0; call < 3; call++) await done(venue.paper.mainBalance())
      const nonces = venue.exchanged.map(({ sent }) => sentBody.parse(JSON.parse(sent)).nonce)
      expect(nonces).toEqual([0, 1, 2].map((more) => String(beginsAtMs + more)))
      venue.advance(5000)
      await done(venue.paper.mainBalance())
      expect(sentBody.parse(JSON.parse(last(venue).sent)).nonce).toBe(String(beginsAtMs + 5000))
    },
  ),
  clause('1', 'a nonce that is missing or no whole number is refused', async (venue) => {
    for (const nonce of [null, '', '0', '-1', '1.5', '1e3', 'x', ' 7', 1.5, -1, {}, '9223372036854775808']) {
      const { status, code } = await refused(venue, 'mainBalance', {}, { nonce })
      expect({ nonce, status, code }).toEqual({ nonce, status: 401, code: 0 })
    }
    fits('mainBalance', await venue.signed('mainBalance', {}, { nonce: '7' }))
    fits('mainBalance', await venue.signed('mainBalance', {}, { nonce: 8 }))
  }),
  clause('1', 'a nonce that was used or is lower changes nothing, and the next one works', async (venue) => {
    fits('mainBalance', await venue.signed('mainBalance', {}, { nonce: '100' }))
    for (const nonce of ['100', '99']) {
      const about = { ticker: 'USDT', amount: '1' }
      expect(await refused(venue, 'createCode', about, { nonce })).toMatchObject({ status: 429, code: 0 })
    }
    const answer = fits('mainBalance', await venue.signed('mainBalance', {}, { nonce: '101' }))
    expect(answer['USDT']).toEqual({ main_balance: '100000' })
  }),
  clause('1', 'nonces count for each key by itself', async (venue) => {
    fits('mainBalance', await venue.signed('mainBalance', {}, { nonce: '100' }))
    fits('mainBalance', await venue.signed('mainBalance', {}, { nonce: '50', as: 'rival' }))
  }),
  clause(
    '1',
    'nonceWindow admits unique times around now in any order, and none that has come without it',
    async (venue) => {
      const windowed = (offset: number) =>
        venue.signed('mainBalance', { nonceWindow: true }, { nonce: String(beginsAtMs + offset) })
      for (const offset of [0, 5000, -5000, 1]) fits('mainBalance', await windowed(offset))
      expect(errorOf(await windowed(1)).status).toBe(429)
      for (const offset of [5001, -5001]) expect(errorOf(await windowed(offset)).status).toBe(401)
      const rising = (offset: number) =>
        venue.signed('mainBalance', {}, { nonce: String(beginsAtMs + offset) })
      expect(errorOf(await rising(5000)).status).toBe(429)
      fits('mainBalance', await rising(2))
      expect(errorOf(await windowed(2)).status).toBe(429)
      fits('mainBalance', await rising(600_000))
      venue.advance(600_000)
      expect(errorOf(await windowed(600_000)).status).toBe(429)
      const words = await refused(venue, 'mainBalance', { nonceWindow: 'true' })
      expect(words).toMatchObject({ status: 401, code: 0 })
    },
  ),
  clause(
    '1',
    'a world with strict nonces knows no nonceWindow',
    async (venue) => {
      const about = { nonce: String(beginsAtMs) }
      const error = await refused(venue, 'mainBalance', { nonceWindow: true }, about)
      expect(error).toMatchObject({ status: 401, code: 0 })
      fits('mainBalance', await venue.signed('mainBalance', {}, about))
    },
    { world: { switches: { nonce: 'strict' } } },
  ),
  clause('9', 'the version is part of every path, and the description carries 4.0.0', async (venue) => {
    for (const name of ['ping', ...privateNames] as const) {
      expect(contract[name].path).toMatch(/^\/api\/v4\/[a-z]/)
    }
    expect(openApiDocument(contract, 'spec')).toMatchObject({ info: { version: '4.0.0' } })
    await done(venue.paper.ping({}))
  }),
  clause('9', 'no earlier version is served, nor any other path', async (venue) => {
    for (const path of [
      '/api/v1/public/ping',
      '/api/v2/x',
      '/api/v3/order/collateral/bulk',
      '/',
      '/api/v4/',
    ]) {
      expect(errorOf(await venue.send({ path })), path).toMatchObject({ status: 404, code: 0 })
    }
    const { path } = contract.mainBalance
    for (const near of [`${path}/`, path.toUpperCase(), `/${path}`]) {
      expect((await venue.send({ path: near })).status, near).toBe(404)
    }
  }),
  clause('9', 'both regional addresses serve every path', async (venue) => {
    expect(await done(venue.eu.ping({}))).toEqual(['pong'])
    for (const name of privateNames) {
      const answer = await venue.signed(name, exampleOf(name), { region: 'eu' })
      expect([200, 400, 422], name).toContain(answer.status)
    }
  }),
  clause('9', 'what is done at one address is seen at the other', async (venue) => {
    await done(venue.paper.createCode({ ticker: 'USDT', amount: '1' }))
    expect((await done(venue.eu.mainBalance({ ticker: 'USDT' })))['USDT']?.main_balance).toBe('99999')
    await bulk(venue, venue.eu, [order({ client_order_id: 'from.europe' })])
    const again = await element(venue, { client_order_id: 'from.europe' })
    expect(again.error?.errors).toHaveProperty('client_order_id')
  }),
  clause('9', 'a nonce used at one address is used at the other', async (venue) => {
    fits('mainBalance', await venue.signed('mainBalance', {}, { nonce: '500' }))
    const error = await refused(venue, 'mainBalance', {}, { nonce: '500', region: 'eu' })
    expect(error.status).toBe(429)
  }),
]
