import { afterAll, expect, test } from 'vitest'
import { check } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const place = 'when: between(price, 55000, 65000)'
const actions = 'do: [ensure: grid]'
const above = 'crosses_above is a key of a condition: when: { crosses_above: [last(px), 60000] }'
const below = 'crosses_below is a key of a condition: when: { crosses_below: [last(px), 60000] }'
const days = 'on_days reads the day of the week: when: on_days(clock, "Mon,Tue,Wed,Thu,Fri")'
const times = 'the time of day is read as a range: when: time_between(clock, "09:00", "17:00")'

/** The hints of a grid with this change of its first rule. */
async function hintsOf(from: string, to: string): Promise<(string | undefined)[]> {
  const [text = ''] = gridWith(
    ['bulk, history, balance', 'bulk, history, balance, cancel'],
    [from, to],
  ).split('\ntests:')
  return (await check(folder, text)).problems.map(({ hint }) => hint)
}

test.each<[string, string]>([
  ['when: crosses_above(px, 60000)', above],
  ['when: crossover(last(px), 60000)', above],
  ['when: { crossover: [last(px), 60000] }', above],
  ['crosses_above: [last(px), 60000]\n    when: price > 1', above],
  ['when: crossunder(last(px), 60000)', below],
  ['when: { crosses: [last(px), 60000] }', above],
  ['when: { crossunder: [last(px), 60000] }', below],
  ['when: rising(px)', 'rises is a key of a condition: when: { rises: last(px) }'],
  [
    'when: and(price > 1, price < 2)',
    'all is a key of a condition: when: { all: [last(px) > 60000, last(px) < 65000] }',
  ],
  ['when: weekday() == 1', days],
  ['when: weekday == 1', days],
  ['when: hour() > 8', times],
  ['when: now() > 8', times],
  ['when: last(px) > ago(last(px))', 'prev() reads an earlier value: when: last(px) > prev(last(px), 3)'],
  [
    'when: close(px) > 60000',
    'last() reads the closing price of the last closed candle: when: last(px) > 60000',
  ],
  [
    'days: Mon-Fri\n    when: price > 1',
    'days are part of a schedule: schedule: Mon,Tue,Wed,Thu,Fri 09:00 UTC',
  ],
  ['schedule: { days: Mon-Fri, at: 09:00 }', 'write it like schedule: Mon,Tue,Wed,Thu,Fri 12:00,18:00 UTC'],
])('the fix of "%s" shows how a rule expresses it, and is valid there', async (condition, hint) => {
  expect(await hintsOf(place, condition)).toEqual([hint])
  const example = hint.replace(/^(?:write it like|[^:]+:) /, '')
  const [text = ''] = gridWith([place, example], ['max_loss: 350', 'max_loss: 900']).split('\ntests:')
  expect((await check(folder, text)).problems).toEqual([])
})

test.each<[string, string, string, (example: string) => string]>([
  [
    'an action that cancels',
    'do: [cancel: grid]',
    'retire cancels the open rungs of a ladder: do: [retire: dip]',
    (example) => `${actions}\n  - id: end\n    when: price > 70000\n    ${example}`,
  ],
  [
    'a rule that expires',
    `${actions}\n    expires: 1d`,
    'rungs do not expire, but a rule can cancel them: { id: expire, when: open_hours(dip) > 24, do: [retire: dip] }',
    (example) => `${actions}\n  - ${example}`,
  ],
])('the fix of %s shows the action, and is valid', async (_, wrong, hint, corrected) => {
  expect(await hintsOf(actions, wrong)).toEqual([hint])
  const example = hint.slice(hint.indexOf(': ') + 2).replaceAll('dip', 'grid')
  expect(await hintsOf(actions, corrected(example))).toEqual([])
})
