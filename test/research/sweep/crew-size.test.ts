import { expect, test } from 'vitest'
import { CrewSize } from '#src/research/sweep/crew-size.ts'

const period = { from: 0, to: 1000 }

/** Threads for a number of equal backtests, after some of them. */
function wantedAfter(
  finished: number,
  { all, ms, most = 16 }: { all: number; ms: number; most?: number },
): number {
  const crew = new CrewSize(most)
  for (let each = 0; each < finished; each++) crew.finish(period, ms)
  return crew.wanted((all - finished) * 1000, [])
}

test('a short sweep runs on one thread, and a long one on all', () => {
  expect(wantedAfter(5, { all: 80, ms: 200 })).toBe(1)
  expect(wantedAfter(5, { all: 4000, ms: 200 })).toBe(16)
  expect(wantedAfter(5, { all: 2000, ms: 200, most: 2 })).toBe(2)
})

test('the first backtests compile the program, and do not count', () => {
  const crew = new CrewSize(16)
  for (const ms of [1500, 700]) crew.finish(period, ms)
  expect(crew.wanted(78_000, [{ period, ms: 100 }])).toBe(1)
  for (const ms of [210, 900, 205]) crew.finish(period, ms)
  expect(crew.wanted(75_000, [])).toBe(1)
})

test('few backtests that take long get a thread each before the first one ends', () => {
  const crew = new CrewSize(16)
  expect(crew.wanted(4000, [{ period, ms: 4000 }])).toBe(1)
  expect(crew.wanted(4000, [{ period, ms: 60_000 }])).toBeGreaterThan(3)
})

test('near the end of a sweep no thread begins', () => {
  expect(wantedAfter(1990, { all: 2000, ms: 200 })).toBe(1)
})
