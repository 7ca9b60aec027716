import { expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { inProcessTransport } from '#src/venues/whitebit/client/transport/in-process.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { Engine } from '#src/engine/engine.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { startTrading } from '#src/runtime/compose/trading.ts'
import { adapterOf } from '#test/support/adapter.ts'
import { openVenue } from '#test/support/venue.ts'

/** A start at a venue that tells no time, on a machine whose clock is 8 s behind until `rightAfterMs`. */
async function startedLate(
  rightAfterMs: number,
): Promise<{ error: unknown; events: BotEvent[]; ms: number }> {
  const venue = await openVenue('process')
  const { exchange, clock: real } = venue
  const clock = {
    now: () => real.now() - (real.monotonic() < rightAfterMs ? 8000 : 0),
    monotonic: () => real.monotonic(),
    sleep: async (ms: number) => real.advance(ms),
  }
  const client = createClient({
    transport: inProcessTransport((request, now) => exchange.handle(request, now), real),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock, mode: 'window' }),
    },
    clock,
    random: () => 0,
    keepRates: false,
  })
  const events: BotEvent[] = []
  const begins = real.monotonic()
  const journal = { machine: new Engine(null), append: () => {}, commit: () => {}, abandon: () => {} }
  const error: unknown = await startTrading([], {
    venue: adapterOf(client, { clock, terms: { url: 'http://127.0.0.1:1', nonce: 'window' } }),
    clock,
    journal,
    setsLeverage: false,
    prices: () => ({ prices: new Map(), begins: 0 }),
    onEvents: (told) => events.push(...told),
    onBroken: () => {},
  }).then(
    () => undefined,
    (error: unknown) => error,
  )
  await venue.close()
  return { error, events, ms: real.monotonic() - begins }
}

test('a start with refused nonces retries, and continues when the clock is correct', async () => {
  const { error, events } = await startedLate(30_000)
  expect(events).toMatchObject([
    { type: 'alert', message: expect.stringContaining('Your nonce is more than 5 seconds away') },
  ])
  // This venue then wants a file of its rules, which nobody has given.
  expect(error).toMatchObject({
    code: 'VENUE_REFUSED',
    seen: expect.stringContaining('rules of its markets'),
  })
})

test('a start fails after a minute of refused nonces, and names the wrong clock', async () => {
  const { error, ms } = await startedLate(Infinity)
  expect(error).toMatchObject({
    code: 'VENUE_REFUSED',
    seen: expect.stringContaining('Your nonce is more than 5 seconds away'),
    fix: expect.stringContaining('clock of this computer'),
  })
  expect(ms).toBeGreaterThanOrEqual(60_000)
  expect(ms).toBeLessThan(90_000)
})
