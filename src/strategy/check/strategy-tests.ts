import type { MarketRules } from '#src/market/ladder/plan.ts'
import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import { isDecimalText, sameNumber } from '#src/core/money/decimal-text.ts'
import { truthOf } from '#src/strategy/expressions/condition.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import { rungsOf } from './rungs.ts'
import { strategyTestInput } from './strategy-test-input.ts'
import type { Strategy, StrategyTest } from '#src/strategy/schema/strategy-schema.ts'

/** An expected value of a test that differs from the computed one. */
export type TestDifference = {
  path: PropertyKey[]
  test: string
  /** What was computed, as a sentence. */
  found: string
  /** The value that passes the test; undefined if nothing was computed. */
  computed: string | undefined
  /** A value that it reads is unknown. */
  isUnknown: boolean
}

const noRungs = { rungs: [], unused: new Decimal(0) }

/** Runs the tests in the strategy's own file. */
export function testDifferences(
  strategy: Strategy,
  programs: Programs,
  markets: ReadonlyMap<string, MarketRules>,
): TestDifference[] {
  return strategy.tests.flatMap((test, index) => {
    const testInput = strategyTestInput(strategy, programs, test.given)
    const differences: TestDifference[] = []
    const differs = (path: PropertyKey[], found: string, computed: string | undefined, isUnknown = false) =>
      differences.push({
        path: ['tests', index, 'expect', ...path],
        test: test.name,
        found,
        computed,
        isUnknown,
      })
    for (const [id, expected] of Object.entries(test.expect.rules)) {
      const condition = programs.conditions.get(id)
      // A rule with only a schedule is always true.
      const other = strategy.rules.some((rule) => rule.id === id && rule.when === undefined)
        ? 'true'
        : 'unknown'
      const found = condition ? truthOf(condition, testInput.views) : other
      if (found !== expected) differs(['rules', id], `the rule is ${found}`, found, found === 'unknown')
    }
    for (const [name, expected] of Object.entries(test.expect.rungs)) {
      const file = strategy.ladder[name]
      const own = programs.ladders.get(name)
      const market = file && markets.get(file.market)
      if (!own || !market) continue
      const placed = rungsOf(file, own, testInput.views.now, market, () => testInput.equity)
      if ('unknown' in placed) differs(['rungs', name], placed.unknown, undefined, true)
      else if ('refusal' in placed) differs(['rungs', name], placed.refusal, undefined)
      else {
        const { rungs: found, unused } = 'none' in placed ? noRungs : placed
        const rungs = found.map(
          ({ side, amount, price }) => `${side} ${decimalText(amount)} at ${decimalText(price)}`,
        )
        compare(expected, rungs, decimalText(unused), (path, found, computed) =>
          differs(['rungs', name, ...path], found, computed),
        )
      }
    }
    return differences
  })
}

/** The same as faults of the file; each points at the expectation that failed. */
export function strategyTestFaults(
  { rules }: Strategy,
  differences: readonly TestDifference[],
): StrategyFault[] {
  return differences.map(({ path, test, found, computed }) => ({
    path,
    from: [
      path,
      [...path.slice(0, 2), 'given'],
      ...rules.flatMap(({ id }, index) =>
        path[3] === 'rules' && path[4] === id ? [['rules', index, 'when']] : [],
      ),
    ],
    message: `the test "${test}" fails: ${found}`,
    hint: `correct the expectation or the given values${computed === undefined ? '' : ', or run check --update-tests'}`,
  }))
}

function compare(
  expected: StrategyTest['expect']['rungs'][string],
  rungs: readonly string[],
  unused: string,
  differs: (path: PropertyKey[], found: string, computed: string | undefined) => void,
): void {
  if (Array.isArray(expected)) {
    if (rungs.length !== expected.length) {
      const found = rungs.length === 0 ? 'no rungs' : `${rungs.length} rungs, the first is ${rungs[0]}`
      return differs([], found, `[${rungs.join(', ')}]`)
    }
    for (const [index, rung] of rungs.entries())
      if (!sameRung(expected[index] ?? '', rung)) differs([index], rung, rung)
    return
  }
  const { count, first, last } = expected
  const rungCount = String(rungs.length)
  if (count !== undefined && !count.eq(rungs.length)) differs(['count'], `${rungCount} rungs`, rungCount)
  for (const [key, rung, wanted] of [
    ['first', rungs[0], first],
    ['last', rungs.at(-1), last],
  ] as const) {
    if (wanted !== undefined && !sameRung(wanted, rung ?? '')) differs([key], rung ?? 'no rung', rung)
  }
  if (expected.unused !== undefined && decimalText(expected.unused) !== unused)
    differs(['unused'], `${unused} unused`, unused)
}

/** Numbers compare by value: 59500 equals 59500.00. */
function sameRung(expected: string, found: string): boolean {
  const [wanted, had] = [expected.split(' '), found.split(' ')]
  return (
    wanted.length === had.length &&
    wanted.every((word, index) => {
      const other = had[index] ?? ''
      return word === other || (isDecimalText(word) && isDecimalText(other) && sameNumber(word, other))
    })
  )
}
