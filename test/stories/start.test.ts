import { expect, test } from 'vitest'
import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith } from '#test/support/world.ts'
import { botAtWork, emptyFolder, type BotAtWork } from './bot-at-work.ts'
import { grid, until } from './story.ts'

const hour = 3_600_000
const world = worldWith({
  accounts: {
    paper: {
      keys: ['paper', 'hand'].map((name) => ({
        key: `${name}-key`,
        secret: `${name}-secret`,
        permissions: ['read', 'trade', 'funds', 'account'],
      })),
    },
  },
})

type Scene = {
  clock: Clock
  venue: FaultyVenue
  begin: () => Promise<BotAtWork>
  /** Lets venue time pass without a bot. */
  pass: (ms: number) => void
  person: Client
  /** Calls since the last start. */
  callsSince: () => readonly (EndpointName | undefined)[]
}

/** A bot that can be restarted, and a person at the same account. */
async function scene(profile: 'full' | 'spec', act: (scene: Scene) => Promise<void>): Promise<void> {
  const { path: folder, remove } = emptyFolder()
  const { clock, leap, stop } = startEventLoopClock()
  const speed = profile === 'full' ? 20 : 1
  const about = { world, clock, profile, seed: 'story', speed, sources: { seeded: profile === 'full' } }
  const venue = await startFaultyVenue(about)
  const person = personAt(venue, clock, 'hand')
  let bot: BotAtWork | undefined
  let began = 0
  try {
    await act({
      clock,
      venue,
      person,
      pass: (ms) => leap(ms / speed),
      async begin() {
        began = venue.calls.length
        bot = await botAtWork({ url: venue.url, folder, strategies: [grid()], clock, speed })
        return bot
      },
      callsSince: () => venue.calls.slice(began).map(({ name }) => name),
    })
    expect(bot?.broken).toEqual([])
  } finally {
    await bot?.stop()
    await person.close()
    await venue.close()
    stop()
    remove()
  }
}

function personAt({ running }: FaultyVenue, clock: Clock, name: string): Client {
  const credentials = { key: `${name}-key`, secret: new Secret(`${name}-secret`) }
  const key = { credentials, nonces: new Nonces({ clock, mode: 'strict' }) }
  return createClient({ transport: httpTransport(running.url), key, clock })
}

async function heldAt(client: Client): Promise<{ market: string; amount: string }[]> {
  const answer = await client.openPositions()
  if (answer.kind !== 'answer') throw new Error('the venue did not list the positions')
  return answer.value.filter(({ amount }) => Number(amount) !== 0)
}

test('after a kill, a person closes the position: the bot restarts, opens nothing and reports the drift', () =>
  scene('full', async ({ clock, begin, pass, person, callsSince }) => {
    const first = await begin()
    const held = () => Number(first.state.strategies['story']?.holdings['btc']?.position ?? 0)
    await until(clock, () => Math.abs(held()) > 0.003)
    await first.abandon()
    await person.cancelAll({ market: 'BTC_PERP' })
    for (const { market, amount } of await heldAt(person)) {
      const side = amount.startsWith('-') ? 'buy' : 'sell'
      await person.collateralMarket({ market, side, amount: amount.replace('-', '') })
    }
    expect(await heldAt(person)).toEqual([])
    pass(hour)
    const second = await begin()
    await until(clock, () => second.notes.some(({ type }) => type === 'halted'))
    await clock.sleep(5000)
    expect(callsSince()).not.toContain('collateralBulk')
    expect(await heldAt(person)).toEqual([])
    const drift = second.notes.flatMap((note) => (note.type === 'drift' ? [note.message] : []))
    expect(drift).toEqual([
      expect.stringMatching(/^An order that no strategy has placed: BTC_PERP: (?:buy|sell) /),
      expect.stringMatching(
        /^The positions at the venue differ from the fills of the bot: .* in BTC_PERP; orders that no strategy/,
      ),
    ])
    expect(second.state.strategies['story']?.halted).toContain('others closed')
  }))

test.for([
  ['full', ['openPositions', 'tradingBalance', 'mainBalance', 'openOrders', 'orderHistory', 'openPositions']],
  ['spec', ['tradingBalance', 'mainBalance', 'orderHistory']],
] as const)(
  'killed with orders in flight, started at a venue of profile %s: nothing is placed before the account is read',
  ([profile, reading]) =>
    scene(profile, async ({ clock, venue, begin, pass, callsSince }) => {
      const first = await begin()
      venue.plan('collateralBulk', 2, 'answer lost')
      await until(clock, () => callsSince().filter((name) => name === 'collateralBulk').length >= 2)
      await first.abandon()
      pass(hour / 12)
      venue.plan('orderHistory', 2, 'failed after')
      venue.plan('mainBalance', 1, 'lost')
      const second = await begin()
      await until(clock, () => callsSince().includes('collateralBulk'))
      const before = callsSince().slice(0, callsSince().indexOf('collateralBulk'))
      let next = 0
      for (const name of before) if (name === reading[next]) next++
      expect({ before, read: reading.slice(0, next) }).toMatchObject({ read: reading })
      await until(clock, () =>
        Object.values(second.state.orders).every(({ status }) => status !== 'doubtful'),
      )
    }),
)
