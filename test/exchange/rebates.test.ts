import { expect, test } from 'vitest'
import { factsOfWorld } from '#src/cli/files/world-rules.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { balanceOf, imbalances } from '#src/exchange/ledger/ledger.ts'
import { worldSchema, type World } from '#src/exchange/world-file.ts'
import { formatAtoms, parseAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { parseYaml } from '#src/core/yaml/yaml-file.ts'
import { historyOf, order, place } from './order-fixture.ts'
import { openVenue, paperWorld } from './exchange-fixture.ts'

function worldWithFees(maker: string, taker: string, collateral = '1000'): World {
  const fees = { makerFee: parseSignedAtoms(maker), takerFee: parseSignedAtoms(taker) }
  const markets = Object.entries(paperWorld.markets).map(([name, rules]) => [name, { ...rules, ...fees }])
  const accounts = Object.entries(paperWorld.accounts).map(([name, rules]) => [
    name,
    { ...rules, leverage: 1, collateral: { USDT: parseAtoms(collateral) } },
  ])
  return { ...paperWorld, markets: Object.fromEntries(markets), accounts: Object.fromEntries(accounts) }
}

const moneyOf = ({ exchange: { state } }: ReturnType<typeof openVenue>, account: string) =>
  formatAtoms(balanceOf(state.ledger, `collateral/${account}`, 'USDT'))

test('a maker receives its rebate with the fill, and the exchange lists the rebate as a negative fee', () => {
  const venue = openVenue({ world: worldWithFees('-0.0001', '0.0005'), profile: 'full' })
  place(venue, 'paper', order('sell', '2', '100'))
  place(venue, 'rival', order('buy', '2', '100'))
  // 2 x 100 = 200: 0.02 to the maker, 0.1 from the taker.
  expect([moneyOf(venue, 'paper'), moneyOf(venue, 'rival')]).toEqual(['1000.02', '999.9'])
  expect(imbalances(venue.exchange.state.ledger).size).toBe(0)
  expect(historyOf(venue, 'paper')).toMatchObject([{ deal_fee: '-0.02' }])
  const deals = venue.ask(contract.executedHistory, 'paper', { market: 'SOL_PERP' })
  expect(deals).toMatchObject([{ fee: '-0.02' }])
})

test('a rebate backs no order before it is paid', () => {
  const venue = openVenue({ world: worldWithFees('-0.1', '-0.1', '200') })
  expect(place(venue, 'rival', order('buy', '2.01', '100'))).toEqual({ refused: ['amount'] })
  expect(place(venue, 'rival', order('buy', '2', '100'))).toMatchObject({ left: '2' })
})

const world = (fee: string) =>
  parseYaml(
    [
      'assets: { USDT: { fiat: true }, EUR: { fiat: true } }',
      'accounts: {}',
      'markets:',
      '  EUR_USDT:',
      '    { kind: spot, base: EUR, money: USDT, priceDigits: 2, amountDigits: 2,',
      `      minAmount: 1, minTotal: 1, maxTotal: 1000, makerFee: ${fee}, takerFee: 0.05 }`,
    ].join('\n'),
    'world.yaml',
    worldSchema,
  )

test('a world file may state a negative fee as rebate, but a fee or rebate of 100 % is a mistake', () => {
  expect(world('-0.01').markets['EUR_USDT']?.makerFee).toBe(-parseAtoms('0.0001'))
  expect(factsOfWorld(world('-0.01'))).toMatchObject({ EUR_USDT: { makerFee: '-0.0001' } })
  for (const fee of ['100', '-100', '-x']) expect(() => world(fee)).toThrow(/makerFee/)
})
