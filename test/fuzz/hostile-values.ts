import type { Chance } from './chance.ts'

/** Values that an attacker may send instead of valid ones. */
const texts = [
  '',
  ' ',
  '\0',
  '\t',
  '\u202e',
  'ａ',
  '😀',
  '\ud800',
  'é',
  '"',
  '\\',
  '{}',
  'null',
  'true',
  '..',
  '../../etc/passwd',
  '%00',
  '<script>alert(1)</script>',
  "' OR 1=1 --",
  '${7*7}',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'x'.repeat(26),
  'x'.repeat(65),
  'x'.repeat(256),
  'x'.repeat(3000),
  '\u0301'.repeat(200),
  'NaN',
  'Infinity',
  '-Infinity',
  '1e5',
  '1E-7',
  '-1',
  '-0',
  '+1',
  '0x10',
  '0b1',
  '1_000',
  '1,5',
  '1 000',
  '٣',
  '00',
  '01',
  '1.',
  '.1',
  '0.0000000000000000001',
  '1'.repeat(19),
  '9'.repeat(40),
  '0',
  '0.0',
  '0.000000000000000001',
  '999999999999999999',
  '10',
  '0.1',
  '60000',
  '12.3456789',
]
const names = [
  'USDT',
  'BTC',
  'EUR',
  'usdt',
  'NOPE',
  'BTC_PERP',
  'SOL_PERP',
  'BTC-PERP',
  'DOGE_USDT',
  'buy',
  'sell',
  'LONG',
  'SHORT',
  'BOTH',
  'ERC20',
  'LN',
  '5m',
  '24h',
  '7d',
  'main_balance',
  'external_address',
  'paper-pool',
  'rig-1',
  'desk',
]
/** Ids of paper, of rival, of no account; in the wrong case; of the wrong kind. */
const ids = [
  '22222222-2222-4222-8222-000000000001',
  '22222222-2222-4222-8222-000000000009',
  '33333333-3333-4333-8333-000000000001',
  '44444444-4444-4444-8444-000000000001',
  '11111111-1111-4111-8111-000000000001',
  '11111111-1111-4111-8111-000000000002',
  '99999999-9999-4999-8999-999999999999',
  '22222222-2222-4222-8222-00000000000A',
  '{22222222-2222-4222-8222-000000000001}',
  'TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW',
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  '0x0000000000000000000000000000000000000000',
]
const plain: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e-7,
  100,
  101,
  10_001,
  1_790_000_000,
  [],
  {},
  [[]],
  [null],
  [1, 1, 1],
  { length: -1 },
  { toString: 1 },
  { $gt: '' },
  ['buy'],
  [0],
  [{}],
  { 0: 'a' },
]
/** Numbers and shapes that only raw text can contain; a marker stands for each in the object. */
const raw = [
  '1e400',
  '-1e400',
  '-0',
  '9007199254740993',
  '1'.repeat(40),
  '0.1e1',
  '1E+2',
  '9'.repeat(400),
  '1.0',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"a":1,"a":2}',
  'NaN',
  '-',
  '01',
  'undefined',
  "'x'",
  '0x1',
  'Infinity',
  '"\\ud800"',
  '"\\u0000"',
  '[,]',
  '[1,]',
  '{"a"}',
]

const marker = 'a place for raw text'

export function hostileValue(chance: Chance): unknown {
  switch (chance.below(8)) {
    case 0:
    case 1:
      return chance.oneOf(texts)
    case 2:
      return chance.oneOf(names)
    case 3:
      return chance.oneOf(ids)
    case 4:
    case 5:
      return structuredClone(chance.oneOf(plain))
    case 6:
      return marker
    default:
      return chance.percent(3)
        ? 'y'.repeat(chance.oneOf([64_000, 65_000, 66_000, 90_000]))
        : chance.below(2 ** 31)
  }
}

/** The text of the body, with raw text in place of the markers. */
export function writtenOut(value: unknown, chance: Chance): string {
  return (JSON.stringify(value) ?? '').replaceAll(`"${marker}"`, () =>
    chance.percent(6) ? nested(chance) : chance.oneOf(raw),
  )
}

export function nested(chance: Chance): string {
  const depth = chance.oneOf([17, 100, 1000, 5000, 10_000, 30_000])
  return chance.percent(50)
    ? `${'['.repeat(depth)}${']'.repeat(depth)}`
    : `${'{"a":'.repeat(depth / 3)}1${'}'.repeat(depth / 3)}`
}
