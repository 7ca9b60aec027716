import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { KillSwitches } from '#src/runtime/account/kill-switches.ts'
import { venueFeeds } from '#src/runtime/feeds/feeds.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'
import { startFaultyVenue, type VenueFault, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { worldWith } from '#test/support/world.ts'
import { adapterOf } from '#test/support/adapter.ts'

const market = 'BTC_PERP'
const broke = 'The connection closed before the complete answer came'
/** What each call meets, one look after the other, and which of them somebody should hear of. */
const outages: readonly (VenueFault | undefined)[] = [
  'lost',
  'lost',
  'failed after',
  'failed after',
  undefined,
  'failed after',
]
const heard = [0, 2, 5]

let venue: FaultyVenue
let client: Client
let clock: ManualClock
let venueClock: VenueClock
let said: { look: number; message: string }[]
let look: number

beforeAll(async () => {
  venue = await startFaultyVenue({ world: worldWith(), clock: systemClock, profile: 'full' })
})
afterAll(() => venue.close())
beforeEach(() => {
  const credentials = { key: 'paper-key', secret: new Secret('paper-secret') }
  const key = { credentials, nonces: new Nonces({ clock: systemClock, mode: 'strict' }) }
  client = createClient({ transport: httpTransport(venue.url), key, random: () => 0 })
  clock = new ManualClock(Date.now())
  venueClock = new VenueClock(clock, 1, clock.now())
  said = []
})
afterEach(() => client.close())

async function liveThrough(act: () => Promise<unknown>): Promise<void> {
  for (look = 0; look < outages.length; look++) {
    venue.randomFaults(() => outages[look])
    clock.advance(60_000)
    await act()
  }
  venue.randomFaults(undefined)
}

test('a failed kill switch is logged once for each reason, and again after a success', async () => {
  const refreshed: number[] = []
  let setting: Promise<unknown> = Promise.resolve()
  const deadman = new KillSwitches({
    venue: {
      deadman(...words) {
        const call = adapterOf(client).deadman(...words)
        setting = call
        return call
      },
    },
    venueClock,
    say(event) {
      if (event.type === 'alert') said.push({ look, message: event.message })
      else refreshed.push(look)
    },
    onBroken(error) {
      throw error
    },
  })
  await liveThrough(async () => {
    deadman.refresh([{ market, heartbeatMs: 5000 }])
    await setting
    await new Promise(setImmediate)
  })
  expect(said.map((each) => each.look)).toEqual(heard)
  expect(said[0]?.message).toBe(`the kill switch was not set: ${broke}`)
  expect(refreshed).toEqual([4])
  // One that the end cuts off comes after the last word.
  venue.randomFaults(() => outages[0])
  clock.advance(60_000)
  deadman.refresh([{ market, heartbeatMs: 5000 }])
  deadman.close()
  await setting
  await new Promise(setImmediate)
  expect(said.length).toBe(heard.length)
})

test('failed reads of candles are logged once for each reason and feed, and again after a success', async () => {
  const feeds = venueFeeds(
    {
      candles: (['1m', '5m'] as const).map((interval) => ({ market, interval, count: 5, after: null })),
      quotes: [],
      futures: [],
      depth: [],
      trades: [],
      quoteMsMax: Infinity,
    },
    {
      market: adapterOf(client, { clock }).market,
      clock,
      venueClock,
      tell: () => {},
      hasStreams: false,
      onHint: () => {},
      say(event) {
        if (event.type === 'alert') said.push({ look, message: event.message })
      },
    },
  )
  await liveThrough(() => feeds.start())
  await feeds.close()
  for (const interval of ['1m', '5m']) {
    const about = said.filter(({ message }) =>
      message.startsWith(`candles of ${interval} were not received: `),
    )
    expect(about.map((each) => each.look)).toEqual(heard)
    expect(about[0]?.message).toContain(broke)
  }
  expect(said).toHaveLength(2 * heard.length)
})
