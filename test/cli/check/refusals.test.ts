import { afterAll, expect, test } from 'vitest'
import { guards } from '#test/strategy/required-limits.ts'
import { check } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const file = `version: 1
name: base
needs: [bulk, history, balance, cancel]
markets: { btc: { symbol: BTC_USDT } }
feeds:
  px: { source: candles, market: btc, interval: 1m, stale_after: 90s }
ladder:
  dip:
    market: btc
    side: buy
    anchor: last(px)
    levels: 3
    spacing: { kind: volatility, unit: "600", first: 1, step: 1 }
    size: { total: 300 quote }
    exit: { tp: { pct: 2% } }
rules:
  - id: lay
    when: last(px) > 1
    do: [ensure: dip]
${guards}tests:
  - { name: a price, given: { feeds: { px: 60000 } }, expect: {} }
`

/** The first mistake in the file after one change, and the text that it marks. */
async function refused(from: string, to: string): Promise<string> {
  expect(file).toContain(from)
  const text = file.replace(from, () => to)
  const { ok, problems } = await check(folder, text)
  expect({ ok, count: problems.length }).toEqual({ ok: false, count: 1 })
  const [problem] = problems
  const line = text.split('\n')[(problem?.line ?? 0) - 1]?.slice((problem?.column ?? 0) - 1)
  const seen = line?.startsWith('\u202e') ? 'MARK' : /^[\w.%"$(>[-]+/.exec(line ?? '')?.[0]
  return `${seen}: ${problem?.message}; ${problem?.hint}`
}

const when = 'when: last(px) > 1'
const excluded =
  'with this part the condition is never true, so the rule never acts; compare with other numbers, or use any'
const invisible =
  'this character is invisible or changes the text direction; ' +
  'a strategy is plain UTF-8 text: remove control characters and direction marks'
const whole = /^    spacing.*\n.*\n.*$/m.exec(file)?.[0] ?? ''

test.each([
  ['without a change', when],
  [
    'of which one alternative is possible',
    'when: { any: [last(px) > 70000 && last(px) < 60000, last(px) > 1] }',
  ],
  ['that compares with a bound that is not excluded', 'when: last(px) >= 60000 && last(px) <= 60000'],
])('check accepts a condition %s', async (_, to) => {
  expect(await check(folder, file.replace(when, to))).toMatchObject({ ok: true, problems: [] })
})

test.each([
  [
    'a trailing exit that closes at the first turn',
    'exit: { tp: { pct: 2% } }',
    'exit: { trail: { activate: 0 x unit, retrace: 0 x unit }, cooldown: 1m }',
    '0: retrace must be above zero: 0 closes the position at the first price that is not better; write it like 0.5 x unit or 1%',
  ],
  [
    'a rule that lays a ladder and takes it away',
    'do: [ensure: dip]',
    'do: [ensure: dip, retire: dip]',
    'retire: the same rule says ensure: dip, and only the last action takes effect; keep one of them',
  ],
  [
    'bounds in the wrong order',
    when,
    'when: between(last(px), 70000, 60000)',
    '70000: 70000 is above 60000: this is never true; write the lower bound first',
  ],
  [
    'two comparisons that exclude each other',
    when,
    'when: last(px) > 70000 && 60000 >= last( px )',
    `60000: ${excluded}`,
  ],
  [
    'the same in a list',
    when,
    'when: { all: [last(px) > 70000, "between(last(px), 50000, 70000)"] }',
    `between(last(px: ${excluded}`,
  ],
  ['a comparison of two numbers that is false', when, 'when: last(px) > 1 && 2 > 3', `2: ${excluded}`],
  [
    'a feed that is too old before its next candle closes',
    'interval: 1m, stale_after: 90s',
    'interval: 1h, stale_after: 90s',
    '90s: stale_after is shorter than a candle of 1h: the feed is stale until the next candle closes; write more than 1h',
  ],
  [
    'a time of day that has no length',
    when,
    'when: time_between(clock, "10:00", "10:00")',
    '"10: both times are equal: this is never true; write the end time; for the whole day, ' +
      'omit time_between',
  ],
  [
    'two names for one market',
    'markets: { btc: { symbol: BTC_USDT } }',
    'markets: { btc: { symbol: BTC_USDT }, xbt: { symbol: BTC_USDT } }',
    'xbt: "btc" and "xbt" are the same market with separate limits; use btc everywhere',
  ],
  [
    'a missed time that reaches the next one',
    when,
    'schedule: Mon,Thu 10:00 UTC\n    missed: { run_once_within: 3d }',
    '3d: run_once_within is longer than the time to the next schedule, when the rule acts again; write the maximum ' +
      'delay, such as 2h',
  ],
  [
    'a mark that turns text around',
    'do: [ensure: dip]',
    'do: [ensure: dip, alert: "a\u202eb"]',
    'MARK: ' + invisible,
  ],
  [
    'a control character that is written as an escape',
    'do: [ensure: dip]',
    'do: [ensure: dip, alert: "a\\x07b"]',
    '"a: ' + invisible,
  ],
  [
    'a size above its own cap',
    'size: { total: 300 quote }',
    'size: { total: 300 quote, cap: 100 quote }',
    '100: cap is less than total: the ladder never uses its total; set total to the value of cap, and omit cap',
  ],
  [
    'an expression that YAML has cut at its comma',
    when,
    'when: { crosses_above: [rsi(px, 14), 30] }',
    '[rsi(px: rules.0.when.crosses_above: needs exactly two expressions; a comma ends one that has no quotes; ' +
      'write it like ["rsi(px, 14)", 30]',
  ],
  [
    'a fixed anchor below its range',
    whole,
    '    spacing: { kind: range, from: 65000, to: 70000 }\n    size: { total: 300 quote }\n    exit: { tp: { pct: 2% } }',
    'last(px: dip: no line of the range is on the buy side of the anchor; move the anchor or the range',
  ],
])('check refuses %s, and marks it', async (_, from, to, expected) => {
  expect(await refused(from, to)).toBe(expected)
})

test.each([
  ['last(px) >', 'the expression is incomplete'],
  ['(last(px) > 1', 'the expression is incomplete'],
  ['last(px) > 1)', '")" is not allowed here'],
  ['last(px) > 1e999', 'the number 1e999 is too large'],
  ['last(px) @ 1', '"@" is not allowed here'],
  ['balance(account, "USDT) > 1', 'this "text" has no closing quote'],
  ['for > 1', '"for" is a reserved word'],
  ['px > 1', '"px" is a feed of candles, not a value'],
  ['true > 1', '> takes only numbers'],
  ['last(px) && true', '&& takes only true or false'],
  ['!last(px)', '! takes only true or false'],
  ['1 ? true : false', 'the part before ? must be true or false'],
  ['last(px) > (true ? 1 : true)', 'both sides of : must be numbers, or both true or false'],
  ['last(1) > 1', 'last() reads a feed of candles, not a value'],
  ['sma(px) > 1', 'sma does not take these arguments'],
  [`${'('.repeat(60)}1${')'.repeat(60)} > 1`, 'the expression has too many parts or nested brackets'],
])('check explains what is wrong with %s', async (text, message) => {
  const { problems } = await check(
    folder,
    file.replace(when, () => `when: '${text}'`),
  )
  expect(problems.map((problem) => problem.message)).toEqual([message])
})

test('one round names the market that the venue lacks, beside mistakes of form and of reference', async () => {
  const text = file
    .replace('BTC_USDT', 'BTC_USD')
    .replace('levels: 3', 'levels: many')
    .replace('anchor: last(px)', 'anchor: last(pz)')
    .replace(/- id: lay[^]*\[ensure: dip\]/, '- { id: lay, when: rsi(px, 14) < 30, do: [ensure: dip] }')
  const { problems } = await check(folder, text)
  expect(problems.map(({ line, message, hint }) => `${line} ${message} ${hint}`)).toEqual([
    '4 the venue has no market BTC_USD did you mean "BTC_USDT"?',
    '11 unknown name "pz" did you mean "px"?',
    '12 ladder.dip.levels: must be a whole number from 1 write it like 12',
    '17 the expression is incomplete check brackets, quotes and operators',
    '17 unknown key "14) < 30" a comma between { and } begins a new key: write the value before it in quotes',
  ])
})

test('check refuses a stop at the venue beside the kill switch that would cancel it, and beside the other side', async () => {
  const needs = 'needs: [bulk, history, balance, cancel]'
  const guarded = file
    .replace(needs, 'needs: [bulk, history, balance, cancel, conditional_orders]')
    .replace('tp: { pct: 2% }', 'stop: { pct: 2%, mode: resting }, cooldown: 1h')
  expect(await check(folder, guarded)).toMatchObject({ ok: true, problems: [] })
  const { problems } = await check(
    folder,
    guarded.replace('risk:\n', 'risk:\n  deadman: { heartbeat: 9s, on_miss: retire_all }\n'),
  )
  expect(problems).toMatchObject([
    {
      message: 'a stop at the venue works without the bot, and the kill switch (deadman) cancels it then',
      hint: 'omit risk.deadman, or write on_touch_ioc',
    },
  ])
  const both = await check(folder, guarded.replace('side: buy', 'side: both'))
  expect(both.problems).toMatchObject([
    { message: expect.stringMatching(/^"dip" trades the other side of btc.*only reduce that$/) },
  ])
  // Needed, and not named in `needs`.
  const { problems: unnamed } = await check(folder, guarded.replace(', conditional_orders', ''))
  expect(unnamed).toMatchObject([{ message: 'a resting stop needs the capability conditional_orders' }])
})

test('check refuses to amend the orders of a ladder with an exit, and of one that follows fills', async () => {
  const needs = 'needs: [bulk, history, balance, cancel]'
  const rebase = 'rebase: { drift: 1%, min_gap: 1m, amend: true, on_fill: true }'
  const quotes = file
    .replace(needs, 'needs: [bulk, history, balance, cancel, amend]')
    .replace('side: buy', `side: buy\n    ${rebase}`)
  const { problems } = await check(folder, quotes)
  expect(problems.map(({ message, hint }) => `${message}: ${hint}`)).toEqual([
    'amend needs a ladder without exit: a rung with an exit is placed again when its position is closed: omit amend, or exit',
    'amend has no effect with on_fill: such a ladder places no order before the end of its former orders: omit amend, or on_fill',
  ])
  const whole = quotes.replace(/exit: .*/, '').replace(', on_fill: true', '')
  expect(await check(folder, whole)).toMatchObject({ ok: true, problems: [] })
  const { problems: unnamed } = await check(folder, whole.replace(', amend]', ']'))
  expect(unnamed).toMatchObject([{ message: 'amending orders needs the capability amend' }])
})
