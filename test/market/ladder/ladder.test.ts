import { describe, expect, test } from 'vitest'
import { buildLadder } from '#src/market/ladder/ladder.ts'
import type { LadderPlan, Spacing, WeightShape } from '#src/market/ladder/plan.ts'
import { weightsOf } from '#src/market/ladder/weights.ts'
import { decimal, Decimal, decimalText } from '#src/core/money/decimal.ts'
import { market } from './market.ts'

const spacing = {
  arithmetic: { kind: 'arithmetic', first: decimal('0.01'), step: decimal('0.02') },
  geometric: { kind: 'geometric', first: decimal('0.01'), step: decimal('0.1'), grow: decimal('2') },
  offsets: { kind: 'offsets', at: ['0', '0.004', '0.009'].map(decimal) },
  volatility: { kind: 'volatility', unit: decimal('150.5'), first: decimal('0.6'), step: decimal('0.4') },
  range: { kind: 'range', from: decimal('900'), to: decimal('1100'), by: 'price' },
  ratios: { kind: 'range', from: decimal('100'), to: decimal('1600'), by: 'ratio' },
} as const satisfies Record<string, Spacing>

const plan: LadderPlan = {
  side: 'buy',
  levels: 3,
  spacing: spacing.arithmetic,
  shape: { kind: 'flat' },
  budget: { amount: decimal('300'), of: 'quote', for: 'all' },
  belowMin: 'refuse',
  leftover: 'keep',
}

function build(changes: Partial<LadderPlan>, anchor = '1000', rules = market) {
  const ladder = buildLadder({ ...plan, ...changes }, decimal(anchor), rules)
  if ('refusal' in ladder) throw new Error(ladder.refusal)
  return ladder
}

function refusal(changes: Partial<LadderPlan>, anchor = '1000', rules = market) {
  const ladder = buildLadder({ ...plan, ...changes }, decimal(anchor), rules)
  return 'refusal' in ladder ? ladder.refusal : undefined
}

/** The part of the plan that a refusal names. */
function refusedPart(changes: Partial<LadderPlan>, rules = market) {
  const ladder = buildLadder({ ...plan, ...changes }, decimal('1000'), rules)
  return 'refusal' in ladder ? ladder.of : undefined
}

const pricesOf = (changes: Partial<LadderPlan>, anchor?: string) =>
  build(changes, anchor).rungs.map(({ side, price }) => `${side} ${decimalText(price)}`)

describe('the prices of a ladder', () => {
  test('with arithmetic spacing have equal steps from the anchor', () => {
    expect(pricesOf({})).toEqual(['buy 990', 'buy 970', 'buy 950'])
    expect(pricesOf({ side: 'sell' })).toEqual(['sell 1010', 'sell 1030', 'sell 1050'])
  })
  test('with geometric spacing have steps relative to the price before, each wider than the last', () => {
    expect(pricesOf({ spacing: spacing.geometric })).toEqual(['buy 990', 'buy 891', 'buy 712.8'])
    expect(pricesOf({ spacing: spacing.geometric, side: 'sell' })).toEqual([
      'sell 1010',
      'sell 1111',
      'sell 1333.2',
    ])
  })
  test('with offsets are at the given distances', () => {
    expect(pricesOf({ spacing: spacing.offsets })).toEqual(['buy 1000', 'buy 996', 'buy 991'])
  })
  test('with volatility spacing are as far apart as the market moves', () => {
    expect(pricesOf({ spacing: spacing.volatility })).toEqual(['buy 909.7', 'buy 849.5', 'buy 789.3'])
  })
  test('with volatility spacing follow the first distance, also if the steps are the same', () => {
    const wider = { ...spacing.volatility, first: decimal('1.6') }
    expect(pricesOf({ spacing: spacing.volatility })).toEqual(['buy 909.7', 'buy 849.5', 'buy 789.3'])
    expect(pricesOf({ spacing: wider })).toEqual(['buy 759.2', 'buy 699', 'buy 638.8'])
  })
  test('of a range with one line are its end', () => {
    expect(pricesOf({ spacing: spacing.ratios, levels: 1 })).toEqual(['buy 100'])
  })
  test('of a range buy below the anchor, sell above it, and skip a line at it', () => {
    expect(pricesOf({ spacing: spacing.range, side: 'both', levels: 5 })).toEqual([
      'buy 950',
      'buy 900',
      'sell 1050',
      'sell 1100',
    ])
    expect(pricesOf({ spacing: spacing.range, side: 'both', levels: 3 }, '960')).toEqual([
      'buy 900',
      'sell 1000',
      'sell 1100',
    ])
  })
  test('of a range can have equal ratios', () => {
    expect(pricesOf({ spacing: spacing.ratios, levels: 5 }, '2000')).toEqual(
      ['1600', '800', '400', '200', '100'].map((price) => `buy ${price}`),
    )
  })
  test('are rounded away from the market: buys down, sells up', () => {
    const third: Spacing = { kind: 'offsets', at: [decimal('0.033333333')] }
    expect(pricesOf({ spacing: third, levels: 1 })).toEqual(['buy 966.66'])
    expect(pricesOf({ spacing: third, levels: 1, side: 'sell' })).toEqual(['sell 1033.34'])
  })
  test('are counted from the anchor, with a letter for the side if there are two sides', () => {
    expect(build({}).rungs.map(({ level }) => level)).toEqual(['1', '2', '3'])
    expect(build({ side: 'both' }).rungs.map(({ level }) => level)).toEqual([
      'b1',
      'b2',
      'b3',
      's1',
      's2',
      's3',
    ])
  })
  test('are above zero, or the ladder is refused', () => {
    expect(refusal({ spacing: { kind: 'arithmetic', first: decimal('0.5'), step: decimal('0.3') } })).toBe(
      'the price of a rung would be zero or less',
    )
    expect(refusal({ spacing: { ...spacing.geometric, first: decimal('1') } })).toMatch(/zero or less/)
    expect(refusal({ spacing: spacing.range, levels: 3 }, '800')).toBe(
      'no line of the range is on the buy side of the anchor',
    )
  })
})

test.each<[string, WeightShape, string[]]>([
  ['flat', { kind: 'flat' }, ['1', '1', '1', '1']],
  ['linear', { kind: 'linear', from: decimal('1'), to: decimal('2.5') }, ['1', '1.5', '2', '2.5']],
  ['geometric', { kind: 'geometric', ratio: decimal('1.5') }, ['1', '1.5', '2.25', '3.375']],
  ['fibonacci', { kind: 'fibonacci' }, ['1', '1', '2', '3']],
  ['valley', { kind: 'valley' }, ['4', '2', '2', '4']],
  ['mountain', { kind: 'mountain' }, ['1', '3', '3', '1']],
  ['list', { kind: 'list', weights: ['1', '1', '1.5', '2'].map(decimal) }, ['1', '1', '1.5', '2']],
])('the capital is distributed %s', (_, shape, weights) => {
  expect(weightsOf(shape, 4).map((weight) => weight.toDecimalPlaces(20).toFixed())).toEqual(weights)
})

describe('the capital of a ladder', () => {
  test('is divided by the prices of the rungs, and the rounding remainder is reported', () => {
    const { rungs, unused } = build({})
    expect(rungs.map(({ amount }) => decimalText(amount))).toEqual(['0.10101', '0.103092', '0.105263'])
    expect(decimalText(unused)).toBe('0.00101')
  })
  test('can be an amount of the base currency', () => {
    const { rungs, unused } = build({ budget: { amount: decimal('0.1'), of: 'base', for: 'all' } })
    expect(rungs.map(({ amount }) => decimalText(amount))).toEqual(['0.033333', '0.033333', '0.033333'])
    expect(decimalText(unused)).toBe('0.000001')
  })
  test('can follow from the first rung, up to a cap', () => {
    const shape = { kind: 'geometric', ratio: decimal('2') } as const
    const budget = { amount: decimal('40'), of: 'quote', for: 'first' } as const
    expect(decimalText(build({ shape, budget }).budget)).toBe('280')
    expect(decimalText(build({ shape, budget: { ...budget, cap: decimal('140') } }).budget)).toBe('140')
  })
})

describe('the capital of a ladder with two sides', () => {
  const both = { side: 'both', levels: 3 } as const
  const shares = (changes: Partial<LadderPlan>, anchor?: string) =>
    build({ ...both, ...changes }, anchor).rungs.map(({ level, notional, amount }) => {
      return [level, Math.round(notional.toNumber()), amount.toNumber()]
    })
  test('is shared by the rungs of both sides: `flat` gives the same money, or the same amount of a base budget', () => {
    const levels = ['b1', 'b2', 'b3', 's1', 's2', 's3']
    expect(shares({}).map(([level, money]) => [level, money])).toEqual(levels.map((level) => [level, 50]))
    const base = { amount: decimal('0.6'), of: 'base', for: 'all' } as const
    expect(shares({ budget: base }).map(([level, , amount]) => [level, amount])).toEqual(
      levels.map((level) => [level, 0.1]),
    )
  })
  test('of a range is larger on the side with more lines', () => {
    // Lines at 900, 950, 1000, 1050 and 1100.
    const money = shares({ spacing: spacing.range, levels: 5 }, '960').map(
      ([level, each]) => `${level} ${each}`,
    )
    expect(money).toEqual(['b1 60', 'b2 60', 's1 60', 's2 60', 's3 60'])
  })
  test('is the first rung times the rungs on both sides', () => {
    const budget = { amount: decimal('40'), of: 'quote', for: 'first' } as const
    expect(decimalText(build({ ...both, budget }).budget)).toBe('240')
  })
  test('is shaped from the anchor outwards on each side', () => {
    const shape = { kind: 'geometric', ratio: decimal('2') } as const
    const money = shares({ shape, budget: { amount: decimal('140'), of: 'quote', for: 'all' } })
    expect(money.map(([, each]) => each)).toEqual([10, 20, 40, 10, 20, 40])
  })
})

describe('the remainder of rounding to lots', () => {
  const rules = { ...market, amountDigits: 2, minAmount: decimal('0.01') }
  const spread = { leftover: 'spread' } as const
  const amounts = (changes: Partial<LadderPlan>) =>
    build(changes, '1000', rules).rungs.map(({ amount }) => decimalText(amount))

  test('goes lot by lot to the rungs that lost the largest part of one, until it is used up', () => {
    // 100 each buys 10.10, 10.31 and 10.53 lots: no lot costs as little as the remaining 9.4.
    expect(amounts(spread)).toEqual(['0.1', '0.1', '0.1'])
    // 109.5 each buys 11.06, 11.29 and 11.53 lots. The remaining 8.5 buy no lot; with 117.5 the remaining 21.4 buy two.
    const budget = { amount: decimal('352.5'), of: 'quote', for: 'all' } as const
    expect(amounts({ budget })).toEqual(['0.11', '0.12', '0.12'])
    expect(amounts({ budget, ...spread })).toEqual(['0.12', '0.12', '0.12'])
    expect(decimalText(build({ budget, ...spread }, '1000', rules).unused)).toBe('3.3')
  })
  test('of a base budget is distributed too, the nearest rung first if several are equal', () => {
    const budget = { amount: decimal('0.11'), of: 'base', for: 'all' } as const
    expect(amounts({ budget })).toEqual(['0.03', '0.03', '0.03'])
    expect(amounts({ budget, ...spread })).toEqual(['0.04', '0.04', '0.03'])
  })
  test('stays within the budget to the last digit, also if the sum of the weights was rounded', () => {
    const changes = {
      levels: 6,
      shape: { kind: 'geometric', ratio: decimal('1.23456789') },
      ...spread,
    } as const
    const budget = { amount: decimal('0.149999999999999999'), of: 'base', for: 'all' } as const
    const { rungs, unused } = build({ ...changes, budget }, '1000', rules)
    expect(rungs.reduce((sum, { amount }) => sum.plus(amount), decimal('0')).toFixed()).toBe('0.14')
    expect(unused.toFixed()).toBe('0.009999999999999999')
  })
  test('excludes the share of a dropped rung, and never exceeds the largest order', () => {
    const shape = { kind: 'list', weights: ['0.09', '1.25', '1.25'].map(decimal) } as const
    const budget = { amount: decimal('0.259'), of: 'base', for: 'all' } as const
    const dropped = { shape, budget, belowMin: 'drop', ...spread } as const
    expect(amounts(dropped)).toEqual(['0.13', '0.12'])
    const small = { ...rules, maxTotal: decimal('125') }
    expect(build(dropped, '1000', small).rungs.map(({ amount }) => decimalText(amount))).toEqual([
      '0.12',
      '0.13',
    ])
  })
})

describe('a rung that the market would refuse', () => {
  const budget = { amount: decimal('16'), of: 'quote', for: 'all' } as const
  // Notionals of 2, 4 and 10, with a minimum of 5.
  const shape = { kind: 'list', weights: ['2', '4', '10'].map(decimal) } as const

  test('is refused with the missing amount', () => {
    expect(refusal({ budget, shape })).toBe('level 1 has a notional of 1.9998, below the minimum of 5')
    const rules = { ...market, amountDigits: 2, minAmount: decimal('0.01') }
    expect(refusal({ budget, shape }, '1000', rules)).toBe(
      'level 1 has an amount of 0, below the minimum of 0.01',
    )
  })
  test('is refused with the part of the plan to change', () => {
    expect(refusedPart({ budget, shape })).toBe('size')
    expect(refusedPart({ budget, shape }, { ...market, amountDigits: 2 })).toBe('size')
    const close: Spacing = { kind: 'arithmetic', first: decimal('0'), step: decimal('0.000001') }
    expect(refusedPart({ spacing: close })).toBe('spacing')
  })
  test('is dropped, and its share stays unused', () => {
    const { rungs, dropped, unused } = build({ budget, shape, belowMin: 'drop' })
    expect(rungs.map(({ level }) => level)).toEqual(['3'])
    expect(dropped).toEqual(['1', '2'])
    expect(unused.gt(6)).toBe(true)
  })
  test('passes its share to the next rung', () => {
    const { rungs, merged, unused } = build({ budget, shape, belowMin: 'merge' })
    expect(rungs.map(({ level, notional }) => [level, notional.toFixed(0, Decimal.ROUND_HALF_UP)])).toEqual([
      ['2', '6'],
      ['3', '10'],
    ])
    expect(merged).toEqual(['1'])
    expect(unused.lt('0.01')).toBe(true)
  })
  test('includes one on the same tick as the rung before', () => {
    const close: Spacing = { kind: 'arithmetic', first: decimal('0'), step: decimal('0.000001') }
    expect(refusal({ spacing: close })).toBe('level 3 is on the same tick as the rung before it, 999.99')
    expect(build({ spacing: close, belowMin: 'merge' }).merged).toEqual(['3'])
  })
  test('can also be too large', () => {
    expect(refusal({}, '1000', { ...market, maxTotal: decimal('90') })).toBe(
      'the amount of level 1 is above the maximum order size',
    )
  })
})
