import { readFileSync } from 'node:fs'
import { paperWorld } from '#test/exchange/exchange-fixture.ts'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { worldSchema } from '#src/exchange/world-file.ts'
import { parseYaml } from '#src/core/yaml/yaml-file.ts'

const packaged = readFileSync(fileURLToPath(new URL('../../config/exchange.yaml', import.meta.url)), 'utf8')

/** Each bracket is `notional, maxLeverage, maintenance`. */
function bracketsOf(...brackets: string[]): string {
  const rows = brackets.map((text) => {
    const [notional, maxLeverage, maintenance] = text.split(', ')
    return `{ notional: ${notional}, maxLeverage: ${maxLeverage}, maintenance: ${maintenance} }`
  })
  return `brackets: [${rows.join(', ')}],`
}
const futuresWith = (...brackets: string[]) => `kind: futures, ${bracketsOf(...brackets)}`

test.each([
  ['a leverage of nothing', 'leverage: 1', 'leverage: 0', 'Must be at least 1'],
  ['a term of no days', 'days: 90', 'days: 0', 'Must be at least 1'],
  ['a minimum above the maximum', 'maxTotal: 10000000', 'maxTotal: 1', 'The minimum is above the maximum'],
  ['a minimum finer than a lot', 'minAmount: 0.001', 'minAmount: 0.0005', 'more decimals than amountDigits'],
  ['digits that are no number', 'priceDigits: 2', 'priceDigits: two', 'Write a whole number'],
  ['a minimum that is no number', 'minAmount: 0.00001', 'minAmount: some', 'Write a plain decimal number'],
  ['a network the asset has not', 'network: TRC20', 'network: BTC', 'USDT has no network BTC'],
  [
    'brackets of a spot market',
    'kind: spot,',
    `kind: spot, ${bracketsOf('1000, 10, 1')}`,
    'Only futures have brackets',
  ],
  [
    'a sub-account that is no account',
    'alias: desk,',
    'alias: desk, account: nobody,',
    'account of a sub-account is not in this file',
  ],
  ['a sub-account of itself', 'alias: desk,', 'alias: desk, account: paper,', 'has sub-accounts'],
  [
    'a bracket that is smaller',
    'kind: futures,',
    futuresWith('1000, 10, 1', '900, 5, 2'),
    'notional must rise',
  ],
  [
    'a leverage that rises',
    'kind: futures,',
    futuresWith('1000, 10, 1', '2000, 20, 2'),
    'maxLeverage must not rise',
  ],
  [
    'a maintenance that falls',
    'kind: futures,',
    futuresWith('1000, 10, 2', '2000, 5, 1'),
    'maintenance must not',
  ],
  [
    'a maintenance above the margin',
    'kind: futures,',
    futuresWith('1000, 10, 10'),
    'below 100 / maxLeverage',
  ],
])('%s is a mistake of the world file', (_what, right, wrong, text) => {
  expect(packaged).toContain(right)
  const broken = packaged.replace(right, wrong)
  expect(() => parseYaml(broken, 'world.yaml', worldSchema)).toThrow(text)
})

test('the packaged world has the switches that version 0.3 stored: more would make it another world', () => {
  expect(Object.keys(paperWorld.switches).toSorted()).toEqual([
    'batchMax',
    'clientIds',
    'collateralFreeze',
    'executionDelay',
    'historyLag',
    'nonce',
    'postOnlyCross',
    'priceBand',
    'rateLimits',
    'refusalStatus',
    'restingStatus',
    'shortSide',
    'stopOnFailAnswer',
    'takerBand',
    'tooManyRequests',
  ])
})
