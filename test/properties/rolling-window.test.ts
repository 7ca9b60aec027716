import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RollingWindow, type RateLimit } from '#src/venues/whitebit/contract/rolling-window.ts'
import { runs } from './runs.ts'

const limit: fc.Arbitrary<RateLimit> = fc.record({
  calls: fc.integer({ min: 1, max: 12 }),
  perMs: fc.integer({ min: 1, max: 1000 }),
})
/** Bursts, gaps of milliseconds, and gaps longer than the window. */
const gap = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 50 }) },
  { weight: 2, arbitrary: fc.double({ min: 0, max: 300, noNaN: true }) },
  { weight: 1, arbitrary: fc.integer({ min: 500, max: 10 ** 9 }) },
)
const gaps = fc.array(gap, { minLength: 1, maxLength: 120, size: 'max' })

/** The calls that were admitted of a client that calls at these times. */
function passed(
  limit: RateLimit,
  gaps: readonly number[],
): { passed: number[]; refused: [at: number, wait: number][] } {
  const window = new RollingWindow(limit)
  const result: ReturnType<typeof passed> = { passed: [], refused: [] }
  let at = 0
  for (const ms of gaps) {
    at += ms
    const wait = window.wait(at)
    if (wait === 0) {
      window.count(at)
      result.passed.push(at)
    } else result.refused.push([at, wait])
  }
  return result
}

test("no span of the window's length ever contains more calls than the limit, wherever it starts", () => {
  fc.assert(
    fc.property(limit, gaps, (limit, gaps) => {
      const times = passed(limit, gaps).passed
      const counts = times.map((from) => times.filter((at) => at >= from && at < from + limit.perMs).length)
      expect(Math.max(0, ...counts)).toBeLessThanOrEqual(limit.calls)
    }),
    runs(2000, 30_000, 667),
  )
})

test('a call is refused only if it must be, and the reported wait is the shortest', () => {
  fc.assert(
    fc.property(limit, gaps, (limit, gaps) => {
      const { passed: times, refused } = passed(limit, gaps)
      const wrong = refused.filter(([at, wait]) => {
        const recent = times.filter((time) => time <= at).slice(-limit.calls)
        const free = (recent[0] ?? Number.NaN) + limit.perMs
        return recent.length !== limit.calls || !(wait > 0) || !(Math.abs(at + wait - free) < 5e-7)
      })
      expect(wrong).toEqual([])
    }),
    runs(2000, 30_000, 667),
  )
})
