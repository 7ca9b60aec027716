import { Environment } from '@marcbachmann/cel-js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answer, compile } from '#src/strategy/expressions/expression.ts'
import { languageOf } from '#src/strategy/expressions/language.ts'
import { runs } from '#test/properties/runs.ts'

const numbers = ['a', 'b', 'c']
const flags = ['x', 'y']
const ours = languageOf(new Map())
const types = new Map([
  ...numbers.map((name) => [name, 'double'] as const),
  ...flags.map((name) => [name, 'bool'] as const),
])
/** The library's own evaluation, as the reference. */
const theirs = new Environment()
for (const name of numbers) for (const each of [ours, theirs]) each.registerVariable(name, 'double')
for (const name of flags) for (const each of [ours, theirs]) each.registerVariable(name, 'bool')
/** A division by zero is unknown here and infinite in the library, unless it is replaced. */
theirs.registerFunction('over(double, double): double', (dividend: number, divisor: number) => {
  if (divisor === 0) throw new Error('Unknown variable: division by zero')
  return dividend / divisor
})
const ourText = (text: string) => text.replaceAll('[', '(').replaceAll(' ÷ ', ' / ').replaceAll(']', ')')
const theirText = (text: string) => text.replaceAll('[', 'over(').replaceAll(' ÷ ', ', ').replaceAll(']', ')')

const joined = (operators: string[], part: fc.Arbitrary<string>) =>
  fc.tuple(part, fc.constantFrom(...operators), part).map(([one, by, other]) => `(${one} ${by} ${other})`)

const { flag } = fc.letrec<{ number: string; flag: string }>((tie) => {
  const [number, flag] = [tie('number'), tie('flag')]
  const choice = (part: fc.Arbitrary<string>) =>
    fc.tuple(flag, part, part).map(([condition, one, other]) => `(${condition} ? ${one} : ${other})`)
  return {
    number: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...numbers, '0.0', '1.0', '2.5'),
      joined(['+', '-', '*'], number),
      fc.tuple(number, number).map(([dividend, divisor]) => `[${dividend} ÷ ${divisor}]`),
      number.map((inner) => `-(${inner})`),
      choice(number),
    ),
    flag: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...flags, 'true', 'false'),
      joined(['<', '<=', '>', '>=', '==', '!='], number),
      joined(['&&', '||', '==', '!='], flag),
      flag.map((inner) => `!(${inner})`),
      choice(flag),
    ),
  }
})

/** A name without a value is unknown. */
const value = fc.option(fc.constantFrom(-1, 0, 0.5, 1, 2, 3), { nil: undefined })
const truth = fc.option(fc.boolean(), { nil: undefined })
const world = fc.record({ a: value, b: value, c: value, x: truth, y: truth })

test('an expression has the value that the library computes, and a division by zero is unknown', () => {
  let unknown = 0
  fc.assert(
    fc.property(flag, world, (text, world) => {
      const program = compile(ours, types, ourText(text), 'bool')
      // A literal zero as divisor is a mistake already.
      fc.pre(!Array.isArray(program))
      const found = answer(program, world)
      if ('unknown' in found) {
        unknown += 1
        expect(() => theirs.evaluate(theirText(text), world)).toThrow(/Unknown variable/)
      } else expect(found.value).toBe(theirs.evaluate(theirText(text), world))
    }),
    runs(3000, 100_000),
  )
  expect(unknown).toBeGreaterThan(100)
})
