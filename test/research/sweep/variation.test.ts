import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal } from '#src/core/money/decimal.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { readVariation, variantsOf } from '#src/research/sweep/variation.ts'
import { runs } from '#test/properties/runs.ts'

const grid = readFileSync('strategies/01-static-grid.yaml', 'utf8')

test('a range has each of its steps, with its unit', () => {
  expect(readVariation('ladder.grid.levels=10..50:10').values).toEqual(['10', '20', '30', '40', '50'])
  expect(readVariation('let.x=0.1..0.3:0.1').values).toEqual(['0.1', '0.2', '0.3'])
  expect(readVariation('a=1..2:0.3').values).toEqual(['1', '1.3', '1.6', '1.9'])
  expect(readVariation('a=1%..2%:0.5%').values).toEqual(['1%', '1.5%', '2%'])
  expect(readVariation('a=40 quote..50 quote:5 quote').values).toEqual(['40 quote', '45 quote', '50 quote'])
  expect(readVariation('a=-2..0:1').values).toEqual(['-2', '-1', '0'])
  expect(() => readVariation('a=10..50')).toThrow()
  expect(readVariation('submit.throttled.backoff=250ms..8s').values).toEqual(['250ms..8s'])
})

test('a range of decimals is exact', () => {
  const number = fc.tuple(fc.nat(500), fc.nat(999)).map(([whole, part]) => decimal(`${whole}.${part}`))
  fc.assert(
    fc.property(number, fc.nat(40), fc.integer({ min: 1, max: 999 }), (from, steps, thousandths) => {
      const step = decimal(`${thousandths / 1000}`)
      const to = from.plus(step.times(steps))
      const { values } = readVariation(`p=${from.toFixed()}..${to.toFixed()}:${step.toFixed()}`)
      expect(values).toHaveLength(steps + 1)
      expect([values[0], values.at(-1)]).toEqual([from.toFixed(), to.toFixed()])
    }),
    runs(300, 30_000),
  )
})

test('a list is split at commas outside of brackets and quotes', () => {
  expect(readVariation('a.b=5m,10m, 1h').values).toEqual(['5m', '10m', '1h'])
  expect(readVariation('a={ linear: [1, 2] },flat').values).toEqual(['{ linear: [1, 2] }', 'flat'])
  expect(readVariation('when=clamp(x, 1, 2) > 1,"a, b"').values).toEqual(['clamp(x, 1, 2) > 1', '"a, b"'])
})

test.for([
  ['levels', 'has no parameter and no values'],
  ['=1,2', 'has no parameter and no values'],
  ['a=', 'has no parameter and no values'],
  ['a=1,,2', 'has an empty value'],
  ['a=1,2,1', 'has the value 1 twice'],
  ['a=5..1:1', 'ends below its start'],
  ['a=1..5:0', 'has a step of zero'],
  ['a=1%..5:1', 'mixes units'],
  ['a=0..1000000:1', 'has 1000001 values, more than 10000'],
])('%s is refused: it %s', ([text = '', what = '']) => {
  expect(() => readVariation(text)).toThrow(expect.objectContaining({ seen: expect.stringContaining(what) }))
})

test('a variant is the strategy with these values, and is readable', () => {
  const variations = ['ladder.grid.levels=11,21', 'rules.1.for=5m,10m'].map(readVariation)
  const read = readStrategy(Buffer.from(variantsOf(grid, variations)(['11', '5m'])))
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  expect(read.strategy.ladder['grid']?.levels).toBe(11)
  expect(read.strategy.rules[1]?.for).toBe(300_000)
  const same = readStrategy(Buffer.from(variantsOf(grid, variations)(['21', '10m'])))
  const own = readStrategy(Buffer.from(grid))
  if (Array.isArray(same) || Array.isArray(own)) throw new Error('the strategy cannot be read')
  // The tests of the file expect its own values and are left out of variants.
  expect(own.strategy.tests).not.toEqual([])
  expect(same.strategy).toEqual({ ...own.strategy, tests: [] })
})

test('a key that is not in the file is refused with a suggestion', () => {
  expect(() => variantsOf(grid, [readVariation('ladder.grid.level=1,2')])).toThrow(
    expect.objectContaining({
      seen: '--vary ladder.grid.level: the strategy has no such key',
      fix: 'did you mean "ladder.grid.levels"?',
    }),
  )
})
