import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ladderPicture, type PictureRung } from '#src/operate/terminal/ladder-picture.ts'
import { textOf } from './view.ts'

const rung = (price: string, side: 'buy' | 'sell', amount = '1'): PictureRung => ({
  label: `l${price}`,
  side,
  price,
  amount,
  mark: 'rests',
})
const rungs = [rung('90', 'buy', '2'), rung('110.5', 'sell', '4'), rung('95', 'buy', '1')]

test('rungs are sorted by price, the price is between them, and bars are proportional to amounts', () => {
  const lines = ladderPicture(rungs, { price: '100', label: 'BTC' }, { columns: 48, rows: 9 }).map(textOf)
  expect(lines).toEqual([
    '110.5 ● sell 4 ━━━━━━━━━━━━━━━━ +10.50%  l110.5',
    '100.0 ▶ BTC ────────────────────────────────────',
    ' 95.0 ● buy  1 ━━━━              -5.00%  l95   ',
    ' 90.0 ● buy  2 ━━━━━━━━         -10.00%  l90   ',
  ])
})

test('an order at the price itself is on its own side', () => {
  const both = [rung('100', 'buy'), rung('100', 'sell')]
  const lines = ladderPicture(both, { price: '100', label: '' }, { columns: 40, rows: 9 }).map(textOf)
  expect(lines.map((line) => /sell|▶|buy/.exec(line)?.[0])).toEqual(['sell', '▶', 'buy'])
})

test('without a price only the rungs are drawn', () => {
  const lines = ladderPicture(rungs, null, { columns: 40, rows: 9 }).map(textOf)
  expect(lines.map((line) => Number.parseFloat(line))).toEqual([110.5, 95, 90])
  expect(lines.join('')).not.toMatch(/[▶%]/)
})

test('with any number of rows the nearest rungs are shown, and the others are counted', () => {
  const prices = fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { maxLength: 40 })
  fc.assert(
    fc.property(
      prices,
      fc.integer({ min: 4, max: 45 }),
      fc.integer({ min: 1, max: 200 }),
      (all, rows, at) => {
        const given = all.map((price) => rung(String(price), price > at ? 'sell' : 'buy'))
        const lines = ladderPicture(given, { price: String(at), label: '' }, { columns: 60, rows }).map(
          textOf,
        )
        expect(lines.length).toBeLessThanOrEqual(rows)
        const left = lines.map((line) => Number(/… (\d+) more/.exec(line)?.[1] ?? 0))
        const shown = lines.filter((line) => /buy|sell/.test(line)).map((line) => Number.parseInt(line, 10))
        expect(shown.length + left.reduce((sum, each) => sum + each, 0)).toBe(all.length)
        const near = all.toSorted((one, other) => Math.abs(one - at) - Math.abs(other - at))
        for (const side of [near.filter((price) => price > at), near.filter((price) => price <= at)]) {
          const own = shown.filter((price) => side.includes(price))
          expect(own.toSorted((one, other) => one - other)).toEqual(
            side.slice(0, own.length).toSorted((one, other) => one - other),
          )
        }
      },
    ),
    { numRuns: 200, seed: 6 },
  )
})
