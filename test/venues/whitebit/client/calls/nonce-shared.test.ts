import { expect, test } from 'vitest'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { inProcessTransport } from '#src/venues/whitebit/client/transport/in-process.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { ManualClock, type Clock } from '#src/core/time/clock.ts'
import { NonceRefused } from '#src/venue/capabilities.ts'
import { adapterOf } from '#test/support/adapter.ts'
import { beginsAtMs, openVenue } from '#test/support/venue.ts'
import { kept } from './nonce-memory.ts'

/** Two processes with one key and one file of nonces, such as a bot and `rungs api`. */
function twoProcesses() {
  const clock = new ManualClock(beginsAtMs)
  const memory = kept()
  const ours = new Nonces({ clock, mode: 'strict', memory })
  const first = Number(ours.next(contract.mainBalance.path))
  return { clock, memory, ours, first, theirs: new Nonces({ clock, mode: 'strict', memory }) }
}

const draw = (nonces: Nonces) => Number(nonces.next(contract.mainBalance.path))

test('a new reservation begins above those of the other process', () => {
  const { clock, ours, theirs } = twoProcesses()
  const drawn: number[] = []
  for (let block = 0; block < 20; block++) {
    // Both are as busy as a block allows, and reserve one after the other.
    clock.advance(500)
    drawn.push(draw(theirs))
    clock.advance(500)
    drawn.push(draw(ours))
  }
  expect(new Set(drawn).size).toBe(drawn.length)
  for (const [index, nonce] of drawn.entries()) expect(nonce).toBeGreaterThan(drawn[index - 1] ?? 0)
})

test('after a refusal nonces begin above all that the other process may have drawn, though its clock is ahead', () => {
  const { memory, ours } = twoProcesses()
  const ahead = new ManualClock(beginsAtMs + 10_000)
  const theirLast = draw(new Nonces({ clock: ahead, mode: 'strict', memory }))
  expect(draw(ours)).toBeLessThan(theirLast)
  ours.leap()
  expect(draw(ours)).toBeGreaterThan(theirLast)
})

test('after a refusal they do so also with a clock that was set back', () => {
  const { clock, memory, ours, first } = twoProcesses()
  clock.step(-60_000)
  // The other process has reserved a block since.
  memory.save({ ceiling: first + 5000, recent: null })
  ours.leap()
  expect(draw(ours)).toBe(first + 5001)
})

test('the end of a process leaves the ceiling of the other process as it is', () => {
  const { clock, memory, ours, theirs } = twoProcesses()
  const theirLast = draw(theirs)
  ours.close()
  const next = new Nonces({ clock, mode: 'strict', memory })
  expect(draw(next)).toBeGreaterThan(theirLast)
})

test('calls of two processes are admitted by a venue that wants rising nonces, one block after the other', async () => {
  const venue = await openVenue('socket', { world: { switches: { nonce: 'strict' } } })
  const memory = kept()
  const clientOf = (): Client =>
    createClient({
      transport: httpTransport(venue.streamUrl.replace(/^ws(.*)\/ws$/, 'http$1')),
      clock: venue.clock,
      key: {
        credentials: { key: 'rival-key', secret: new Secret('rival-secret') },
        nonces: new Nonces({ clock: venue.clock, mode: 'strict', memory }),
      },
    })
  const [ours, theirs] = [clientOf(), clientOf()]
  try {
    for (let block = 0; block < 5; block++) {
      for (const client of [ours, theirs]) {
        expect(await client.mainBalance({})).toMatchObject({ kind: 'answer' })
        venue.advance(1000)
      }
    }
  } finally {
    await ours.close()
    await theirs.close()
    await venue.close()
  }
})

test('a start with refused nonces then passes those of the other program, though its clock is behind', async () => {
  const venue = await openVenue('process', { profile: 'full', world: { switches: { nonce: 'strict' } } })
  const { exchange, clock: right } = venue
  const clientWith = (clock: Clock): Client =>
    createClient({
      transport: inProcessTransport((request, now) => exchange.handle(request, now), right),
      clock,
      key: {
        credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
        nonces: new Nonces({ clock, mode: 'strict', memory: kept() }),
      },
      random: () => 0,
      keepRates: false,
    })
  const behind: Clock = {
    now: () => right.now() - 3_600_000,
    monotonic: () => right.monotonic(),
    sleep: (ms, signal) => right.sleep(ms, signal),
  }
  expect(await clientWith(right).mainBalance({})).toMatchObject({ kind: 'answer' })
  const ours = adapterOf(clientWith(behind), { clock: behind, terms: { nonce: 'strict' } })
  await expect(ours.describe()).rejects.toThrow(NonceRefused)
  expect((await ours.describe()).facts.capabilities).toContain('bulk')
  await venue.close()
})
