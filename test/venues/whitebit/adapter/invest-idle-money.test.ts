import { expect, test } from 'vitest'
import { investIdleMoney } from '#src/venues/whitebit/adapter/invest-idle-money.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { systemClock as clock } from '#src/core/time/clock.ts'
import { startFaultyVenue, type VenueFault } from '#test/support/faulty-venue.ts'
import { worldWith } from '#test/support/world.ts'

const plan = { ticker: 'USDT', minInvestment: '10', maxInvestment: '10000' }
const flexPlans = [
  { ...plan, id: '22222222-2222-4222-8222-000000000001', maxRate: '0.12' },
  { ...plan, id: '22222222-2222-4222-8222-000000000002', maxRate: '0.08' },
]
const order = { ticker: 'USDT', amount: '500', reinvest: false }

/** What is told of an investment whose call meets this fault, and what the venue holds in its plans then. */
async function invested(fault?: VenueFault) {
  const venue = await startFaultyVenue({ world: worldWith({ flexPlans }), clock })
  const client = createClient({
    transport: httpTransport(venue.url),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock, mode: 'strict' }),
    },
  })
  try {
    if (fault !== undefined) venue.plan('flexInvest', 1, fault)
    const told = await investIdleMoney(client, order, new AbortController().signal)
    const held = await client.flexInvestments()
    const amounts = held.kind === 'answer' ? held.value.data.map((each) => each.invested) : held
    return { told, amounts }
  } finally {
    await client.close()
    await venue.close()
  }
}

test('idle money goes into the plan that pays most for it', async () => {
  expect(await invested()).toEqual({
    told: { outcome: 'accepted', message: '500 USDT' },
    amounts: ['500'],
  })
})

test('a call that was delivered twice is in doubt, and is not made again for another plan', async () => {
  expect(await invested('doubled, the second answer')).toMatchObject({
    told: { outcome: 'unknown' },
    amounts: ['500'],
  })
})
