import { describe, expect, test } from 'vitest'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { kept } from './nonce-memory.ts'
import { startMs } from '#test/venues/whitebit/client/scripted-venue.ts'

const { path: asked } = contract.mainBalance
const hourMs = 3_600_000

/** The next nonce. */
function afterManyRefusals(nonces: Nonces): number {
  for (let refusals = 0; refusals < 200; refusals++) {
    nonces.leap()
    nonces.next(asked)
  }
  return Number(nonces.next(asked))
}

describe('a leap', () => {
  test('goes above the nonces that another process reserved for the same key', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const ours = new Nonces({ clock, mode: 'strict', memory })
    ours.next(asked)
    const theirs = new Nonces({ clock, mode: 'strict', memory })
    for (let calls = 0; calls < 100; calls++) theirs.next(asked)
    const theirLast = Number(theirs.next(asked))
    expect(Number(ours.next(asked))).toBeLessThan(theirLast)
    ours.leap()
    expect(Number(ours.next(asked))).toBeGreaterThan(theirLast)
  })

  test('goes half a minute ahead of the clock at most', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const nonces = new Nonces({ clock, mode: 'strict', memory })
    expect(afterManyRefusals(nonces)).toBeLessThan(startMs + 31_000)
  })

  test('passes the nonces of another program while the clock is an hour behind the venue', () => {
    const clock = new ManualClock(startMs)
    const nonces = new Nonces({ clock, mode: 'strict', memory: kept() })
    nonces.next(asked)
    clock.step(-hourMs)
    nonces.setVenueTime(startMs)
    const refused = Number(nonces.next(asked))
    nonces.leap()
    expect(Number(nonces.next(asked))).toBeGreaterThanOrEqual(refused + 1000)
    // The bound counts from the venue's time as it does from a right clock.
    expect(afterManyRefusals(nonces)).toBeLessThan(startMs + 31_000)
  })
})

test('a leap to a clock that is an hour ahead is followed by others once the clock is right again', () => {
  const clock = new ManualClock(startMs)
  const nonces = new Nonces({ clock, mode: 'strict', memory: kept() })
  nonces.setVenueTime(startMs)
  clock.step(hourMs)
  nonces.next(asked)
  nonces.leap()
  expect(Number(nonces.next(asked))).toBeGreaterThan(startMs + hourMs)
  clock.step(-hourMs)
  const refused = Number(nonces.next(asked))
  nonces.leap()
  expect(Number(nonces.next(asked))).toBeGreaterThanOrEqual(refused + 1000)
})

describe('after a clock that was an hour ahead', () => {
  for (const [what, isRestarted] of [
    ['in the same process', false],
    ['in the next process', true],
  ] as const) {
    test(`a leap passes the nonces of another program ${what}, half a minute at most`, () => {
      const clock = new ManualClock(startMs + hourMs)
      const memory = kept()
      let nonces = new Nonces({ clock, mode: 'strict', memory })
      const ahead = Number(nonces.next(asked))
      clock.step(-hourMs)
      if (isRestarted) nonces = new Nonces({ clock, mode: 'strict', memory })
      nonces.setVenueTime(startMs)
      const refused = Number(nonces.next(asked))
      nonces.leap()
      expect(Number(nonces.next(asked))).toBeGreaterThanOrEqual(refused + 1000)
      expect(afterManyRefusals(nonces)).toBeLessThan(ahead + 32_500)
      // Refusals of a later time have room of their own.
      clock.advance(10_000)
      const later = Number(nonces.next(asked))
      nonces.leap()
      expect(Number(nonces.next(asked))).toBeGreaterThanOrEqual(later + 1000)
    })
  }
})
