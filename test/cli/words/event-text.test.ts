import { expect, test } from 'vitest'
import { eventText } from '#src/cli/words/event-text.ts'

test('a pause shows its end once, as a time', () => {
  const reason = '27.01 lost since the best result; entries resume at 2026-11-29 19:18:50 UTC'
  const event = { level: 'warn', time: '2026-11-28T14:34:54.000Z', type: 'paused', strategy: 'mm2s' }
  expect(eventText({ ...event, until: 1_795_979_930_000, reason }, 80)).toBe(
    `11-28 14:34:54Z warn  paused              mm2s                 ${reason}`,
  )
})
