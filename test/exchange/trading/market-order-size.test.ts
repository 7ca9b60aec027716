import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { imbalances } from '#src/exchange/ledger/ledger.ts'
import { parseAtoms } from '#src/core/money/atoms.ts'
import { runs } from '#test/properties/runs.ts'
import { openVenue, worldWith } from '#test/exchange/exchange-fixture.ts'

const { collateralBulk, collateralLimit, spotBulk, spotLimit, spotMarket } = contract
const market = 'ETH_USDT'
const hundredths = (low: number, high: number) =>
  fc.integer({ min: low * 100, max: high * 100 }).map((units) => (units / 100).toFixed(2))

const ask = fc.record({
  kind: fc.constantFrom('spot', 'opening', 'reducing'),
  price: hundredths(100, 103),
  amount: hundredths(0.1, 2),
})
const amount = hundredths(5, 800)
const stp = fc.constantFrom('no', 'cb', 'cn', 'co')

test('a spot market buy never overspends, and leaves less than one more lot would cost', () => {
  fc.assert(
    fc.property(fc.array(ask, { maxLength: 12 }), amount, stp, (asks, money, mode) => {
      const venue = openVenue({ profile: 'full', world: worldWith({ priceBand: Infinity }) })
      // `rival` has five to sell that it did not own before, and also meets its own orders.
      venue.ask(spotLimit, 'paper', { market, side: 'sell', amount: '5', price: '100' })
      venue.ask(collateralLimit, 'rival', { market, side: 'buy', amount: '5', price: '100' })
      for (const { kind, price, amount } of asks) {
        const order = { market, side: 'sell', amount, price }
        if (kind === 'spot') venue.ask(spotBulk, 'paper', { orders: [order] })
        else {
          const reduceOnly = kind === 'reducing'
          venue.ask(collateralBulk, 'rival', { orders: [{ ...order, reduceOnly }] })
        }
      }
      const answer = venue.send(spotMarket, 'rival', { market, side: 'buy', amount: money, stp: mode })
      if (answer.status !== 200) {
        expect(JSON.parse(answer.body)).toMatchObject({ code: 12 })
        return
      }
      const { deal_money, left, status } = spotMarket.response.parse(JSON.parse(answer.body))
      const rest = parseAtoms(money) - parseAtoms(deal_money)
      expect(rest).toBeGreaterThanOrEqual(0n)
      expect(left === '0').toBe(status === 'FILLED')
      // A lot is 0.00001, and no ask is above 103.
      if (status === 'FILLED') expect(rest).toBeLessThan(parseAtoms('0.00103') + 1n)
      expect(imbalances(venue.exchange.state.ledger)).toEqual(new Map())
    }),
    runs(150, 5000),
  )
})
