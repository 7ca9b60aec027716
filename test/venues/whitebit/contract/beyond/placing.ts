import { expect } from 'vitest'
import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { AccountName, TestVenue } from '#test/support/venue.ts'
import { belongings } from '#test/fuzz/answer-check.ts'
import { done, refused } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered } from './clause.ts'

/** What the clauses about trading say again and again. */
export const perp = { market: 'BTC_PERP', side: 'buy', amount: '0.02', price: '60000' } as const
export const spot = { market: 'BTC_USDT', side: 'buy', amount: '0.02', price: '60000' } as const

/** The answer of a call of the trading family that must succeed. */
export async function placed(
  venue: TestVenue,
  name: EndpointName,
  about: object,
  as: AccountName = 'paper',
): Promise<Record<string, unknown>> {
  return Object(await answered(venue, name, about, { as }))
}

/** `paper` buys and `rival` sells, so that both have a position. */
export async function traded(venue: TestVenue, amount = '0.02', price = '60000', market = 'BTC_PERP') {
  await placed(venue, 'collateralLimit', { market, side: 'sell', amount, price }, 'rival')
  return placed(venue, 'collateralLimit', { market, side: 'buy', amount, price })
}

/** The last trade, and with it the mark price, is at this price now: `rival` trades with itself. */
export async function marked(venue: TestVenue, price: string, market = 'BTC_PERP') {
  await placed(venue, 'collateralLimit', { market, side: 'sell', amount: '0.001', price }, 'rival')
  await placed(venue, 'collateralLimit', { market, side: 'buy', amount: '0.001', price }, 'rival')
}

/** Places a collateral order and gives back its id. */
export async function idOf(venue: TestVenue, about: object = {}): Promise<number> {
  return Number((await placed(venue, 'collateralLimit', { ...perp, ...about }))['order_id'])
}

/** The client ids of the open orders. */
export async function openIds(venue: TestVenue, about: object = {}): Promise<unknown[]> {
  const answer: Record<string, unknown>[] = Object(await answered(venue, 'openOrders', about))
  return answer.map((order) => order['client_order_id'])
}

/** What all resting orders of `paper` hold of USDT. */
export const frozen = async (venue: TestVenue) =>
  (await done(venue.paper.tradingBalance({ ticker: 'USDT' })))['USDT']?.freeze

/** The call is refused with this code, under this key, and nothing has changed. Gives back what it was told. */
export async function refuses(
  venue: TestVenue,
  name: EndpointName,
  parameters: object,
  code: number,
  key: string,
  { as = 'paper', status = 422 }: { as?: AccountName; status?: number } = {},
): Promise<string | undefined> {
  const before = belongings(venue.exchange.state)
  const error = await refused(venue, name, parameters, { as })
  const told = `${name} ${JSON.stringify(parameters)}`
  expect({ status: error.status, code: error.code, keys: error.keys }, told).toEqual({
    status,
    code,
    keys: key.split(' '),
  })
  expect(belongings(venue.exchange.state), told).toBe(before)
  return error.errors[key]?.[0]
}
