import { expect, test } from 'vitest'
import { askVenue, type Declared } from '#src/bot/capabilities.ts'
import { factsOfWorld } from '#src/cli/check-rules.ts'
import { createClient } from '#src/client/client.ts'
import { httpTransport } from '#src/client/http.ts'
import { Nonces } from '#src/client/nonce.ts'
import { Secret } from '#src/contract/signing.ts'
import { openVenue } from '#test/support/venue.ts'
import { worldWith } from '#test/support/world.ts'
import { systemClock } from '#src/time/clock.ts'

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
      'balance',
      'bulk',
      'cancel',
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
    await expect(wrong).rejects.toThrow(/a max_notional of BTCPERP, which is no market of the venue/)
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
