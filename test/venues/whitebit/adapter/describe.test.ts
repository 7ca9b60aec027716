import { expect, test } from 'vitest'
import { askFlex, askVenue } from '#src/venues/whitebit/adapter/describe.ts'
import { UndecidedCapability, type Declared } from '#src/venue/capabilities.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { PendingFlex } from '#src/runtime/compose/pending-flex.ts'
import { factsOfWorld } from '#src/cli/files/world-rules.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { readAttemptsMax } from '#src/venues/whitebit/client/calls/retry.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { openVenue } from '#test/support/venue.ts'
import { worldWith } from '#test/support/world.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'

const declared: Declared = {
  clientIds: 'forever',
  batchMax: 20,
  speed: 1,
  settleMs: 40_000,
  leverage: undefined,
  shortSide: false,
  markets: null,
}
const btc = {
  money: 'USDT',
  priceDigits: 1,
  amountDigits: 3,
  minAmount: '0.001',
  minTotal: '5',
  maxTotal: '10000000',
  makerFee: '0.0001',
  takerFee: '0.00035',
}

test('a full venue tells all that it can, and by which rules it trades', async () => {
  const venue = await openVenue('socket', { profile: 'full' })
  try {
    const asked = await askVenue(venue.paper, declared)
    expect(asked).toMatchObject({
      profile: 'full',
      hedged: false,
      facts: { batchMax: 20, clientIds: 'forever', leverage: null, markets: { BTC_PERP: btc } },
    })
    expect(asked.facts.capabilities.toSorted()).toEqual([
      'amend',
      'balance',
      'bulk',
      'cancel',
      'conditional_orders',
      'flex',
      'history',
      'market_data',
      'open_orders',
      'streams',
    ])
  } finally {
    await venue.close()
  }
})

test('limits of the account go with what is known of the venue, and name its markets', async () => {
  const venue = await openVenue('socket', { profile: 'full' })
  try {
    const limits = { max_notional: { BTC_PERP: '5000', total: '9000' }, max_open_orders: 7, daily_loss: '3' }
    expect((await askVenue(venue.paper, { ...declared, limits })).facts.limits).toEqual(limits)
    const wrong = askVenue(venue.paper, { ...declared, limits: { max_notional: { BTCPERP: '1' } } })
    await expect(wrong).rejects.toThrow(/a max_notional of BTCPERP, which is not a market of the venue/)
  } finally {
    await venue.close()
  }
})

test('what an account may not do is no capability of it', async () => {
  const venue = await openVenue('socket', { profile: 'full' })
  try {
    await venue.paper.setHedgeMode({ hedgeMode: true })
    const { facts, hedged } = await askVenue(venue.paper, declared)
    expect(hedged).toBe(true)
    expect(facts.capabilities).toContain('position_side_short')
    expect((await askVenue(venue.rival, declared)).facts.capabilities).not.toContain('flex')
  } finally {
    await venue.close()
  }
})

test('a venue of the documented calls alone needs its rules from a file, and says so', async () => {
  const venue = await openVenue('socket')
  try {
    await expect(askVenue(venue.paper, declared)).rejects.toMatchObject({ code: 'VENUE_REFUSED' })
    const markets = factsOfWorld(worldWith())
    const { profile, facts } = await askVenue(venue.paper, {
      ...declared,
      markets,
      leverage: 1,
      shortSide: true,
    })
    expect([profile, facts.leverage]).toEqual(['spec', 1])
    expect(facts.capabilities).toEqual(['bulk', 'history', 'balance', 'flex', 'position_side_short'])
    expect(facts.markets['BTC_PERP']).toEqual(btc)
  } finally {
    await venue.close()
  }
})

test('a wrong key and a dead address are told apart', async () => {
  const venue = await openVenue('socket')
  const url = venue.streamUrl.replace('ws', 'http').replace('/ws', '')
  const [stranger, lost] = [clientAt(url, 'nobody'), clientAt('http://127.0.0.1:9', 'paper-key')]
  try {
    await expect(askVenue(stranger, declared)).rejects.toMatchObject({ code: 'VENUE_REFUSED' })
    await expect(askVenue(lost, declared)).rejects.toMatchObject({ code: 'VENUE_UNREACHABLE' })
  } finally {
    await Promise.all([stranger.close(), lost.close()])
    await venue.close()
  }
})

test.for([
  ['openOrders', 'found invalid'],
  ['time', 'failed after'],
  ['hedgeMode', 'cut'],
] as const)('a failure of %s that may pass is no answer: the start asks again', async ([name, fault]) => {
  const venue = await startFaultyVenue({ world: worldWith(), clock: systemClock, profile: 'full' })
  const client = clientAt(venue.url, 'paper-key')
  try {
    for (let call = 1; call <= readAttemptsMax; call++) venue.plan(name, call, fault)
    await expect(askVenue(client, declared)).rejects.toBeInstanceOf(UndecidedCapability)
    venue.forgetPlans()
    const { profile, facts } = await askVenue(client, declared)
    expect([profile, facts.pending]).toEqual(['full', undefined])
    expect(facts.capabilities).toEqual(expect.arrayContaining(['open_orders', 'cancel', 'flex']))
  } finally {
    await client.close()
    await venue.close()
  }
})

test('flexible plans that the venue says nothing of are pending, and asked for again until it does', async () => {
  const venue = await startFaultyVenue({ world: worldWith(), clock: systemClock, profile: 'full' })
  const client = clientAt(venue.url, 'paper-key')
  const clock = new ManualClock(0)
  const told = Promise.withResolvers<NewEvent>()
  try {
    for (let call = 1; call <= 2 * readAttemptsMax; call++) venue.plan('flexPlans', call, 'failed after')
    const { facts } = await askVenue(client, declared)
    expect(facts.pending).toEqual(['flex'])
    expect(facts.capabilities).not.toContain('flex')
    const asked: Promise<boolean | null>[] = []
    const pending = new PendingFlex({
      ask: () => {
        const answer = askFlex(client)
        asked.push(answer)
        return answer
      },
      clock,
      tell: told.resolve,
      onBroken: told.reject,
    })
    pending.tick()
    expect(asked).toHaveLength(0)
    for (let minute = 1; minute <= 2; minute++) {
      clock.advance(60_000)
      pending.tick()
      pending.tick()
      expect(asked).toHaveLength(minute)
      await asked.at(-1)
      await new Promise(setImmediate)
    }
    expect(await told.promise).toEqual({ kind: 'capability', capability: 'flex', has: true })
    clock.advance(60_000)
    pending.tick()
    expect(asked).toHaveLength(2)
  } finally {
    await client.close()
    await venue.close()
  }
})

function clientAt(url: string, key: string) {
  return createClient({
    transport: httpTransport(url),
    key: {
      credentials: { key, secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock: systemClock, mode: 'strict' }),
    },
    random: () => 0,
  })
}
