import { expect, test } from 'vitest'
import { Carrier } from '#src/bot/carrying.ts'
import type { Told } from '#src/bot/driver.ts'
import { VenueClock } from '#src/bot/venue-clock.ts'
import type { Submit } from '#src/engine/commands.ts'
import { beginsAtMs, openVenue } from '#test/support/venue.ts'

/** One order a chunk, as the gate lets it pass. */
function chunkOf(chunk: number): Submit {
  const order = { market: 'BTC_PERP', side: 'buy', amount: '0.001', price: '50000' }
  const orders = [{ ...order, id: `s.g.1.${chunk}`, role: 'entry', positionSide: 'LONG' }]
  const about = { kind: 'submit', chunk, strategy: 's', stopOnFail: false, priority: 'entries' }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the gate of the engine makes one
  return { ...about, orders, dueAt: beginsAtMs + 10_000 } as unknown as Submit
}

test('an operator who stops everything calls back what waits, and not what is on its way', async () => {
  const venue = await openVenue('socket', { world: { switches: { executionDelay: '1s' } } })
  const told: Told[] = []
  const broken: unknown[] = []
  const carrier = new Carrier({
    client: venue.paper,
    clock: venue.clock,
    venueClock: new VenueClock(venue.clock, 1, beginsAtMs),
    hedged: false,
    settleMs: 0,
    state: () => ({ orders: {} }),
    tell: (event) => void told.push(event),
    look: async () => [],
    onBroken: (error) => void broken.push(error),
  })
  carrier.carry(chunkOf(1), beginsAtMs)
  carrier.carry(chunkOf(2), beginsAtMs)
  await expect.poll(() => venue.exchange.state.nonces.size).toBe(1)
  carrier.takeBack()
  await expect
    .poll(() => told)
    .toMatchObject([{ chunk: 2, orders: [{ kind: 'not-sent', cause: 'aborted' }] }])
  carrier.carry(chunkOf(3), beginsAtMs)
  const finished = expect
    .poll(() => {
      venue.turn(1000)
      return told.length
    })
    .toBe(3)
  await finished
  await carrier.finish()
  expect(told.slice(1)).toMatchObject([
    { chunk: 1, orders: [{ kind: 'accepted' }] },
    { chunk: 3, orders: [{ kind: 'accepted' }] },
  ])
  expect(broken).toEqual([])
  await venue.close()
})
