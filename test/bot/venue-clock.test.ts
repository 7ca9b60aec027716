import { expect, test } from 'vitest'
import { VenueClock } from '#src/bot/venue-clock.ts'
import { ManualClock } from '#src/time/clock.ts'

const begin = 1_790_000_000_000

test('the time of the venue runs as fast as it does there, whatever is done to the clock of this machine', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 60, begin)
  clock.turn(1000)
  expect(venue.now()).toBe(begin + 60_000)
  clock.step(-3_600_000)
  clock.turn(1000)
  expect(venue.now()).toBe(begin + 120_000)
})

test('a word from ahead counts at once, one that was long on its way changes nothing', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, begin)
  venue.heard(begin + 5000)
  expect(venue.now()).toBe(begin + 5000)
  venue.heard(begin + 1000)
  clock.turn(10)
  expect(venue.now()).toBe(begin + 5010)
})

test('a clock that is early by all that the venue says stands still until it is right, and never goes back', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, begin + 8000)
  let last = venue.now()
  for (let second = 1; second <= 70; second++) {
    clock.turn(1000)
    venue.heard(begin + second * 1000 - 30)
    expect(venue.now()).toBeGreaterThanOrEqual(last)
    last = venue.now()
  }
  expect(last).toBe(begin + 70_000 - 30)
})
