import { describe, expect, test } from 'vitest'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { Nonces, type NonceMode } from '#src/venues/whitebit/client/calls/nonces.ts'
import { directTransport, inProcessTransport } from '#src/venues/whitebit/client/transport/in-process.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import type { World } from '#src/exchange/world-file.ts'
import type { Profile } from '#src/exchange/venue-context.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { canonical } from '#test/exchange/state-text.ts'
import { beginsAt, credentialsOf, paperWorld, worldWith } from '#test/exchange/exchange-fixture.ts'

/** A direct call has the effects and the outcome of the same call as signed text. */
type Steps = (client: Client, other: Client) => Promise<unknown>[]
type About = { world?: World; profile?: Profile; mode?: NonceMode; account?: string }

async function played(isDirect: boolean, steps: Steps, { world, profile, mode, account }: About) {
  const clock = new ManualClock(beginsAt)
  const exchange = new Exchange({
    world: world ?? paperWorld,
    seed: 'a seed',
    begin: beginsAt,
    profile: profile ?? 'full',
  })
  const asText = inProcessTransport((request, now) => exchange.handle(request, now), clock)
  const transport = isDirect ? directTransport(exchange, clock) : asText
  // The other program of the same key is the same in both runs.
  const [client, other] = [transport, asText].map((line) => clientOf(line, clock, mode, account))
  if (!client || !other) throw new RangeError('there are two clients')
  const outcomes: unknown[] = []
  for (const outcome of steps(client, other)) outcomes.push(await outcome)
  return { outcomes, state: canonical(exchange.state) }
}

function clientOf(
  transport: Transport,
  clock: ManualClock,
  mode: NonceMode = 'strict',
  account = 'paper',
): Client {
  const key = { credentials: credentialsOf(account), nonces: new Nonces({ clock, mode }) }
  return createClient({ transport, clock, random: () => 0.5, key, keepRates: false })
}

async function expectTheSame(steps: Steps, about: About = {}): Promise<unknown[]> {
  const [direct, written] = [await played(true, steps, about), await played(false, steps, about)]
  expect(direct.outcomes).toEqual(written.outcomes)
  expect(direct.state).toBe(written.state)
  return direct.outcomes
}

const rung = (id: string, more: Record<string, unknown> = {}) =>
  ({ market: 'BTC_PERP', side: 'buy', amount: '0.01', price: '50000', client_order_id: id, ...more }) as const

const id = '6A2D7C11-90CF-4D1E-8C7E-3B5F0E9D2A64'

test('orders that rest, fill, carry exits or are refused', async () => {
  const orders = [
    rung('rests'),
    rung('rests'),
    rung('takes', { price: '63000', ioc: true }),
    rung('crosses', { price: '63000', postOnly: true }),
    rung('small', { amount: '0.0000001' }),
    rung('exits', { takeProfit: '70000', stopLoss: '40000' }),
    rung('poor', { amount: '1000' }),
    rung('closes', { side: 'sell', price: '90000', reduceOnly: true }),
  ]
  const world = worldWith({})
  const attached: World = { ...world, attachedExits: 'placed' }
  const [outcome] = await expectTheSame((client) => [client.collateralBulk({ orders })], { world: attached })
  expect(outcome).toMatchObject({ kind: 'answered' })
  expect(JSON.stringify(outcome).match(/"kind":"(?:accepted|refused)"/g)?.length).toBeGreaterThan(6)
})

describe.each(['included', 'absent', 'full'] as const)('an answer of shape %s', (stopOnFailAnswer) => {
  test.each(['spec', 'full'] as const)('that stops at a failing order, in profile %s', async (profile) => {
    const orders = [rung('r1'), rung('r2', { amount: '0.0000001' }), rung('r3')]
    await expectTheSame((client) => [client.collateralBulk({ orders, stopOnFail: true })], {
      world: worldWith({ stopOnFailAnswer }),
      profile,
    })
  })
})

test('reads, single orders and refusals of the whole call', async () => {
  const outcomes = await expectTheSame((client) => [
    client.collateralBulk({ orders: Array.from({ length: 21 }, (_, index) => rung(`many${index}`)) }),
    client.collateralLimit(rung('alone')),
    client.tradingBalance(),
    client.orderHistory(),
    client.openOrders({ market: 'BTC_PERP' }),
    client.depositAddress({ ticker: 'NONE' }),
    client.fixedClose({ id }),
  ])
  expect(outcomes[0]).toMatchObject({ kind: 'refused' })
  expect(outcomes[1]).toMatchObject({ kind: 'accepted' })
})

test('what a key may do, its nonces and its allowance', async () => {
  const [, used] = await expectTheSame((client, other) => [
    other.fixedClose({ id }),
    client.fixedClose({ id }),
  ])
  expect(used).toMatchObject({ kind: 'refused', throttle: 'nonce' })
  await expectTheSame((client) => [client.collateralBulk({ orders: [rung('window')] })], {
    mode: 'window',
    world: worldWith({ nonce: 'strict' }),
  })
  const [stranger] = await expectTheSame((client) => [client.collateralLimit(rung('stranger'))], {
    account: 'stranger',
  })
  expect(stranger).toMatchObject({ kind: 'refused', status: 401 })
  const code = '9f0c7a52-6d6d-4c0e-9a1e-0b5a7c3f2d11USDT'
  const many = await expectTheSame((client) => Array.from({ length: 61 }, () => client.applyCode({ code })))
  expect(many.at(-1)).toMatchObject({ kind: 'refused', throttle: 'rate' })
})
