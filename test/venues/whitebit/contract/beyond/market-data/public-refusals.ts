import { expect } from 'vitest'
import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { TestVenue } from '#test/support/venue.ts'
import { errorOf, last } from '#test/venues/whitebit/contract/spec/reading.ts'
import { resources } from '#test/venues/whitebit/contract/spec/resources/resources.ts'
import { beyond } from '#test/venues/whitebit/contract/beyond/clause.ts'
import { asked } from './public-calls.ts'

const perp = { market: 'BTC_PERP' }
const flat = ['orderbook', 'depth', 'trades', 'fundingRates'] as const
const wrapped = ['kline', 'marketTicker'] as const
const plain = [
  'time',
  'platformStatus',
  'assets',
  'markets',
  'collateralMarkets',
  'futures',
  'fee',
  'ticker',
] as const
const nowhere = { market: ['Market is not available.'] }

async function calls(venue: TestVenue, count: number, name: EndpointName, market: string): Promise<void> {
  for (let call = 1; call <= count; call++) {
    const { status } = await asked(venue, name, { market })
    if (status !== 200) throw new Error(`call ${call} of ${count} was answered with status ${status}`)
  }
}

export const publicRefusals = [
  beyond('public', 'a market that is not there is refused, each in its wording', async (venue) => {
    for (const name of flat) {
      const { status, body } = await asked(venue, name, { market: 'DOGE_PERP' })
      expect({ status, answer: JSON.parse(body) }, name).toEqual({ status: 422, answer: nowhere })
    }
    for (const name of wrapped) {
      const { status, body } = await asked(venue, name, { market: 'DOGE_PERP' })
      expect({ status, answer: JSON.parse(body) }, name).toEqual({
        status: 200,
        answer: { success: false, message: nowhere, result: null },
      })
    }
  }),
  beyond('public', 'the client reads every wording as a refusal with its parameters', async (venue) => {
    const market = 'DOGE_PERP'
    for (const name of [...flat, ...wrapped]) {
      expect(await venue.paper.call(name, { market }), name).toEqual({
        kind: 'refused',
        status: flat.some((each) => each === name) ? 422 : 200,
        code: null,
        message: 'Validation failed',
        errors: nowhere,
      })
    }
  }),
  beyond('public', 'the client sends no parameter that does not fit', async (venue) => {
    const sent = venue.exchanged.length
    expect(await venue.paper.orderbook({ ...perp, limit: 101 })).toMatchObject({
      kind: 'not-sent',
      problems: { limit: [expect.any(String)] },
    })
    expect(await venue.paper.trades({ market: 'btc/../../x' })).toMatchObject({ kind: 'not-sent' })
    expect(venue.exchanged).toHaveLength(sent)
    await venue.paper.trades({ ...perp, type: undefined })
    expect(last(venue)).toMatchObject({ path: '/api/v4/public/trades/BTC_PERP', query: '' })
    await venue.paper.orderbook({ ...perp, limit: 5 })
    expect(last(venue)).toMatchObject({ path: '/api/v4/public/orderbook/BTC_PERP', query: 'limit=5' })
  }),
  beyond(
    'public',
    'a parameter that is unknown is ignored, and one that comes twice is named',
    async (venue) => {
      for (const name of [...flat, ...wrapped, ...plain]) {
        const parameters = plain.some((each) => each === name) ? {} : perp
        const usual = await asked(venue, name, parameters)
        const { status, body } = await asked(venue, name, { ...parameters, colour: 'red' })
        expect([status, body], name).toEqual([200, usual.body])
      }
      const twice = { market: ['This parameter is given twice.'] }
      const path = '/api/v1/public/kline'
      const both = await venue.send({ method: 'GET', path, query: 'market=BTC_PERP&market=ETH_PERP' })
      expect(JSON.parse(both.body)).toMatchObject({ message: twice })
      expect(JSON.parse((await venue.send({ ...bookCall, query: 'market=BTC_PERP' })).body)).toEqual(twice)
    },
  ),
  beyond(
    'public',
    'a world may name a parameter that is unknown',
    async (venue) => {
      for (const [name, wording] of [
        ...flat.map((name) => [name, 'flat'] as const),
        ...wrapped.map((name) => [name, 'wrapped'] as const),
        ...plain.map((name) => [name, 'plain'] as const),
      ]) {
        const unknown = await asked(venue, name, { ...(wording === 'plain' ? {} : perp), colour: 'red' })
        const answer: Record<string, unknown> = JSON.parse(unknown.body)
        const texts = { colour: ['This field is not known.'] }
        if (wording === 'flat') expect([unknown.status, answer]).toEqual([422, texts])
        else if (wording === 'wrapped') expect([unknown.status, answer['message']]).toEqual([200, texts])
        else {
          expect(unknown.status, name).toBe(400)
          expect(resources.publicError.parse(answer).message).toBe('colour: This field is not known.')
        }
      }
      expect((await venue.send({ ...bookCall, query: '%ff=%&&=' })).status).toBe(422)
      expect((await venue.send({ ...bookCall, query: '__proto__=1&constructor=2' })).status).toBe(422)
    },
    { world: { switches: { unknownParameters: 'refuse' } } },
  ),
  beyond('public', 'numbers of a query are plain integers', async (venue) => {
    for (const [limit, fits] of [
      ['1', true],
      ['100', true],
      ['101', false],
      ['-1', false],
      ['1.0', false],
      ['1e1', false],
      ['%201', false],
      ['', false],
      ['99999999999999999999', false],
    ] as const) {
      const { status, body } = await asked(venue, 'orderbook', { ...perp, limit })
      expect(status, `${limit} ${body}`).toBe(fits ? 200 : 422)
      if (!fits) expect(Object.keys(JSON.parse(body))).toEqual(['limit'])
    }
    const { status, body } = await asked(venue, 'trades', { ...perp, type: 'hold' })
    expect([status, Object.keys(JSON.parse(body))]).toEqual([422, ['type']])
  }),
  beyond('public', 'strange paths and queries are refused in a documented shape', async (venue) => {
    for (const end of ['', 'btc_perp', 'BTC', '%42TC_PERP', '__proto__', 'BTC_PERP%00', 'x'.repeat(9000)]) {
      const path = `/api/v4/public/trades/${end}`
      const { status, body } = await venue.send({ method: 'GET', path })
      expect([status, Object.keys(JSON.parse(body))], end).toEqual([422, ['market']])
    }
    for (const path of [
      '/api/v4/public/trades',
      '/api/v4/public/trades/BTC_PERP/x',
      '/api/v4/public/depth/BTC_PERP',
    ]) {
      const { status, body } = await venue.send({ method: 'GET', path })
      expect(status, path).toBe(404)
      resources.publicError.parse(JSON.parse(body))
    }
    expect((await venue.send({ ...bookCall, query: '%ff=%&&=' })).status).toBe(200)
    expect((await venue.send({ ...bookCall, query: '__proto__=1&constructor=2' })).status).toBe(200)
    const long = await venue.send({ ...bookCall, query: `a=${'b'.repeat(2000)}` })
    expect([long.status, resources.publicError.parse(JSON.parse(long.body)).message]).toEqual([
      400,
      'The query is too long.',
    ])
    const posted = await venue.send({ ...bookCall, method: 'POST' })
    expect(posted).toMatchObject({ status: 405, allow: 'GET' })
    resources.publicError.parse(JSON.parse(posted.body))
  }),
  beyond(
    'public',
    'each endpoint has its limit, all markets together',
    async (venue) => {
      for (const [name, most] of [
        ['orderbook', 600],
        ['depth', 2000],
        ['kline', 1000],
      ] as const) {
        await calls(venue, most - 1, name, 'BTC_PERP')
        await calls(venue, 1, name, 'ETH_PERP')
        const answer = await asked(venue, name, { market: 'SOL_PERP' })
        expect(answer, name).toMatchObject({ status: 429, retryAfter: '10' })
        resources.publicError.parse(JSON.parse(answer.body))
      }
      expect((await asked(venue, 'trades', perp)).status).toBe(200)
      expect(await venue.paper.orderbook(perp, { deadlineMs: 5000 })).toMatchObject({ throttle: 'rate' })
      venue.advance(10_000)
      expect((await asked(venue, 'orderbook', perp)).status).toBe(200)
    },
    { isLong: true },
  ),
  beyond(
    'public',
    'profile spec serves none of it',
    async (venue) => {
      for (const name of [...flat, ...plain]) {
        const { status, body } = await asked(venue, name, perp)
        expect(status, name).toBe(404)
        expect(resources.publicError.parse(JSON.parse(body)).message).toBe('This endpoint does not exist.')
      }
      for (const name of wrapped) expect(errorOf(await asked(venue, name, perp)).status, name).toBe(404)
      expect(await venue.paper.ticker()).toMatchObject({ kind: 'refused', status: 404, code: null })
    },
    { profile: 'spec' },
  ),
]

const bookCall = { method: 'GET', path: '/api/v4/public/orderbook/BTC_PERP' }
