import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTimeZone, localTime, nextLocalMinute } from '#src/strategy/file/time-zones.ts'
import { runs } from '#test/properties/runs.ts'
import { truthOf } from '#src/strategy/expressions/condition.ts'
import { strategyTestInput } from '#src/strategy/check/strategy-test-input.ts'
import { gridWith, strategyIn } from '#test/strategy/strategy-files.ts'

const utc = (text: string) => Date.parse(`${text}:00Z`)

test.each([
  // Clocks in New York go forward on the second Sunday of March at 07:00 UTC.
  ['America/New_York', '2026-03-08T06:59', 60 + 59, 0],
  ['America/New_York', '2026-03-08T07:00', 3 * 60, 0],
  ['America/New_York', '2026-11-01T05:59', 60 + 59, 0],
  ['America/New_York', '2026-11-01T06:00', 60, 0],
  // London in winter and in summer, and a zone with a part of an hour on the next day.
  ['Europe/London', '2026-01-14T12:00', 12 * 60, 3],
  ['Europe/London', '2026-07-15T12:00', 13 * 60, 3],
  ['Asia/Kathmandu', '2026-07-15T18:30', 15, 4],
])('%s at %s UTC', (zone, at, minute, weekday) => {
  expect(localTime(zone, utc(at))).toEqual({ minute, weekday })
})

test('between a moment and the next one, no comparison with a minute of the day changes', () => {
  const zone = fc.constantFrom('America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kathmandu')
  const at = fc.integer({ min: utc('2025-01-01T00:00'), max: utc('2027-12-31T00:00') })
  fc.assert(
    fc.property(zone, fc.nat(1439), at, (name, minute, now) => {
      const next = nextLocalMinute(name, minute, now)
      expect(next).toBeGreaterThan(now)
      const isPast = (time: number) => localTime(name, time).minute >= minute
      const isMidnight =
        Math.floor(localTime(name, now).minute / 15) > Math.floor(localTime(name, next - 1).minute / 15)
      for (const share of [0.3, 0.7, 1]) {
        const between = Math.floor(now + (next - 1 - now) * share)
        if (!isMidnight) expect([between, isPast(between)]).toEqual([between, isPast(now)])
      }
    }),
    runs(300, 20_000),
  )
})

test('only names of the time zone database are names', () => {
  expect(['America/New_York', 'Etc/GMT+5', 'Europe/Berlin'].map(isTimeZone)).toEqual([true, true, true])
  expect(['UTC+1', 'EST5', 'Europe/', 'Europe/Bern1', 'x/../y', ''].map(isTimeZone)).toEqual(
    Array(6).fill(false),
  )
})

test('a test of a file has the winter time of its time zone', () => {
  const open =
    'on_days(clock, "Wed", "America/New_York") && time_between(clock, "09:30", "16:00", "America/New_York")'
  const at = (time: string) => {
    const { strategy, programs } = strategyIn(
      gridWith(
        ['\nrisk:\n', `\n  - id: session\n    when: '${open}'\n    do: [alert: open]\n\nrisk:\n`],
        [
          '    given: { feeds: { px: 60000 } }\n',
          `    given: { feeds: { px: 60000 }, time: ${time} UTC, day: Wed }\n`,
        ],
      ),
    )
    const { views } = strategyTestInput(strategy, programs, strategy.tests[0]!.given)
    return truthOf(programs.conditions.get('session')!, views)
  }
  expect(['14:29', '14:30', '20:59', '21:00'].map(at)).toEqual(['false', 'true', 'true', 'false'])
})
