import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal, decimal } from '#src/core/money/decimal.ts'
import { rungsOf } from '#src/strategy/check/rungs.ts'
import { viewsOf, inputsOf } from '#src/strategy/expressions/context-values.ts'
import { runs } from '#test/properties/runs.ts'
import { gridWith, problemsIn, strategyIn } from '#test/strategy/strategy-files.ts'

const market = {
  priceDigits: 2,
  amountDigits: 6,
  minAmount: decimal('0.000001'),
  minTotal: decimal('0'),
  maxTotal: decimal('100000000'),
  makerFee: decimal('0.0001'),
  takerFee: decimal('0.00035'),
}

const fileWith = (size: string, side = 'buy', exit = 'stop: { pct: 4% }, cooldown: 10m') =>
  gridWith(
    ['side: both', `side: ${side}`],
    ['levels: 21', 'levels: 4'],
    ['{ kind: range, from: 55000, to: 65000 }', '{ kind: geometric, first: 1%, step: 0.5%, grow: 1.2 }'],
    ['size: { total: 2100 quote }', `size: { ${size} }`],
    ['exit: { mirror: 1 }', `exit: { ${exit} }`],
    ['min_edge: 2.2 x fee', 'below_min: drop'],
  )

function placed(text: string, equity: string, rules = market) {
  const { strategy, programs } = strategyIn(text)
  const file = strategy.ladder['grid']!
  const views = viewsOf(programs, inputsOf(strategy))
  const found = rungsOf(file, programs.ladders.get('grid')!, views.now, rules, () => decimal(equity))
  if (!('rungs' in found)) throw new Error(JSON.stringify(found))
  return found
}

/** What the fills of all rungs lose if the stop closes at its price. */
function lossOf(
  { rungs }: ReturnType<typeof placed>,
  pct: Decimal,
  side: string,
  { makerFee, takerFee } = market,
) {
  const cost = Decimal.sum(...rungs.map(({ notional }) => notional))
  const amount = Decimal.sum(...rungs.map((rung) => rung.amount))
  const stop = cost.div(amount).times(side === 'sell' ? pct.plus(1) : new Decimal(1).minus(pct))
  const value = stop.times(amount)
  return value.minus(cost).abs().plus(cost.times(makerFee)).plus(value.times(takerFee))
}

test.each(['buy', 'sell'])(
  'a %s ladder loses its risk at its stop, with fees, and at most a lot less',
  (side) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.constantFrom('', ', shape: fibonacci', ', shape: { linear: [1, 3] }', ', leftover: spread'),
        (percent, risk, rest) => {
          const text = fileWith(
            `risk: ${risk} quote${rest}`,
            side,
            `stop: { pct: ${percent}% }, cooldown: 10m`,
          )
          const ladder = placed(text, '1')
          const loss = lossOf(ladder, new Decimal(percent).div(100), side)
          expect(loss.lte(risk)).toBe(true)
          // A lot of a rung costs about 0.06, of which at most 61 % are lost.
          expect(loss.gt(risk - 0.04 * ladder.rungs.length)).toBe(true)
        },
      ),
      runs(60, 2000),
    )
  },
)

const budget = (size: string) => placed(fileWith(size), '10000').budget.toDecimalPlaces(2).toFixed()

test('a share of the equity is risked, a cap bounds the capital, and scale_by scales the risk', () => {
  // 100 / (0.04 + 0.0001 + 0.00035 x 0.96)
  expect(budget('risk: 1% equity')).toBe('2473.04')
  expect(budget('risk: 100 quote')).toBe('2473.04')
  expect(budget('risk: 1% equity, scale_by: "0.5"')).toBe('1236.52')
  expect(budget('risk: 1% equity, cap: 2000 quote')).toBe('2000')
  expect(budget('risk: 100 quote, cap: 15% equity')).toBe('1500')
})

test('a rebate does not make the capital larger', () => {
  const rebate = { ...market, makerFee: new Decimal('-0.0002'), takerFee: new Decimal(0) }
  expect(placed(fileWith('risk: 100 quote'), '1', rebate).budget.toFixed()).toBe('2500')
})

test.each([
  ['risk: 100 quote', 'buy', 'tp: { pct: 1% }', 'needs exit.stop: the loss at the stop gives the capital'],
  [
    'risk: 100 quote',
    'both',
    'mirror: 1, stop: { pct: 4% }, cooldown: 1m',
    'a ladder on both sides has no single stop',
  ],
  ['risk: 100 quote, cap: 1 base', 'buy', 'stop: { pct: 4% }, cooldown: 1m', 'must be money'],
  ['risk: 1 base', 'buy', 'stop: { pct: 4% }, cooldown: 1m', 'must be a loss with its unit'],
  [
    'risk: 100 quote, total: 1 quote',
    'buy',
    'stop: { pct: 4% }, cooldown: 1m',
    'takes exactly one of total, first and risk',
  ],
])('%s with side: %s and %s is refused', (size, side, exit, message) => {
  expect(problemsIn(fileWith(size, side, exit)).map((problem) => problem.message)).toEqual([
    expect.stringContaining(message),
  ])
})
