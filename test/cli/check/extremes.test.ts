import { afterAll, expect, test } from 'vitest'
import { check } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** The warnings for a grid with this condition, and with a value of `let`. */
async function warned(when: string, top = '1'): Promise<string[]> {
  const [text = ''] = gridWith(
    ['when: between(price, 55000, 65000)', `when: ${when}`],
    ['price: last(px)', `price: last(px)\n  top: ${top}`],
  ).split('\ntests:')
  const { ok, problems, warnings } = await check(folder, text)
  expect({ ok, problems }).toEqual({ ok: true, problems: [] })
  return warnings.map(({ line, column, message, hint }) => `${line}:${column} ${message}; ${hint}`)
}

const high =
  'last(px) is never above highest(px, 20), which includes the last closed candle; ' +
  'write { rises: "highest(px, 20)" }: the high of the last candle is above the 20 before it'
const low =
  'last(px) is never below lowest(px, 20), which includes the last closed candle; ' +
  'write { falls: "lowest(px, 20)" }: the low of the last candle is below the 20 before it'

test.each<[string, string, string[]]>([
  ['last(px) > highest(px, 20)', '1', [`37:11 ${high}`]],
  ['price > 1 && price > highest(px, 20)', '1', [`37:24 ${high}`]],
  ['highest(px, 20) < last(px)', '1', [`37:11 ${high}`]],
  ['price > top', 'highest(px, 20)', [`37:11 ${high}`]],
  ['top', 'last(px) > highest(px, 20)', [`20:8 ${high}`]],
  ['{ crosses_above: [price, "highest(px, 20)"] }', '1', [`37:28 ${high}`]],
  ['last(px) < lowest(px, 20)', '1', [`37:11 ${low}`]],
  ['{ any: [price > 1, { not: "last(px) < lowest(px, 20)" }] }', '1', [`37:38 ${low}`]],
  ['{ crosses_below: [last(px), "lowest(px, 20)"] }', '1', [`37:28 ${low}`]],
])(
  'check warns of a last candle beyond candles that include it: %s, with %s',
  async (when, top, expected) => {
    expect(await warned(when, top)).toEqual(expected)
  },
)

test.each([
  'last(px) >= highest(px, 20)',
  'last(px) < highest(px, 20)',
  'last(px) > 0.99 * highest(px, 20)',
  'last(px) > lowest(px, 20)',
  'last(px) > sma(px, 20)',
  '{ rises: "highest(px, 20)" }',
  '{ falls: "lowest(px, 20)" }',
])('check does not warn of %s', async (when) => {
  expect(await warned(when)).toEqual([])
})

test('check does not warn of the last candle of another feed', async () => {
  const [text = ''] = gridWith(
    ['\nlet:', '  h1: { source: candles, market: btc, interval: 1h }\n\nlet:'],
    ['when: between(price, 55000, 65000)', 'when: last(px) > highest(h1, 20)'],
  ).split('\ntests:')
  expect(await check(folder, text)).toMatchObject({ ok: true, warnings: [] })
})
