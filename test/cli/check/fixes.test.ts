import { afterAll, expect, test } from 'vitest'
import { check } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const rebase = 'levels: 21\n    rebase:'
const place = 'when: between(price, 55000, 65000)'
const actions = Array.from({ length: 21 }, (_, index) => `{ alert: ${index} }`).join(', ')

test.each<[string, string, string, string, string]>([
  [
    'a setting of the account',
    'side: both',
    'side: both\n    leverage: 5',
    'unknown key "leverage"',
    'leverage holds for the whole account: write it at the top of the file, beside markets',
  ],
  [
    'an unknown key unlike all others',
    'tests:',
    'zebra: 1\ntests:',
    'unknown key "zebra"',
    'use one of extends, parameters, for_each, leverage, functions, on_exit',
  ],
  [
    'an unknown key of one kind of spacing',
    'from: 55000',
    'zebra: 1, from: 55000',
    'unknown key "zebra"',
    'use one of by',
  ],
  [
    'an unknown action',
    'do: [ensure: grid]',
    'do: [ensure: grid, shut: long]',
    'unknown key "shut"',
    'use one of ensure, freeze, retire, close, pause_entries, halt, alert, flex_invest',
  ],
  [
    'a space before the unit',
    'pause: 6%',
    'pause: 6 %',
    'risk.drawdown.pause: must have no space',
    'write it like 6%',
  ],
  [
    'two units',
    'total: 2100 quote',
    'total: 10 USDT 5%',
    'ladder.grid.size.total: must be one value with one unit, not 10 USDT and 5%',
    'write it like 2100 quote, 0.05 base, 25% equity or 0.001 * equity(account) quote',
  ],
  [
    'a span of time without quotes',
    place,
    'when: price > 1m',
    '1m is not a number in an expression',
    'write 0.01667 if the other value is in hours, as open_hours() is; for how long a condition must be true, write ' +
      'for: 1m in the rule',
  ],
  [
    'a duration of zero',
    'levels: 21',
    'levels: 21\n    rebase: { drift: 1%, min_gap: 1m, min_life: 0s }',
    'ladder.grid.rebase.min_life: must be above zero',
    'omit the key, or write it like 5s',
  ],
  [
    'another side',
    'side: both',
    'side: long',
    'ladder.grid.side: must be one of buy, sell, both',
    'write it like side: buy',
  ],
  [
    'another kind',
    'kind: range',
    'kind: line',
    'ladder.grid.spacing.kind: must be one of arithmetic, geometric, range, offsets, volatility',
    'write it like kind: arithmetic',
  ],
  [
    'a range upside down',
    'from: 55000',
    'from: 75000',
    'must be above from',
    'write the lowest price as from and the highest as to',
  ],
  [
    'too many actions',
    'do: [ensure: grid]',
    `do: [{ ensure: grid }, ${actions.slice(0, actions.lastIndexOf(', '))}]`,
    'rules.0.do: must have at most 20 actions',
    'split the rule: write the others in a second rule',
  ],
  [
    'a list that is too long',
    'exit: { mirror: 1 }',
    'exit: { tp: { pct: 1%, split: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05] } }',
    'ladder.grid.exit.tp.split: must have at most 10 entries, not 11',
    'write it like split: [0.5, 0.5]',
  ],
  [
    'a pause above the halt',
    'pause: 6%',
    'pause: 60%',
    'risk.drawdown.pause: must not be above the halt',
    'write a pause of at most the halt, such as { pause: 5%, halt: 10% }',
  ],
  [
    'an action that is a text',
    'do: [ensure: grid]',
    'do: [{ ensure: grid }, alert]',
    'rules.0.do.1: must be a mapping, not one value',
    'write it like { ensure: dip }',
  ],
  [
    'an interval between two others',
    'interval: 1m',
    'interval: 10m',
    'feeds.px.interval: must be one of 1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 12h, 1d, 1w',
    'did you mean "15m"?',
  ],
  [
    'a drift without its gap',
    'levels: 21',
    `${rebase} { drift: 1 step }`,
    'the key "min_gap" is missing in ladder.grid.rebase',
    'add it, such as min_gap: 10m',
  ],
  [
    'a drift without its unit',
    'levels: 21',
    `${rebase} { drift: 1, min_gap: 1m }`,
    'ladder.grid.rebase.drift: must be a distance in steps of the ladder or in percent',
    'write it like 1 step or 0.05%',
  ],
  [
    'a misspelled key of a choice',
    'levels: 21',
    `${rebase} { drift: 1 step, min_gpa: 1m }`,
    'unknown key "min_gpa"',
    'did you mean "min_gap"?',
  ],
  [
    'a percentage in an expression',
    place,
    'when: price <= 0.2% && price > 1',
    '0.2% is not a number in an expression',
    'write 0.002: here % is the sign of the remainder, which expressions do not support',
  ],
  [
    'a percentage at the end of an expression',
    place,
    'when: price <= 12 %',
    '12% is not a number in an expression',
    'write 0.12: here % is the sign of the remainder, which expressions do not support',
  ],
  [
    'a percentage before a number',
    place,
    'when: price > 5% - 1',
    '5% is not a number in an expression',
    'write 0.05: here % is the sign of the remainder, which expressions do not support',
  ],
  [
    'a duration of ages',
    'schedule',
    'cooldown: 100000w',
    'rules.0.cooldown: must be at most 99999w',
    'write a shorter duration',
  ],
  [
    'an hour of one digit in a schedule',
    'schedule',
    'schedule: daily 00:00,4:00 UTC',
    'rules.0.schedule: must be days and times in UTC',
    'write it like daily 01:00 UTC or Mon,Tue,Wed,Thu,Fri 12:00,18:00 UTC, with at most 24 times',
  ],
  [
    'an expression with a colon and without quotes',
    'price: last(px)',
    'price: last(px)\n  up: price > 1 ? 1 : 0',
    'Nested mappings are not allowed in compact mappings',
    'put a value with ": " in it in quotes, such as an expression a ? b : c',
  ],
  [
    'another time of an anchor',
    'anchor: 60000',
    'anchor: price at rule_begin',
    '"at rule_begin" is not a time of an anchor',
    'write at episode_start or at rule_start, or omit it',
  ],
])('check prints a fix for %s', async (_, from, to, message, hint) => {
  const change = from === 'schedule' ? ([place, `${place}\n    ${to}`] as const) : ([from, to] as const)
  const changed = gridWith(['bulk, history, balance', 'bulk, history, balance, cancel'], change)
  const { problems } = await check(folder, changed)
  expect(problems.map((problem) => [problem.message, problem.hint])).toEqual([[message, hint]])
})

test('check lists the functions for a function that is unlike all others', async () => {
  const { problems } = await check(folder, gridWith([place, 'when: sentiment(btc) > 0']))
  expect(problems.map(({ message }) => message)).toEqual(['unknown function sentiment()'])
  expect(problems[0]?.hint).toMatch(/^use one of abs, .*equity, .*volume/)
})
