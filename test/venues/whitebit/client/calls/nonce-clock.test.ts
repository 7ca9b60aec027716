import { expect, test } from 'vitest'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { kept } from './nonce-memory.ts'
import { startMs } from '#test/venues/whitebit/client/scripted-venue.ts'

const { path: asked } = contract.mainBalance

const hourMs = 3_600_000

test('after a clock that was an hour ahead, the next process waits a moment for its first nonce, and no longer', () => {
  const clock = new ManualClock(startMs)
  const memory = kept()
  clock.step(hourMs)
  new Nonces({ clock, mode: 'window', memory }).next(asked)
  clock.step(-hourMs)
  const nonces = new Nonces({ clock, mode: 'window', memory })
  const wait = nonces.wait()
  clock.advance(wait)
  expect([wait, nonces.wait()]).toEqual([1, 0])
})

test('where a machine is an hour behind, nonces of a window follow the venue', () => {
  const clock = new ManualClock(startMs - hourMs)
  const nonces = new Nonces({ clock, mode: 'window' })
  nonces.setVenueTime(startMs)
  clock.advance(2000)
  expect(nonces.next(asked)).toBe(String(startMs + 2000))
})

test('a word of the venue that a frozen process reads late does not overrule the clock of the machine', () => {
  const clock = new ManualClock(startMs)
  const nonces = new Nonces({ clock, mode: 'window' })
  clock.advance(32_000)
  nonces.setVenueTime(startMs, 32_000)
  expect(nonces.next(asked)).toBe(String(startMs + 32_000))
  clock.advance(2000)
  expect(nonces.next(asked)).toBe(String(startMs + 34_000))
  // A step of the clock is seen all the same, although such a delay would explain it.
  clock.step(-8000)
  clock.advance(1000)
  expect(nonces.next(asked)).toBe(String(startMs + 35_000))
  // Nor does another slow word make the wrong clock right.
  clock.advance(10_000)
  nonces.setVenueTime(startMs + 35_000, 10_000)
  expect(nonces.next(asked)).toBe(String(startMs + 45_000))
})

test('a clock that no delay of a word explains is wrong', () => {
  const clock = new ManualClock(startMs + 600_000)
  const nonces = new Nonces({ clock, mode: 'window' })
  nonces.setVenueTime(startMs, 10_000)
  expect(nonces.next(asked)).toBe(String(startMs))
})

test('a clock that is wrong gives no nonce: in a window by more than a second, else when a minute ahead', () => {
  for (const [mode, off, follows] of [
    ['window', -3000, true],
    ['window', -1000, false],
    ['window', 1000, false],
    ['window', 1001, true],
    ['strict', -3000, false],
    ['strict', 60_000, false],
    ['strict', 60_001, true],
  ] as const) {
    const nonces = new Nonces({ clock: new ManualClock(startMs + off), mode })
    nonces.setVenueTime(startMs)
    expect(nonces.next(asked), `${mode} ${off}`).toBe(String(follows ? startMs : startMs + off))
  }
})
