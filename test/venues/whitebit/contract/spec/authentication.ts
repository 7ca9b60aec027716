import { expect } from 'vitest'
import { Secret, signedHeaders } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { headersOf } from '#test/support/venue.ts'
import { clause } from './clause.ts'
import { done, errorOf, fits, flexUsdt, last, order, refused, shown, tronAddress } from './reading.ts'
import { exampleOf, partnerNames, pingPath, privateNames } from './rows.ts'

const { path } = contract.mainBalance
/** Computed by hand from the rule in assumptions.signatureKey, so that both sides cannot be wrong together. */
const vectors = [
  {
    body: '{"request":"/api/v4/trade-account/balance","nonce":"1700000000000"}',
    payload: 'eyJyZXF1ZXN0IjoiL2FwaS92NC90cmFkZS1hY2NvdW50L2JhbGFuY2UiLCJub25jZSI6IjE3MDAwMDAwMDAwMDAifQ==',
    signature:
      'c4fe6b9973fbb846d761789d3078701e85b87a76f7974b5edd7129b8c4e81c55' +
      'd7e06c49e170ac1888128017a188ee1ccbdf181baefcd98a6a6a30cb360f9457',
  },
  {
    body: '{"ticker":"BTC","request":"/api/v4/trade-account/balance","nonce":1700000000001,"nonceWindow":true}',
    payload:
      'eyJ0aWNrZXIiOiJCVEMiLCJyZXF1ZXN0IjoiL2FwaS92NC90cmFkZS1hY2NvdW50L2JhbGFuY2UiLCJub25jZSI6' +
      'MTcwMDAwMDAwMDAwMSwibm9uY2VXaW5kb3ciOnRydWV9',
    signature:
      'd8a47f818c02f9642f441c3d8c2855f900423997698df69cb064de8f00ed7b17' +
      'e1ddb8d9b14876d8261d72850199a392eee0705ef74e7848a51e315acf758fe1',
  },
]
const knownKey = {
  world: {
    accounts: {
      paper: {
        keys: [
          { key: 'paper-key', secret: 'paper-secret' },
          { key: 'known-key', secret: 'testSecretKey' },
        ],
      },
    },
  },
}
const moving = privateNames.filter((name) => contract[name].permission !== 'read')

/** §5: who may call, and how it is proven. */
export const authentication = [
  clause('5.1', 'every private endpoint refuses a call that is not signed', async (venue) => {
    for (const name of privateNames) {
      const headers = { 'Content-type': 'application/json' }
      const answer = await venue.send({ path: contract[name].path, headers, body: '{}' })
      expect(errorOf(answer), name).toMatchObject({ status: 401, code: 0 })
    }
  }),
  clause('5.1', 'the public endpoint asks for no authentication, and looks at none', async (venue) => {
    fits('ping', await venue.send({ method: 'GET', path: pingPath }))
    fits('ping', await venue.send({ method: 'GET', path: pingPath, headers: { 'X-TXC-APIKEY': 'nobody' } }))
  }),
  clause('5.2', 'the client sends the four headers, made from the very bytes of the body', async (venue) => {
    await done(venue.paper.mainBalance({ ticker: 'BTC' }))
    const { headers, sent } = last(venue)
    const expected = headersOf('paper', sent)
    for (const [name, value] of Object.entries(expected)) expect(headers[name.toLowerCase()]).toBe(value)
    expect(Object.keys(headers)).toHaveLength(4)
  }),
  clause('5.2', 'Content-type has to be application/json', async (venue) => {
    for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const error = await refused(venue, 'mainBalance', {}, { headers: { 'Content-type': type } })
      expect(error).toMatchObject({ status: 415, code: 0 })
    }
    const charset = { 'Content-type': 'application/json; charset=utf-8' }
    fits('mainBalance', await venue.signed('mainBalance', {}, { headers: charset }))
  }),
  clause('5.2', 'each of the other three headers is needed', async (venue) => {
    for (const name of ['X-TXC-APIKEY', 'X-TXC-PAYLOAD', 'X-TXC-SIGNATURE']) {
      for (const value of [undefined, '']) {
        const error = await refused(venue, 'mainBalance', {}, { headers: { [name]: value } })
        expect(error, name).toMatchObject({ status: 401, code: 0 })
      }
    }
  }),
  clause(
    '5.2',
    'the payload is the standard Base64 of the body, of all of it and nothing else',
    async (venue) => {
      const body = JSON.stringify({ request: path, nonce: venue.nonce('paper') })
      const exact = Buffer.from(body).toString('base64')
      const others = [
        'junk',
        `${exact}=`,
        ` ${exact}`.trim().replace(/=+$/, ''),
        Buffer.from('{}').toString('base64'),
      ]
      for (const payload of others.filter((each) => each !== exact)) {
        const headers = { ...headersOf('paper', body), 'X-TXC-PAYLOAD': payload }
        expect(errorOf(await venue.send({ path, headers, body }))).toMatchObject({ status: 400, code: 0 })
      }
      fits('mainBalance', await venue.send({ path, headers: headersOf('paper', body), body }))
    },
  ),
  clause('5.2', 'a signature that is not the one of this payload is refused', async (venue) => {
    const good = headersOf('paper', JSON.stringify({ request: path, nonce: '1' }))['X-TXC-SIGNATURE'] ?? ''
    for (const signature of [good, good.slice(1), 'x', '0'.repeat(128), `${good}00`]) {
      const headers = { 'X-TXC-SIGNATURE': signature }
      const error = await refused(venue, 'mainBalance', {}, { headers, nonce: '2' })
      expect(error).toMatchObject({ status: 401, code: 0 })
    }
  }),
  clause('5.2', 'a call that was badly signed uses up no nonce of the owner', async (venue) => {
    const headers = { 'X-TXC-SIGNATURE': '0'.repeat(128) }
    expect((await refused(venue, 'mainBalance', {}, { headers, nonce: '900' })).status).toBe(401)
    fits('mainBalance', await venue.signed('mainBalance', {}, { nonce: '900' }))
  }),
  clause('5.3', 'the signed body carries the path and a nonce beside the parameters', async (venue) => {
    await done(venue.paper.tradingBalance({ ticker: 'BTC' }))
    expect(JSON.parse(last(venue).sent)).toEqual({
      ticker: 'BTC',
      request: '/api/v4/trade-account/balance',
      nonce: expect.stringMatching(/^\d{13}$/),
    })
  }),
  clause(
    '5.4',
    'the key is known by its header: an unknown one is refused like a wrong signature',
    async (venue) => {
      const unknown = await refused(venue, 'mainBalance', {}, { headers: { 'X-TXC-APIKEY': 'nobody' } })
      expect(unknown).toMatchObject({ status: 401, code: 0 })
      const foreign = await refused(venue, 'mainBalance', {}, { headers: { 'X-TXC-APIKEY': 'rival-key' } })
      expect(foreign).toEqual(unknown)
    },
  ),
  clause('5.4', 'the key says whose account it is', async (venue) => {
    expect(await shown(venue, 'mainBalance', venue.rival.mainBalance())).not.toHaveProperty('BTC')
    expect(await shown(venue, 'mainBalance', venue.paper.mainBalance())).toHaveProperty('BTC')
  }),
  clause(
    '5.5',
    'the signature is an HMAC-SHA512 of the payload with the secret, in hex',
    async (venue) => {
      const secret = new Secret('testSecretKey')
      for (const { body, payload, signature } of vectors) {
        expect(secret.sign(payload)).toBe(signature)
        expect(signedHeaders({ key: 'known-key', secret }, Buffer.from(body))).toEqual({
          'content-type': 'application/json',
          'x-txc-apikey': 'known-key',
          'x-txc-payload': payload,
          'x-txc-signature': signature,
        })
      }
      const [first] = vectors
      const headers = {
        'Content-type': 'application/json',
        'X-TXC-APIKEY': 'known-key',
        'X-TXC-PAYLOAD': first?.payload,
        'X-TXC-SIGNATURE': first?.signature,
      }
      const asked = { path: contract.tradingBalance.path, headers, body: first?.body ?? '' }
      expect(fits('tradingBalance', await venue.send(asked))).toHaveProperty('BTC')
      expect(errorOf(await venue.send(asked)).status).toBe(429)
    },
    knownKey,
  ),
  clause('5.6', 'request and nonce are needed on mining and sub-account calls too', async (venue) => {
    for (const name of [
      'payoutDestination',
      'workerHashrate',
      'accountHashrate',
      'editSubAccount',
    ] as const) {
      for (const about of [{ request: null }, { nonce: null }]) {
        expect(await refused(venue, name, exampleOf(name), about), name).toMatchObject({
          status: 401,
          code: 0,
        })
      }
      expect((await venue.signed(name, exampleOf(name))).status, name).toBe(200)
    }
  }),
  clause(
    '5.7',
    'a key that may only read is turned away from all that moves or changes anything',
    async (venue) => {
      expect(moving).toHaveLength(8)
      for (const name of moving) {
        const error = await refused(venue, name, exampleOf(name), { as: 'reader' })
        expect(error, name).toMatchObject({ status: 403, code: 0 })
      }
      await done(venue.reader.mainBalance())
      await done(venue.reader.tradingBalance())
      await done(venue.reader.orderHistory())
    },
  ),
  ...(['trade', 'funds', 'account'] as const).map((permission) =>
    clause(
      '5.7',
      `permission ${permission} opens exactly the endpoints of that kind`,
      async (venue) => {
        for (const name of privateNames) {
          const answer = await venue.signed(name, exampleOf(name))
          expect(answer.status === 403, name).toBe(contract[name].permission !== permission)
        }
      },
      {
        world: {
          accounts: {
            paper: { keys: [{ key: 'paper-key', secret: 'paper-secret', permissions: [permission] }] },
          },
        },
      },
    ),
  ),
  clause('5.7', 'a bearer token opens nothing', async (venue) => {
    const headers = { 'Content-type': 'application/json', Authorization: 'Bearer x' }
    expect(errorOf(await venue.send({ path, headers, body: '{}' })).status).toBe(401)
  }),
  clause(
    '5.8',
    'only partners reach flex and fixed-term endpoints, whatever their key may do',
    async (venue) => {
      for (const name of partnerNames) {
        expect(contract[name].access, name).toBe('partner')
        for (const as of ['rival', 'reader'] as const) {
          expect((await refused(venue, name, {}, { as })).status, name).toBe(403)
        }
        expect((await venue.signed(name, exampleOf(name))).status, name).not.toBe(403)
      }
    },
  ),
  clause('5.8', 'the client of a stranger is refused, and nothing has happened', async (venue) => {
    const outcome = await venue.rival.flexInvest({ plan: flexUsdt, amount: '10' })
    expect(outcome).toMatchObject({ kind: 'refused', status: 403 })
    const refund = await venue.reader.refundDeposit({
      transaction_id: '11111111-1111-4111-8111-000000000001',
      address: tronAddress,
    })
    expect(refund).toMatchObject({ kind: 'refused', status: 403 })
    const bulk = await venue.reader.collateralBulk({ orders: [order(), order()] })
    expect(bulk.orders.map((each) => each.kind)).toEqual(['refused', 'refused'])
    expect(await done(venue.rival.mainBalance())).toEqual({ USDT: { main_balance: '100000' } })
  }),
]
