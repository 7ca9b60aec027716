import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BotError } from '#src/core/errors/bot-error.ts'
import {
  Decimal,
  decimal,
  decimalText as plainText,
  fromDouble,
  isLess,
  moneyText,
  signedDecimal,
  signedText,
  withShortNumbers,
} from '#src/core/money/decimal.ts'
import { isDecimalText, sameNumber } from '#src/core/money/decimal-text.ts'
import { runs } from '#test/properties/runs.ts'
import { decimalText } from './oracle.ts'

test('any string is a decimal or an error with a code', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string(), decimalText, fc.double().map(String)),
      (text) => {
        if (isDecimalText(text)) expect(decimal(text).toFixed().length).toBeGreaterThan(0)
        else expect(() => decimal(text)).toThrow(BotError)
      },
    ),
    runs(5000, 250_000),
  )
})

test.each([
  '',
  ' ',
  '-1',
  '+1',
  '01',
  '1.',
  '.1',
  '1e3',
  '1E3',
  'NaN',
  'Infinity',
  '0x1',
  '1_000',
  '1,5',
  '1\n',
  '１',
  '1'.repeat(19),
  `0.${'1'.repeat(19)}`,
])('%j is not a decimal', (text) => {
  expect(isDecimalText(text)).toBe(false)
  expect(() => decimal(text)).toThrow('Not an exact decimal number')
})

test('a decimal is written in plain digits and read as the same number', () => {
  fc.assert(
    fc.property(decimalText, (text) => {
      const written = plainText(decimal(text))
      expect(isDecimalText(written)).toBe(true)
      expect(decimal(written).eq(decimal(text))).toBe(true)
      expect(sameNumber(written, text)).toBe(true)
    }),
    runs(5000, 250_000),
  )
})

test('two texts are the same number exactly if Decimal says so', () => {
  const close = decimalText.chain((text) =>
    fc.constantFrom(text, `${text}0`, `${text}.0`, `${text}1`, text.slice(0, -1)),
  )
  fc.assert(
    fc.property(decimalText, close, (a, b) => {
      fc.pre(isDecimalText(b))
      expect(sameNumber(a, b)).toBe(decimal(a).eq(decimal(b)))
    }),
    runs(3000, 100_000),
  )
})

test('a text is less than another exactly if Decimal says so, however close they are', () => {
  expect(isLess('1.0', '1')).toBe(false)
  const close = decimalText.chain((text) => fc.constantFrom(text, `${text}0`, `${text}1`, `-${text}`))
  fc.assert(
    fc.property(decimalText, close, (a, b) => {
      expect(isLess(a, b)).toBe(new Decimal(a).lt(b))
    }),
    runs(3000, 100_000),
  )
})

test('a number that does not fit the API is never written', () => {
  for (const value of ['-1', '1e18', '1e-19', 'NaN', 'Infinity']) {
    expect(() => plainText(new Decimal(value))).toThrow(BotError)
  }
})

test('in texts for people fractions end after eight digits, and everything else stays', () => {
  expect(withShortNumbers('false; tilt -0.14132396505000003; vol 1.7922993375e-9; price 60667.17')).toBe(
    'false; tilt -0.14132396; vol 0.0000000017922993; price 60667.17',
  )
  expect(withShortNumbers('0.30000000000000004 < 1234567890.125')).toBe('0.3 < 1234567890')
  const others = 'sgrid.grid.b1.1 at 127.0.0.1:8787, v1.123456789, 1234567890123, 12:00:39.123456789Z'
  expect(withShortNumbers(others)).toBe(others)
})

test('products of API numbers are exact: Decimal agrees with whole numbers', () => {
  fc.assert(
    fc.property(decimalText, decimalText, (a, b) => {
      const [x, y] = [a, b].map((text) => {
        const [whole = '', fraction = ''] = text.split('.')
        return BigInt(whole + fraction.padEnd(18, '0'))
      })
      const product = new Decimal(((x ?? 0n) * (y ?? 0n)).toString()).div('1e36')
      expect(decimal(a).times(decimal(b)).eq(product)).toBe(true)
    }),
    runs(3000, 100_000),
  )
})

test('the first twelve digits of a double count, however short its text is', () => {
  const written = fc
    .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: -330, max: 30 }))
    .map(([digits, exponent]) => Number(`${digits}e${exponent}`))
  fc.assert(
    fc.property(fc.oneof(fc.double(), written), (value) => {
      const expected = new Decimal(value.toPrecision(12))
      expect(fromDouble(value).eq(expected) || expected.isNaN()).toBe(true)
    }),
    runs(3000, 100_000),
  )
})

test('a negative number is read and written with its sign, and zero has none', () => {
  fc.assert(
    fc.property(decimalText, (text) => {
      const value = decimal(text)
      expect(signedDecimal(text).eq(value)).toBe(true)
      expect(signedDecimal(`-${text}`).eq(value.neg())).toBe(true)
      expect(signedText(value)).toBe(plainText(value))
      expect(signedText(value.neg())).toBe(value.isZero() ? '0' : `-${plainText(value)}`)
    }),
    runs(1000, 100_000),
  )
})

test.each([
  ['1234.5', '1234.50'],
  ['-1234.5', '-1234.50'],
  ['0.125', '0.12'],
  ['0.135', '0.14'],
  ['-0.004', '0.00'],
])('%s is %s for people', (exact, read) => {
  expect(moneyText(exact)).toBe(read)
})
