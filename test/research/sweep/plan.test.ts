import fc from 'fast-check'
import { expect, test } from 'vitest'
import { choicesOf, foldsOf, type PeriodSplit, type SearchSettings } from '#src/research/sweep/plan.ts'
import { readVariation } from '#src/research/sweep/variation.ts'
import { runs } from '#test/properties/runs.ts'

const grid: SearchSettings = { kind: 'grid', split: { learnShare: 0.7 } }
const drawing = (seed: string): SearchSettings => ({
  kind: 'random',
  tries: 500,
  seed,
  split: { learnShare: 0.7 },
})
const variations = ['a=1,2,3', 'b=x,y'].map(readVariation)

test('a grid has every combination once, and the last parameter changes fastest', () => {
  expect(choicesOf(variations, grid)?.map((choice) => choice.join(''))).toEqual([
    '1x',
    '1y',
    '2x',
    '2y',
    '3x',
    '3y',
  ])
})

test('a random sample has no combination twice, and depends only on the seed', () => {
  const wide = ['a=1..100:1', 'b=1..100:1'].map(readVariation)
  const drawn = choicesOf(wide, drawing('one'))
  expect(new Set(drawn?.map(String)).size).toBe(500)
  expect(choicesOf(wide, drawing('one'))).toEqual(drawn)
  expect(choicesOf(wide, drawing('two'))).not.toEqual(drawn)
  expect(choicesOf(variations, drawing('one'))).toHaveLength(6)
})

test('too many combinations are refused', () => {
  const wide = ['a=1..1000:1', 'b=1..1000:1'].map(readVariation)
  expect(() => choicesOf(wide, grid)).toThrow(
    expect.objectContaining({ seen: expect.stringContaining('1000000') }),
  )
})

test('each out-of-sample period follows its in-sample period, without gaps', () => {
  const splits = fc.oneof(
    fc.integer({ min: 1, max: 9 }).map((tenths): PeriodSplit => ({ learnShare: tenths / 10 })),
    fc.integer({ min: 1, max: 12 }).map((steps): PeriodSplit => ({ steps })),
  )
  fc.assert(
    fc.property(fc.nat(1e12), fc.integer({ min: 1e6, max: 1e11 }), splits, (from, ms, split) => {
      const folds = foldsOf({ from, to: from + ms }, { split })
      expect(folds).toHaveLength('steps' in split ? split.steps : 1)
      for (const { learn, prove } of folds) {
        expect(learn.from).toBeLessThan(learn.to)
        expect(learn.to).toBe(prove.from)
        expect(prove.from).toBeLessThan(prove.to)
      }
      for (const [index, { prove }] of folds.entries())
        expect(folds[index + 1]?.prove.from ?? from + ms).toBe(prove.to)
      expect(folds[0]?.learn.from).toBe(from)
    }),
    runs(500, 50_000),
  )
})

test('steps of less than a minute are refused with the maximum number', () => {
  const span = { from: 0, to: 600_000 }
  expect(foldsOf(span, { split: { steps: 7 } })).toHaveLength(7)
  expect(() => foldsOf(span, { split: { steps: 8 } })).toThrow(
    expect.objectContaining({
      seen: expect.stringContaining('--steps 8'),
      fix: expect.stringContaining('most 7'),
    }),
  )
})

test('with a gap, each in-sample period ends so long before its out-of-sample period', () => {
  const span = { from: 0, to: 6_000_000 }
  const plain = foldsOf(span, { split: { steps: 2 } })
  expect(foldsOf(span, { split: { steps: 2 }, gapMs: 500_000 })).toEqual(
    plain.map(({ learn: { from, to }, prove }) => ({ learn: { from, to: to - 500_000 }, prove })),
  )
  expect(() => foldsOf(span, { split: { learnShare: 0.7 }, gapMs: 4_200_000 })).toThrow(
    expect.objectContaining({ seen: expect.stringContaining('gap of 70m') }),
  )
})
