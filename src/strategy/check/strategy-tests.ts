import type { MarketRules } from '#src/market/ladder/plan.ts'
import { decimalText } from '#src/core/money/decimal.ts'
import { isDecimalText, sameNumber } from '#src/core/money/decimal-text.ts'
import { truthOf } from '#src/strategy/expressions/condition.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import { rungsOf } from './rungs.ts'
import { strategyTestInput } from './strategy-test-input.ts'
import type { Strategy, StrategyTest } from '#src/strategy/schema/strategy-schema.ts'

/** Runs the tests in the strategy's own file; each fault points at the expectation that failed. */
export function strategyTestFaults(
  strategy: Strategy,
  programs: Programs,
  markets: ReadonlyMap<string, MarketRules>,
): StrategyFault[] {
  return strategy.tests.flatMap((test, index) => {
    const testInput = strategyTestInput(strategy, programs, test.given)
    const faults: StrategyFault[] = []
    const wrong = (path: PropertyKey[], found: string) =>
      faults.push({
        path: ['tests', index, 'expect', ...path],
        message: `the test "${test.name}" fails: ${found}`,
        hint: 'correct the expectation or the given values',
      })
    for (const [id, expected] of Object.entries(test.expect.rules)) {
      const condition = programs.conditions.get(id)
      const found = condition ? truthOf(condition, testInput.views) : 'true'
      if (found !== expected) wrong(['rules', id], `the rule is ${found}`)
    }
    for (const [name, expected] of Object.entries(test.expect.rungs)) {
      const file = strategy.ladder[name]
      const own = programs.ladders.get(name)
      const market = file && markets.get(file.market)
      if (!own || !market) continue
      const placed = rungsOf(file, own, testInput.views.now, market, () => testInput.equity)
      if ('unknown' in placed) wrong(['rungs', name], placed.unknown)
      else if ('refusal' in placed) wrong(['rungs', name], placed.refusal)
      else {
        const rungs = placed.rungs.map(
          ({ side, amount, price }) => `${side} ${decimalText(amount)} at ${decimalText(price)}`,
        )
        compare(expected, rungs, decimalText(placed.unused), (path, found) =>
          wrong(['rungs', name, ...path], found),
        )
      }
    }
    return faults
  })
}

function compare(
  expected: StrategyTest['expect']['rungs'][string],
  rungs: readonly string[],
  unused: string,
  wrong: (path: PropertyKey[], found: string) => void,
): void {
  if (Array.isArray(expected)) {
    for (const [index, rung] of expected.entries()) {
      const found = rungs[index]
      if (found === undefined || !sameRung(rung, found)) wrong([index], found ?? 'there is no such rung')
    }
    if (rungs.length > expected.length) wrong([], `${rungs.length} rungs, the first is ${rungs[0]}`)
    return
  }
  const { count, first, last } = expected
  if (count !== undefined && !count.eq(rungs.length)) wrong(['count'], `${rungs.length} rungs`)
  if (first !== undefined && !sameRung(first, rungs[0] ?? '')) wrong(['first'], rungs[0] ?? 'no rung')
  if (last !== undefined && !sameRung(last, rungs.at(-1) ?? '')) wrong(['last'], rungs.at(-1) ?? 'no rung')
  if (expected.unused !== undefined && decimalText(expected.unused) !== unused)
    wrong(['unused'], `${unused} unused`)
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
