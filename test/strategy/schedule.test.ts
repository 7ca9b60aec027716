import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lastDue, nextDue, scheduleOf, shortestGap } from '#src/strategy/file/schedule.ts'

const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const minuteMs = 60_000
const weekMs = 7 * 24 * 60 * minuteMs

/** By the calendar of the platform, for some weeks around a time. */
function dueTimes(days: readonly string[], times: readonly string[], middle: number): number[] {
  const at = new Date(middle)
  return Array.from({ length: 31 }, (_, day) => day - 15)
    .flatMap((day) =>
      times.toSorted().map((time) => {
        const [hour, minute] = time.split(':').map(Number)
        return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + day, hour, minute)
      }),
    )
    .filter((due) => days.includes(names[new Date(due).getUTCDay()] ?? ''))
}

const anyTime = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
const anyTimes = fc.uniqueArray(anyTime, { minLength: 1, maxLength: 24 })

test('a schedule is due when the calendar says so, before 1970 as well', () => {
  const anyMinute = fc.integer({ min: -20_000_000, max: 40_000_000 })
  fc.assert(
    fc.property(fc.subarray(names, { minLength: 1 }), anyTimes, anyMinute, (days, times, start) => {
      const schedule = scheduleOf(`${days.join(',')} ${times.join(',')} UTC`)
      const middle = start * minuteMs
      const due = dueTimes(days, times, middle)
      expect(lastDue(schedule, middle)).toBe(due.findLast((at) => at <= middle))
      expect(nextDue(schedule, middle - 1)).toBe(due.find((at) => at >= middle))
      const gaps = due.slice(1).map((at, index) => at - (due[index] ?? 0))
      expect(shortestGap(schedule)).toBe(Math.min(...gaps))
    }),
    { numRuns: 200 },
  )
})

test.each(names)('one day a week (%s) is due once a week', (day) => {
  expect(shortestGap(scheduleOf(`${day} 19:55 UTC`))).toBe(weekMs)
})
