import { expect, test } from 'vitest'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { ManualClock } from '#src/core/time/clock.ts'

const begin = 1_790_000_000_000

test('venue time has the speed of the venue, independent of the local wall clock', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 60, begin)
  clock.advance(1000)
  expect(venue.now()).toBe(begin + 60_000)
  clock.step(-3_600_000)
  clock.advance(1000)
  expect(venue.now()).toBe(begin + 120_000)
})

test('a timestamp ahead counts at once, and a late one changes nothing', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, begin)
  venue.heard(begin + 5000)
  expect(venue.now()).toBe(begin + 5000)
  venue.heard(begin + 1000)
  clock.advance(10)
  expect(venue.now()).toBe(begin + 5010)
})

test('an estimate ahead of all timestamps stops until it is correct, and never goes back', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, begin + 8000)
  let last = venue.now()
  for (let second = 1; second <= 70; second++) {
    clock.advance(1000)
    venue.heard(begin + second * 1000 - 30)
    expect(venue.now()).toBeGreaterThanOrEqual(last)
    last = venue.now()
  }
  expect(last).toBe(begin + 70_000 - 30)
})

test('a single timestamp far ahead is ignored', () => {
  for (const speed of [1, 60]) {
    const clock = new ManualClock(begin)
    const venue = new VenueClock(clock, speed, 0)
    venue.heard(begin)
    const real = () => begin + clock.monotonic() * speed
    for (let second = 1; second <= 180; second++) {
      clock.advance(1000)
      // All orders of a bulk have the same wrong time, and whatever comes next says so.
      if (second % 10 === 0) for (let order = 0; order < 20; order++) venue.heard(real() * 2)
      else venue.heard(real() - 30)
      expect(real() - venue.now()).toBeLessThanOrEqual(30)
      expect(venue.now()).toBeLessThanOrEqual(real())
    }
  }
})

test('a step of the venue clock counts after repeated timestamps', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, 0)
  venue.heard(begin)
  for (let second = 1; second <= 5; second++) {
    clock.advance(1000)
    venue.heard(begin + 3_600_000 + second * 1000)
    expect(venue.now()).toBe(begin + second * 1000)
  }
  clock.advance(1000)
  venue.heard(begin + 3_600_000 + 6000)
  expect(venue.now()).toBe(begin + 3_600_000 + 6000)
})

test('the first timestamp counts at once, also after a sleep of the machine', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 60, 0)
  venue.heard(begin)
  expect(venue.now()).toBe(begin)
  clock.advance(1000)
  // Spans stand still meanwhile, and the time does not.
  clock.step(3_600_000)
  venue.heard(begin + 60 * 3_601_000)
  expect(venue.now()).toBe(begin + 60 * 3_601_000)
  venue.heard(begin * 2)
  expect(venue.now()).toBe(begin + 60 * 3_601_000)
})

test('a timestamp from before a sleep of the machine does not confirm the sleep', () => {
  for (const [seconds, early] of [
    [1, 5],
    [61, -40],
  ] as const) {
    const clock = new ManualClock(begin)
    const venue = new VenueClock(clock, 1, 0)
    venue.heard(begin)
    for (let second = 1; second < seconds; second++) {
      clock.advance(1000)
      if (second < 60) venue.heard(begin + second * 1000 - 40)
    }
    clock.advance(1000)
    clock.step(3_600_000)
    // It lay in a socket meanwhile.
    venue.heard(begin + seconds * 1000 + early)
    const now = begin + 3_600_000 + seconds * 1000
    venue.heard(now)
    expect(venue.now()).toBe(now)
  }
})

test('two different timestamps far ahead are ignored', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, 0)
  venue.heard(begin)
  clock.advance(1000)
  venue.heard(begin * 2)
  clock.advance(3_600_000)
  venue.heard(begin * 3)
  expect(venue.now()).toBe(begin + 3_601_000)
})

test('after the first timestamp a wrong one is ignored', () => {
  const clock = new ManualClock(begin)
  // A journal knew more of the time than the first word says.
  const venue = new VenueClock(clock, 1, begin + 20)
  venue.heard(begin)
  venue.heard(begin * 2)
  expect(venue.now()).toBe(begin + 20)
})

test('the estimate is sure after a timestamp, and not while it is stopped', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, 0)
  expect(venue.isSure()).toBe(false)
  venue.guessed(begin + 3_600_000)
  expect(venue.now()).toBe(begin + 3_600_000)
  expect(venue.isSure()).toBe(false)
  for (let second = 1; second <= 70; second++) {
    clock.advance(1000)
    venue.heard(begin + second * 1000 - 30)
    expect(venue.isSure()).toBe(false)
  }
  clock.advance(3_600_000)
  expect(venue.isSure()).toBe(true)
})

test('a timestamp that is late by its transfer makes the clock sure, one that is seconds behind does not', () => {
  for (const [lateMs, isSure] of [
    [2000, true],
    [2001, false],
  ] as const) {
    const venue = new VenueClock(new ManualClock(begin), 1, begin)
    venue.heard(begin - lateMs)
    expect(venue.isSure()).toBe(isSure)
  }
})

test('local time counts until the first timestamp, and is never sure', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, 0)
  venue.guessed(begin)
  expect(venue.now()).toBe(begin)
  expect(venue.isSure()).toBe(false)
  clock.advance(1000)
  venue.guessed(begin + 6000)
  expect(venue.now()).toBe(begin + 6000)
  expect(venue.isSure()).toBe(false)
  venue.heard(begin + 7000)
  expect(venue.now()).toBe(begin + 7000)
  expect(venue.isSure()).toBe(true)
})

test('after the first timestamp local time is ignored', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, 0)
  venue.heard(begin)
  for (const off of [5000, 3_600_000, -3_600_000]) {
    clock.step(off)
    for (let second = 0; second < 70; second++) {
      clock.advance(1000)
      const at = venue.now()
      venue.guessed(clock.now())
      expect(venue.now()).toBe(at)
    }
  }
  expect(venue.now()).toBe(begin + 210_000)
  expect(venue.isSure()).toBe(true)
})

test('the estimate is sure for a request only after a later timestamp', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 10, 0)
  venue.heard(begin)
  expect(venue.isSure(begin)).toBe(true)
  clock.advance(1000)
  const sentAt = venue.now()
  expect(venue.isSure(sentAt)).toBe(false)
  // It stood still for four seconds of ours, which one late word alone does not prove.
  clock.advance(4000)
  venue.heard(sentAt)
  expect(venue.isSure(sentAt)).toBe(false)
  venue.heard(venue.now() - 20_000)
  expect(venue.isSure(sentAt)).toBe(true)
})

test('the latest timestamp does not depend on the local clock, and a single leap is no timestamp', () => {
  const clock = new ManualClock(begin + 65_000)
  const venue = new VenueClock(clock, 1, 0)
  venue.guessed(clock.now())
  expect(venue.lastHeard).toBeUndefined()
  venue.heard(begin)
  venue.heard(begin - 1000)
  clock.advance(1000)
  venue.heard(begin * 2)
  expect(venue.lastHeard).toBe(begin)
  expect(venue.now()).toBe(begin + 66_000)
  venue.heard(begin + 1000)
  expect(venue.lastHeard).toBe(begin + 1000)
})

test('if the clock of the venue goes back, so does the latest timestamp', () => {
  const clock = new ManualClock(begin)
  const venue = new VenueClock(clock, 1, 0)
  venue.heard(begin + 3_600_000)
  for (let second = 1; second <= 60; second++) {
    clock.advance(1000)
    venue.heard(begin + second * 1000)
  }
  expect(venue.lastHeard).toBe(begin + 60_000)
})
