import { expect, test } from 'vitest'
import { cellColour } from '#src/research/sweep/heat-map.ts'

const [red, green] = [12, 168]
/** Hue, saturation and lightness. */
const partsOf = (score: number, most: number) =>
  cellColour(score, most)
    .match(/[\d.]+/g)
    ?.map(Number)

test('a loss is red, a gain is green, and zero has no colour', () => {
  expect(partsOf(-5, 5)).toEqual([red, 60, 68])
  expect(partsOf(5, 5)).toEqual([green, 60, 68])
  expect(partsOf(0, 5)?.slice(1)).toEqual([0, 94])
  expect(partsOf(0, 0)?.slice(1)).toEqual([0, 94])
})

test('the colours are centred on zero: a gain and a loss of one size are equally strong', () => {
  // The largest loss is 2, the largest gain is 4. The best of losses only is still a loss.
  expect(partsOf(-2, 4)).toEqual([red, 30, 81])
  expect(partsOf(2, 4)).toEqual([green, 30, 81])
  expect(partsOf(-1, 4)?.[0]).toBe(red)
})

test('a cell without a result is grey, and no zero', () => {
  expect(cellColour(Number.NaN, 5)).toBe('#b9bdc1')
})
