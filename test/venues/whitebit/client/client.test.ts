import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { inProcessTransport } from '#src/venues/whitebit/client/transport/in-process.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { signedRequest } from '#src/venues/whitebit/client/calls/signed-request.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { Secret, signedHeaders } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { WireRequest } from '#src/venues/whitebit/contract/wire/wire.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'
import {
  clientOf,
  credentials,
  example,
  json,
  keyText,
  order,
  placed,
  secretText,
  serve,
  startMs,
  systemNonces,
  type Place,
} from './scripted-venue.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function bodyOf(request: WireRequest | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(request?.body ?? []).toString())
}

function asText(parameters: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
}

const names = Object.keys(contract)
const isName = (name: string): name is EndpointName => Object.hasOwn(contract, name)
const id = '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64'

describe('every row of the contract', () => {
  test('is a method, and nothing else is', () => {
    const { client } = clientOf(() => json(200, {}))
    expect(Object.keys(client).sort()).toEqual([...names, 'call', 'lanes', 'close'].sort())
  })

  test.each(names.filter(isName))('%s takes its example and gives its example', async (name) => {
    const heard: WireRequest[] = []
    const { client } = clientOf((request) => {
      heard.push(request)
      return example(name)
    })
    const outcome = await client.call(name, contract[name].example.request)
    const kinds = { read: 'answer', write: 'accepted' }
    expect(outcome.kind).toBe(name === 'collateralBulk' ? 'answered' : kinds[contract[name].effect])
    if ('value' in outcome) expect(outcome.value).toEqual(contract[name].example.response)
    const { access, path, example: told }: Endpoint = contract[name]
    if (access === 'public') {
      const { market, ...others } = told.request
      const inPath = path.endsWith('/{market}')
      expect(heard[0]).toMatchObject({ method: 'GET', path: path.replace('{market}', String(market)) })
      expect(Object.fromEntries(new URLSearchParams(heard[0]?.query))).toEqual(
        asText(inPath ? others : told.request),
      )
      expect(heard[0]?.body).toHaveLength(0)
      return
    }
    expect(heard[0]).toMatchObject({ method: 'POST', path, query: '' })
    expect(bodyOf(heard[0])).toEqual({ ...told.request, request: path, nonce: String(startMs) })
  })
})

describe('signing', () => {
  const keyed = { key: 'testKey', secret: new Secret('testSecretKey') }

  test('gives the payload and signature that the public documents lead to', () => {
    const request = signedRequest(
      contract.tradingBalance,
      {},
      {
        credentials: keyed,
        nonce: '1700000000000',
        nonceWindow: false,
        spelling: 'spec',
      },
    )
    expect(Buffer.from(request.body).toString()).toBe(
      '{"request":"/api/v4/trade-account/balance","nonce":"1700000000000"}',
    )
    expect(request.headers).toEqual({
      'content-type': 'application/json',
      'x-txc-apikey': 'testKey',
      'x-txc-payload':
        'eyJyZXF1ZXN0IjoiL2FwaS92NC90cmFkZS1hY2NvdW50L2JhbGFuY2UiLCJub25jZSI6IjE3MDAwMDAwMDAwMDAifQ==',
      'x-txc-signature':
        'c4fe6b9973fbb846d761789d3078701e85b87a76f7974b5edd7129b8c4e81c55' +
        'd7e06c49e170ac1888128017a188ee1ccbdf181baefcd98a6a6a30cb360f9457',
    })
    const text =
      '{"ticker":"BTC","request":"/api/v4/trade-account/balance","nonce":1700000000001,"nonceWindow":true}'
    expect(signedHeaders(keyed, Buffer.from(text))['x-txc-signature']).toBe(
      'd8a47f818c02f9642f441c3d8c2855f900423997698df69cb064de8f00ed7b17' +
        'e1ddb8d9b14876d8261d72850199a392eee0705ef74e7848a51e315acf758fe1',
    )
  })

  test('covers the very bytes that travel', async () => {
    const place = await placeOf(serve((response) => response.end(example('createCode').body)))
    const client = createClient({
      transport: httpTransport(place.url),
      key: { credentials, nonces: systemNonces() },
    })
    closers.push(() => client.close())
    await client.createCode({ ticker: 'USDT', amount: '1', description: 'Zürich → 東京 "quoted" \\ /' })
    const [heard] = place.heard
    expect(heard?.headers['x-txc-payload']).toBe(Buffer.from(heard?.body ?? '').toString('base64'))
    const { secret } = credentials
    expect(
      secret.verifies(String(heard?.headers['x-txc-payload']), String(heard?.headers['x-txc-signature'])),
    ).toBe(true)
  })

  test('of a call with the window says so in the envelope', async () => {
    const heard: WireRequest[] = []
    const clock = new ManualClock(startMs)
    const { client } = clientOf((request) => (heard.push(request), example('mainBalance')), {
      clock,
      nonces: new Nonces({ clock, mode: 'window' }),
    })
    await client.mainBalance()
    expect(bodyOf(heard[0])).toEqual({
      request: contract.mainBalance.path,
      nonce: String(startMs),
      nonceWindow: true,
    })
  })
})

test('Decimals and decimal text leave as the same text', async () => {
  const heard: WireRequest[] = []
  const { client } = clientOf((request) => (heard.push(request), json(200, [placed()])))
  await client.collateralBulk({
    orders: [{ ...order, amount: new Decimal('0.020'), price: new Decimal('6e4') }],
  })
  expect(bodyOf(heard[0])['orders']).toEqual([order])
})

test('names are written as configured, and read in either spelling', async () => {
  const heard: WireRequest[] = []
  const { client_order_id, ...rest } = order
  const { client } = clientOf((request) => (heard.push(request), json(200, [placed()])), {
    spelling: 'camel',
  })
  const outcome = await client.collateralBulk({ orders: [order] })
  expect(bodyOf(heard[0])['orders']).toEqual([{ ...rest, clientOrderId: client_order_id }])
  expect(outcome.orders[0]).toMatchObject({ kind: 'accepted', order: { client_order_id } })
  await client.refundDeposit({ transaction_id: id, address: 'TX' })
  expect(bodyOf(heard[1])).toMatchObject({ transactionId: id, address: 'TX' })
})

describe('a call that cannot be made', () => {
  test('names every parameter that does not fit, and sends nothing', async () => {
    const { client } = clientOf(() => {
      throw new Error('nothing may be sent')
    })
    const outcome = await client.call('createCode', {
      ticker: 'usdt',
      amount: 5,
      passphrase: 'a b',
      extra: 1,
    })
    expect(outcome).toMatchObject({ kind: 'not-sent', cause: 'invalid' })
    expect(outcome.kind === 'not-sent' && Object.keys(outcome.problems).sort()).toEqual([
      'amount',
      'extra',
      'passphrase',
      'ticker',
    ])
  })

  test('without a key is not sent, while public calls are', async () => {
    const client = createClient({ transport: inProcessTransport(() => example('ping'), systemClock) })
    expect(await client.mainBalance()).toMatchObject({ kind: 'not-sent', cause: 'no-key' })
    expect(await client.ping()).toEqual({ kind: 'answer', value: ['pong'] })
  })

  test('strict nonces and calls that overlap are a contradiction', () => {
    const key = { credentials, nonces: systemNonces(), concurrency: 2 }
    expect(() => createClient({ transport: httpTransport('http://127.0.0.1:1'), key })).toThrow(/in order/)
  })
})

async function placeOf(opening: Promise<Place>): Promise<Place> {
  const place = await opening
  closers.unshift(() => place.close())
  return place
}

test('no outcome ever shows a key, a secret, a signature or a body', async () => {
  const places = [
    await placeOf(serve((response, { body }) => response.end(body))),
    await placeOf(serve((response, { headers }) => response.writeHead(400).end(JSON.stringify(headers)))),
    await placeOf(serve((response, { headers }) => response.writeHead(500).end(JSON.stringify(headers)))),
    await placeOf(serve((response) => response.destroy())),
  ]
  for (const { url, heard } of places) {
    const client = createClient({
      transport: httpTransport(url),
      key: { credentials, nonces: systemNonces() },
      random: () => 0,
    })
    closers.push(() => client.close())
    const passphrase = 'canary-pass-77'
    const outcomes = [
      await client.createCode({ ticker: 'USDT', amount: '1', passphrase }),
      await client.collateralBulk({ orders: [order] }),
      await client.mainBalance(),
    ]
    const shown =
      inspect([outcomes, client, credentials], { depth: 20, showHidden: true }) + JSON.stringify(outcomes)
    const signatures = heard.map(({ headers }) => String(headers['x-txc-signature']))
    for (const secret of [secretText, passphrase, ...signatures]) expect(shown).not.toContain(secret)
    expect(JSON.stringify(outcomes)).not.toContain(keyText)
  }
})
