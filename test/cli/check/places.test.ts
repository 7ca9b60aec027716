import { afterAll, describe, expect, test } from 'vitest'
import { gridWith } from '#test/strategy/strategy-files.ts'
import { check } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** Mistakes that need computed values: the word at the place, and the message. */
async function told(...changes: (readonly [string, string])[]) {
  const text = gridWith(...changes)
  const { problems } = await check(folder, text)
  return problems.map(({ line, column, message }) => {
    const [word] = (text.split('\n')[line - 1] ?? '').slice(column - 1).split(/[ :,]/)
    return `${word}: ${message}`
  })
}

describe('rungs check', () => {
  test.concurrent.each<[string, [string, string][], string[]]>([
    [
      'a market that is not there',
      [['BTC_USDT', 'BTC_USDC']],
      ['BTC_USDC: the venue has no market BTC_USDC'],
    ],
    [
      'a budget above the limit',
      [['total: 2200', 'total: 2000']],
      ['2000: the cost of all rungs is 2099.4545, more than 2000'],
    ],
    [
      'a loss above the limit',
      [['max_loss: 350', 'max_loss: 200']],
      ['200: the worst case loss is 279.1435, more than 200'],
    ],
    [
      'too many orders',
      [['max_open_orders: 24', 'max_open_orders: 11']],
      ['11: the number of open orders is 12, more than 11'],
    ],
    [
      'a step that does not pay its fees',
      [['2.2 x fee', '20 x fee']],
      ['20: level b1 of grid earns 0.84% before fees, less than 2%'],
    ],
    ['too large a request', [['chunk: 12', 'chunk: 21']], ['21: the venue takes 20 orders per request']],
    [
      'too many requests',
      [['requests: 8', 'requests: 5000']],
      ['5000: 5000 requests per second, and the venue allows 1000'],
    ],
    [
      'a rung out of the band',
      [['drawdown:', 'price_band: 8%\n  drawdown:']],
      ['8%: level b10 of grid at 55000 is 8.333% from the anchor 60000, more than 8%'],
    ],
    [
      'a test that fails',
      [['buy 0.001764 at', 'buy 0.001765 at']],
      ['buy: the test "in the middle of the range every line but one is used" fails: buy 0.001764 at 59500'],
    ],
    [
      'a rule that says otherwise',
      [['place: true', 'place: false']],
      ['false: the test "in the middle of the range every line but one is used" fails: the rule is true'],
    ],
  ])('finds %s', async (_, changes, expected) => {
    expect(await told(...changes)).toEqual(expected)
  })

  test.concurrent.each<[string, [string, string][], string]>([
    [
      'a size',
      [['2100 quote', '60 quote']],
      '60: grid: level b1 has a notional of 2.975, below the minimum of 5',
    ],
    [
      'a size of the first rung',
      [['total: 2100 quote', 'first: 3 quote']],
      '3: grid: level b1 has a notional of 2.975, below the minimum of 5',
    ],
    [
      'a size above the largest order',
      [['2100 quote', '900000000 quote']],
      '900000000: grid: the amount of level b1 is above the maximum order size',
    ],
    [
      'the spacing, of levels on one tick',
      [['from: 55000, to: 65000', 'from: 59999.98, to: 60000.02']],
      'spacing: grid: level b2 is on the same tick as the rung before it, 59999.99',
    ],
    [
      'the spacing, of a level at zero',
      [['kind: range, from: 55000, to: 65000', 'kind: arithmetic, first: 5%, step: 5%']],
      'spacing: grid: the price of a rung would be zero or less',
    ],
    [
      'an anchor beside the range',
      [
        ['anchor: 60000', 'anchor: price + 9000'],
        ['side: both', 'side: sell'],
      ],
      'price: grid: no line of the range is on the sell side of the anchor',
    ],
    [
      'an anchor below zero',
      [['anchor: 60000', 'anchor: 0 - price']],
      '0: grid: the anchor is not above zero',
    ],
    [
      'a factor of zero',
      [['2100 quote }', '2100 quote, scale_by: price * 0 }']],
      'price: grid: scale_by reduces the capital to zero',
    ],
    [
      'a unit of zero',
      [['kind: range, from: 55000, to: 65000', 'kind: volatility, unit: price * 0, first: 1, step: 1']],
      'price: grid: the unit of the spacing is not above zero',
    ],
  ])('marks the wrong key of a ladder: %s', async (_, changes, expected) => {
    expect(await told(...changes)).toContain(expected)
  })
})
