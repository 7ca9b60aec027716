import { expect, test } from 'vitest'
import { cellColour } from '#src/research/sweep/heat-map.ts'

const hue = (score: number, low: number, high: number) =>
  Number(/^hsl\((\d+) /.exec(cellColour(score, low, high))?.[1])

test('no loss is green and no gain is red, even if all values are losses or gains', () => {
  const [red, yellow, green] = [0, 55, 150]
  // The best loss is a loss.
  expect([-5, -3, -1].map((score) => hue(score, -5, -1))).toEqual([red, 22, 44])
  expect([1, 3, 5].map((score) => hue(score, 1, 5))).toEqual([74, 112, green])
  expect([-2, 0, 4].map((score) => hue(score, -2, 4))).toEqual([28, yellow, green])
  expect(hue(0, 0, 0)).toBe(yellow)
  expect(cellColour(Number.NaN, -5, 5)).toBe('#b9bdc1')
})
