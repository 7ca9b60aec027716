import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { openVenue, type VenueOptions, type TestVenue } from '#test/support/venue.ts'
import { worldWith, type WorldChange } from '#test/support/world.ts'

/** The client against the embedded exchange, which another room wrote from the same contract. */
const venues: TestVenue[] = []
afterEach(async () => {
  for (const venue of venues.splice(0)) await venue.close()
})

async function opened(options: VenueOptions = {}): Promise<TestVenue> {
  const venue = await openVenue('process', options)
  venues.push(venue)
  return venue
}

const rung = (id: string, amount = '0.01') =>
  ({ market: 'BTC_PERP', side: 'buy', amount, price: '50000', client_order_id: id }) as const
const kindsOf = (outcome: { orders: { kind: string }[] }) => outcome.orders.map(({ kind }) => kind)

describe('a bulk that stops at its second order leaves open at most what the answer omits', () => {
  const shapes = ['included', 'absent', 'full'] as const
  const spellings = ['spec', 'camel'] as const
  const worlds = shapes.flatMap((shape) => spellings.map((spelling) => ({ shape, spelling })))
  test.each(worlds)('$shape, $spelling', async ({ shape, spelling }) => {
    const { paper } = await opened({ world: { switches: { stopOnFailAnswer: shape } }, spelling })
    const orders = [rung('r1'), rung('r2', '0.0000001'), rung('r3'), rung('r4')]
    const outcome = await paper.collateralBulk({ orders, stopOnFail: true })
    // Without an element for the failing order, the answer looks like one that has lost its end.
    const [second, later] = shape === 'absent' ? ['unknown', 'unknown'] : ['refused', 'not-attempted']
    expect(kindsOf(outcome)).toEqual(['accepted', second, later, later])
    const rest = await paper.collateralBulk({ orders: [rung('r3'), rung('r4')], stopOnFail: true })
    expect(kindsOf(rest)).toEqual(['accepted', 'accepted'])
  })
})

test('an order sent again under its id is refused as used already', async () => {
  for (const profile of ['spec', 'full'] as const) {
    const { paper } = await opened({ profile })
    expect(kindsOf(await paper.collateralBulk({ orders: [rung('once')] }))).toEqual(['accepted'])
    const again = await paper.collateralBulk({ orders: [rung('once')] })
    expect(again.orders[0]).toMatchObject({ kind: 'refused', alreadyUsed: true })
    const small = await paper.collateralBulk({ orders: [rung('small', '0.0000001')] })
    expect(small.orders[0]).toMatchObject({ kind: 'refused', alreadyUsed: false })
  }
})

test('a refusal is a refusal, whatever status the world gives it', async () => {
  for (const refusalStatus of ['split', '200', '400', '422'] as const) {
    const { paper } = await opened({ world: { switches: { refusalStatus } } })
    expect(await paper.fixedClose({ id: '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64' })).toMatchObject({
      kind: 'refused',
      code: 0,
    })
    expect(await paper.depositAddress({ ticker: 'NONE' })).toMatchObject({ kind: 'refused' })
  }
})

test('a nonce that was overtaken is refused once, and the next read goes above it', async () => {
  const venue = await opened()
  const ahead = String(Number(venue.nonce('paper')) + 500)
  await venue.signed('mainBalance', {}, { nonce: ahead })
  expect(await venue.paper.fixedClose({ id: '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64' })).toMatchObject({
    kind: 'refused',
    throttle: 'nonce',
  })
  expect((await venue.paper.mainBalance()).kind).toBe('answer')
})

async function overSockets(world: WorldChange, mode: 'strict' | 'window', concurrency: number) {
  const exchange = await startExchange({
    world: worldWith(world),
    clock: systemClock,
    seed: 'sockets',
    port: 0,
    euPort: 0,
  })
  const client = createClient({
    transport: httpTransport(exchange.url, { connections: concurrency }),
    secondTransport: httpTransport(exchange.euUrl, { connections: concurrency }),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock: systemClock, mode }),
      concurrency,
    },
  })
  return {
    client,
    close: async () => {
      await client.close()
      await exchange.close()
    },
  }
}

test.each([
  ['strict', 1],
  ['window', 5],
] as const)('fifty calls at once, nonces %s: every one is answered', async (mode, concurrency) => {
  const { client, close } = await overSockets({ switches: { nonce: mode } }, mode, concurrency)
  try {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, call) =>
        call % 2 === 0
          ? client.tradingBalance()
          : client.collateralBulk({ orders: [rung(`r${call}`, '0.001')] }),
      ),
    )
    const unanswered = outcomes.filter(({ kind }) => kind !== 'answer' && kind !== 'answered')
    expect(unanswered).toEqual([])
  } finally {
    await close()
  }
})
