import { expect } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { headersOf } from '#test/support/venue.ts'
import { answered, beyond } from '#test/venues/whitebit/contract/beyond/clause.ts'

export const fees = [
  beyond('fees', 'are percent, as the world file has them, and alike for everybody', async (venue) => {
    const spot = { taker: '0.1', maker: '0.1' }
    const futures = { taker: '0.035', maker: '0.01' }
    const told = {
      error: null,
      taker: '0.1',
      maker: '0.1',
      futures_taker: '0.035',
      futures_maker: '0.01',
      rpi_maker_fee_premium: null,
      futures_rpi_maker_fee_premium: null,
      custom_fee: {
        BTC_USDT: spot,
        ETH_USDT: spot,
        SOL_USDT: spot,
        BTC_PERP: futures,
        ETH_PERP: futures,
        SOL_PERP: futures,
      },
    }
    expect(await answered(venue, 'marketFees')).toEqual(told)
    expect(await answered(venue, 'marketFees', { market: 'BTC_PERP' }, { as: 'reader' })).toEqual(told)
    const error = await venue.signed('marketFees', { market: 'btc' })
    expect(error).toMatchObject({ status: 422 })
  }),
  beyond(
    'fees',
    "are read without a content type, as the vendor's own client asks for them",
    async (venue) => {
      const sent = async (name: 'marketFees' | 'mainBalance') => {
        const { path } = contract[name]
        const body = JSON.stringify({ request: path, nonce: String(venue.clock.now() + 60_000) })
        const { 'Content-type': _, ...headers } = headersOf('paper', body)
        return venue.send({ path, headers, body })
      }
      expect(await sent('marketFees')).toMatchObject({ status: 200 })
      // The specification demands it.
      expect(await sent('mainBalance')).toMatchObject({ status: 415 })
    },
  ),
]
