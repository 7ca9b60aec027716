import { stateWith } from '#test/engine/support/state-fixture.ts'
import { expect, test } from 'vitest'
import { CommandExecutor } from '#src/runtime/execute/command-executor.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { Submit } from '#src/engine/commands.ts'
import { beginsAtMs, openVenue } from '#test/support/venue.ts'
import { adapterOf } from '#test/support/adapter.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { ManualClock } from '#src/core/time/clock.ts'

const nowhere: Transport = { send: () => Promise.reject(new Error('no request')), close: async () => {} }

/** One order a chunk, as the gate lets it pass. */
function chunkOf(chunk: number, priority: Submit['priority'] = 'entries'): Submit {
  const order = { market: 'BTC_PERP', side: 'buy', amount: '0.001', price: '50000' }
  const role = priority === 'exits' ? 'exit' : 'entry'
  const orders = [{ ...order, id: `s.g.1.${chunk}`, role, positionSide: 'LONG' }]
  const about = { kind: 'submit', chunk, strategy: 's', stopOnFail: false, priority }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the gate of the engine makes one
  return { ...about, orders, dueAt: beginsAtMs + 10_000 } as unknown as Submit
}

test('a stop cancels queued entries, but neither exits nor requests in flight; no entry is sent until it is over', async () => {
  const venue = await openVenue('socket', { world: { switches: { executionDelay: '1s' } } })
  const told: NewEvent[] = []
  const broken: unknown[] = []
  let isStopped = false
  const carrier = new CommandExecutor({
    venue: adapterOf(venue.paper),
    clock: venue.clock,
    venueClock: new VenueClock(venue.clock, 1, beginsAtMs),
    settleMs: 0,
    state: () => stateWith(),
    rateOf: () => undefined,
    tell: (event) => void told.push(event),
    resolve: async () => [],
    inDealOrder: async () => [],
    mayLeave: (_, role) => role === 'exit' || !isStopped,
    onBroken: (error) => void broken.push(error),
  })
  carrier.carry(chunkOf(1), beginsAtMs)
  carrier.carry(chunkOf(2), beginsAtMs)
  await expect.poll(() => venue.exchange.state.nonces.size).toBe(1)
  carrier.carry(chunkOf(3, 'exits'), beginsAtMs)
  carrier.cancelQueued()
  isStopped = true
  carrier.cancelQueued()
  carrier.carry(chunkOf(4), beginsAtMs)
  const aborted = [{ kind: 'not-sent', cause: 'aborted' }]
  await expect.poll(() => told).toMatchObject([2, 4].map((chunk) => ({ chunk, orders: aborted })))
  const finished = expect
    .poll(() => {
      venue.advance(1000)
      return told.length
    })
    .toBe(4)
  await finished
  await carrier.finish()
  expect(told.slice(2)).toMatchObject([
    { chunk: 1, orders: [{ kind: 'accepted' }] },
    { chunk: 3, orders: [{ kind: 'accepted' }] },
  ])
  expect(broken).toEqual([])
  await venue.close()
})

test('the pause that a venue requests is reported in venue time', async () => {
  const clock = new ManualClock(beginsAtMs)
  const told: NewEvent[] = []
  const venue = {
    ...adapterOf(createClient({ transport: nowhere })),
    submit: async () => ({ answers: [], pausedMs: 1000 }),
  }
  const carrier = new CommandExecutor({
    venue,
    clock,
    venueClock: new VenueClock(clock, 3, beginsAtMs),
    settleMs: 0,
    state: () => stateWith(),
    rateOf: () => undefined,
    tell: (event) => void told.push(event),
    resolve: async () => [],
    inDealOrder: async () => [],
    mayLeave: () => true,
    onBroken: (error) => {
      throw error
    },
  })
  carrier.carry(chunkOf(1), beginsAtMs)
  await carrier.finish()
  expect(told).toEqual([{ kind: 'answered', chunk: 1, orders: [], pausedMs: 3000 }])
})

test('queued entries with stale prices are not sent', async () => {
  const venue = await openVenue('socket', { world: { switches: { executionDelay: '4s' } } })
  const told: NewEvent[] = []
  const carrier = new CommandExecutor({
    venue: adapterOf(venue.paper),
    clock: venue.clock,
    venueClock: new VenueClock(venue.clock, 1, beginsAtMs),
    settleMs: 0,
    state: () => stateWith(),
    rateOf: () => undefined,
    tell: (event) => void told.push(event),
    resolve: async () => [],
    inDealOrder: async () => [],
    mayLeave: () => true,
    onBroken: () => {},
  })
  carrier.carry(chunkOf(1), beginsAtMs)
  await expect.poll(() => venue.exchange.state.nonces.size).toBe(1)
  carrier.carry({ ...chunkOf(2), sendBy: beginsAtMs + 3000 }, beginsAtMs)
  venue.advance(4000)
  await expect
    .poll(() => told)
    .toMatchObject([
      { chunk: 2, orders: [{ kind: 'not-sent', cause: 'late' }] },
      { chunk: 1, orders: [{ kind: 'accepted' }] },
    ])
  await carrier.finish()
  await venue.close()
})
