import { describe, expect, test } from 'vitest'
import { addCandle, beginReadings } from '#src/market/indicators/indicator-values.ts'
import { truthOf, conditionOf, type Views } from '#src/strategy/expressions/condition.ts'
import { answer, compile, type ValueKind, type Program } from '#src/strategy/expressions/expression.ts'
import { languageOf, type InputType, type NameType } from '#src/strategy/expressions/language.ts'
import type { Context } from '#src/strategy/expressions/compile-expression.ts'
import {
  AccountObject,
  BookObject,
  CandlesObject,
  ClockObject,
  HoldingObject,
  LadderProgress,
} from '#src/strategy/expressions/context-objects.ts'

const names = new Map<string, InputType>([
  ['px', 'Candles'],
  ['book', 'Book'],
  ['btc', 'Holding'],
  ['dip', 'Progress'],
  ['account', 'Account'],
  ['clock', 'Clock'],
])
const language = languageOf(names).registerVariable('mid', 'double').registerVariable('lower', 'double')
const known = new Map<string, NameType>([...names, ['mid', 'double'], ['lower', 'double']])

function program(text: string, kind?: ValueKind): Program {
  const found = compile(language, known, text, kind)
  if (Array.isArray(found)) throw new Error(JSON.stringify(found))
  return found
}

const faults = (text: string, kind?: ValueKind) => {
  const found = compile(language, known, text, kind)
  return Array.isArray(found) ? found.map(({ start, message }) => `${start} ${message}`) : []
}

const hints = (text: string, kind?: ValueKind) => {
  const found = compile(language, known, text, kind)
  return Array.isArray(found) ? found.map(({ hint }) => hint) : []
}

const readings = beginReadings(
  [
    { name: 'sma', parameters: [2] },
    { name: 'sma', parameters: [9] },
  ],
  2,
)
for (const close of [100, 104, 110])
  addCandle(readings, { open: 99, high: close + 1, low: 98, close, volume: 3 })

const fed = { readings, opened: 0, intervalMs: 60_000 }

const seen: Context = {
  px: new CandlesObject(fed),
  book: Object.assign(new BookObject(), { bid: 99, ask: 101 }),
  btc: Object.assign(new HoldingObject(), { position: 2, netFills: -5 }),
  dip: Object.assign(new LadderProgress(), { filledLevels: 3, openHours: 7 }),
  account: Object.assign(new AccountObject(), {
    equity: () => 1000,
    balances: { USDT: 600 },
    mainBalances: { USDT: 50 },
  }),
  clock: Object.assign(new ClockObject(), { minute: 23 * 60 + 57, weekday: 3 }),
  mid: 100,
}
const before: Context = { ...seen, px: new CandlesObject(fed, () => 1), mid: 90, lower: 95 }
const twoAgo: Context = { ...before, px: new CandlesObject(fed, () => 2), mid: 120 }

const value = (text: string, context = seen) => {
  const found = answer(program(text), context)
  return 'value' in found ? found.value : `unknown: ${found.unknown}`
}

test.each<[string, number | boolean]>([
  ['1 / 2', 0.5],
  ['mid * 2 - 10', 190],
  ['-mid + 1', -99],
  ['mid > 99 && !(mid > 101)', true],
  ['mid == 100 ? 1 : 2', 1],
  ['mid == 100 ? 1 : 1 / (mid - 100)', 1],
  ['mid != 100 || mid <= 100 && mid >= 100', true],
  ['!(mid < 100)', true],
  ['open(px) + high(px) + low(px) + last(px) + volume(px)', 99 + 111 + 98 + 110 + 3],
  ['sma(px, 2)', 107],
  ['bid(book) + ask(book) + mid(book)', 300],
  ['spread(book) > 0.02', true],
  ['position(btc) * net_fills(btc)', -10],
  ['filled_levels(dip) + open_hours(dip)', 10],
  ['equity(account) + balance(account, "USDT") + main_balance(account, "USDT")', 1650],
  ['time_between(clock, "23:55", "00:10")', true],
  ['time_between(clock, "08:00", "18:00")', false],
  ['on_days(clock, "Mon,Wed")', true],
  ['on_days(clock, "Sat,Sun")', false],
  ['between(mid, 100, 200) && clamp(mid, 0, 50) == 50', true],
  ['min(1, 2) + max(1, 2) + abs(0 - 3)', 6],
  ['round(2.5) + floor(-1.5) + ceil(0.2)', 2],
  ['sqrt(mid) + pow(2, 10) + ln(exp(3))', 1037],
])('%s is %s', (text, expected) => {
  expect(value(text)).toBe(expected)
})

test.each([
  ['too few candles', 'sma(px, 9) > 1', /sma\(9\), which has too few candles, is unknown/],
  ['no position to have an entry', 'avg_entry(btc) > 1', /the average entry/],
  ['a name without a value', 'lower > 1', /lower/],
  ['a balance that nobody told', 'balance(account, "BTC") > 1', /the balance of BTC is unknown/],
  ['a division by zero', '1 / (mid - 100) > 5', /division by zero/],
  ['a division by zero that would not matter to a comparison', '5 > 1 / (mid - 100)', /division by zero/],
  ['what is unknown where the rest does not decide', 'sma(px, 9) > 1 && mid > 1', /too few candles/],
  ['the same from the other side', 'mid > 1 && sma(px, 9) > 1', /too few candles/],
  ['a root of a negative number', 'sqrt(mid - 101) > 0', /square root of a negative number is unknown/],
  ['a logarithm of zero', 'ln(mid - 100) < 0', /logarithm of a number that is not positive is unknown/],
  ['a power beyond numbers', 'pow(mid, 400) > 0', /no finite number is unknown/],
  ['a number beyond numbers', '1e308 * 10 * mid', /not a finite number/],
])('%s is unknown, and states why', (_, text, expected) => {
  expect(value(text)).toMatch(expected)
})

test.each([
  ['sma(px, 9) > 1 && mid > 1000', false],
  ['mid > 1000 && sma(px, 9) > 1', false],
  ['sma(px, 9) > 1 || mid > 1', true],
  ['mid > 1 || sma(px, 9) > 1', true],
  ['1 / (mid - 100) > 1 && mid > 1000', false],
])('an unknown part does not matter if the rest decides: %s is %s', (text, expected) => {
  expect(value(text)).toBe(expected)
})

describe('a mistake in an expression is found when the file is read', () => {
  test.each<[string, ValueKind | undefined, string[]]>([
    ['midd > 1 && lst(px) > 2', undefined, ['0 unknown name "midd"', '12 unknown function lst()']],
    ['px > 1', undefined, ['0 "px" is a feed of candles, not a value']],
    ['mid', 'bool', ['0 this is a number but must be true or false']],
    ['mid > 1', 'double', ['0 this is true or false but must be a number']],
    ['px', undefined, ['0 "px" is a feed of candles, not a value']],
    ['mid > ', undefined, ['6 the expression is incomplete']],
    [
      'time_between(clock, "23:55", "24:10") || time_between(clock, "9:00", "12:00")',
      undefined,
      ['29 "24:10" is not a time of day', '61 "9:00" is not a time of day'],
    ],
    ['on_days(clock, "Mon,Friday")', undefined, ['15 "Mon,Friday" is not a list of days']],
    ['on_days(clock, "Mon", "NYC")', undefined, ['22 this is not the name of a time zone']],
    [
      'time_between(clock, "09:30", "16:00", "America/Nowhere")',
      undefined,
      ['38 this is not the name of a time zone'],
    ],
    ['mid / 0', undefined, ['6 division by zero']],
    ['ema(px, mid)', undefined, ['8 this must be a whole number of candles from 1 to 5000']],
    ['ema(px, 0)', undefined, ['8 this must be a whole number of candles from 1 to 5000']],
    ['bb_lower(px, 20, mid)', undefined, ['17 this must be a plain number']],
    ['ema(book, 5)', undefined, ['4 ema() reads a feed of candles, and "book" is a feed of a book']],
    ['[1, 2].exists(x, x > mid)', undefined, ['0 strategy expressions do not support this']],
    ['mid in [1]', undefined, ['0 strategy expressions do not support this']],
    ['dyn(mid) > 1', undefined, ['0 unknown function dyn()']],
    ['"a" < "b"', undefined, ['0 only a function takes a "text"', '6 only a function takes a "text"']],
    ['null', undefined, ['0 only numbers, true and false are allowed here']],
  ])('%s', (text, kind, expected) => {
    expect(faults(text, kind)).toEqual(expected)
  })
  test('with the correct call of the function, and a fix', () => {
    expect(hints('atr(px)')).toEqual(['call it as atr(Candles, number): number'])
    expect(hints('ema(px)')).toEqual([
      'call it as ema(Candles, number): number or ema(number, number): number',
    ])
    expect(hints('mid', 'bool')).toEqual(['compare it with a value, such as mid > 60000'])
  })
})

test('the indicators that an expression needs are read from it', () => {
  expect(program('ema(px, 20) + bb_upper(px, 20, 2.5) > last(px)').wanted).toEqual([
    { feed: 'px', name: 'ema', parameters: [20] },
    { feed: 'px', name: 'bb_upper', parameters: [20, 2.5] },
  ])
})

test.each<[string, unknown, string]>([
  ['all, with one that is false', { all: ['mid > 1', 'sma(px, 9) > 1', 'mid < 1'] }, 'false'],
  ['all, with one that is unknown', { all: ['mid > 1', 'sma(px, 9) > 1'] }, 'unknown'],
  ['any, with one that is true', { any: ['sma(px, 9) > 1', 'mid > 1'] }, 'true'],
  ['any, with one that is unknown', { any: ['sma(px, 9) > 1', 'mid < 1'] }, 'unknown'],
  ['not of what is unknown', { not: 'sma(px, 9) > 1' }, 'unknown'],
  ['not', { not: 'mid < 1' }, 'true'],
  ['a crossing', { crosses_above: ['mid', '95'] }, 'true'],
  ['a crossing the other way', { crosses_below: ['mid', '95'] }, 'false'],
  ['a crossing of what has no past', { crosses_below: ['mid', 'sma(px, 9)'] }, 'unknown'],
  ['a rise', { rises: 'sma(px, 2)' }, 'true'],
  ['a fall', { falls: 'sma(px, 2)' }, 'false'],
  ['a rise over several candles', { rises: { of: 'last(px)', candles: '2' } }, 'true'],
  ['a fall over several candles', { falls: { of: 'mid', candles: '2' } }, 'true'],
  ['a rise since before there was a value', { rises: { of: 'sma(px, 2)', candles: '2' } }, 'unknown'],
  ['a tree', { all: [{ any: ['mid < 1', { not: 'mid < 1' }] }, 'mid > 1'] }, 'true'],
])('%s', (_, file, expected) => {
  const condition = conditionOf(
    file,
    [],
    (text, _path, kind) => program(String(text), kind),
    () => [],
  )
  const views: Views = { now: seen, ago: ({ candles }) => (candles === 1 ? before : twoAgo) }
  expect(condition && truthOf(condition, views)).toBe(expected)
})
