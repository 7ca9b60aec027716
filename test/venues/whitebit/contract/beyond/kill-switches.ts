import { expect } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond } from './clause.ts'
import { perp, placed, refuses, spot } from './placing.ts'

const begins = 1_790_000_000

export const killSwitches = [
  beyond(
    'kill-switch',
    'a timer withdraws the orders of its market when it is not set again',
    async (venue) => {
      await placed(venue, 'collateralLimit', perp)
      await placed(venue, 'collateralLimit', { ...perp, market: 'ETH_PERP', price: '3000' })
      const about = { market: 'BTC_PERP', timeout: '60' } as const
      const timer = { market: 'BTC_PERP', types: ['spot', 'margin', 'futures'] }
      expect(await done(venue.paper.killSwitch(about))).toEqual({
        ...timer,
        startTime: begins,
        cancellationTime: begins + 60,
      })
      venue.advance(45_000)
      await placed(venue, 'killSwitch', about)
      expect(await answered(venue, 'killSwitches')).toEqual([
        { ...timer, startTime: begins + 45, cancellationTime: begins + 105 },
      ])
      venue.advance(59_999)
      expect(await answered(venue, 'openOrders')).toHaveLength(2)
      venue.advance(1)
      expect(await answered(venue, 'openOrders')).toMatchObject([{ market: 'ETH_PERP' }])
      expect(await answered(venue, 'killSwitches')).toEqual([])
      const history = await done(venue.paper.orderHistory({}))
      expect(history['BTC_PERP']).toMatchObject([{ status: 'CANCELED', ftime: begins + 105.25 }])
    },
  ),
  beyond('kill-switch', 'goes off at its moment, whenever somebody looks', async (venue) => {
    await answered(venue, 'killSwitch', { market: 'BTC_PERP', timeout: '5', types: ['futures'] })
    await placed(venue, 'collateralLimit', { ...perp, client_order_id: 'a' })
    venue.advance(100_000_000)
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell' }, 'rival')
    expect(await answered(venue, 'openOrders')).toEqual([])
    const history = await done(venue.paper.orderHistory({}))
    expect(history['BTC_PERP']).toMatchObject([{ deal_stock: '0', ftime: begins + 5.25 }])
  }),
  beyond('kill-switch', 'withdraws orders of its kinds alone', async (venue) => {
    for (const [types, left] of [
      [['spot'], 'margin limit'],
      [['margin', 'futures'], 'limit'],
    ] as const) {
      await placed(venue, 'collateralLimit', { ...spot, price: '50000' })
      await placed(venue, 'spotLimit', spot)
      await answered(venue, 'killSwitch', { market: 'BTC_USDT', timeout: '600', types })
      venue.advance(600_000)
      expect(await answered(venue, 'openOrders')).toMatchObject([{ type: left }])
      await answered(venue, 'cancelAll')
    }
  }),
  beyond('kill-switch', 'null takes a timer away, and there is one for each market', async (venue) => {
    await answered(venue, 'killSwitch', { market: 'BTC_PERP', timeout: '5' })
    await answered(venue, 'killSwitch', { market: 'ETH_PERP', timeout: '7', types: null })
    expect(await answered(venue, 'killSwitches', { market: 'ETH_PERP' })).toHaveLength(1)
    expect(await answered(venue, 'killSwitches', { market: 'SOL_PERP' })).toEqual([])
    expect(await answered(venue, 'killSwitches', {}, { as: 'rival' })).toEqual([])
    for (let time = 0; time < 2; time++) {
      expect(await answered(venue, 'killSwitch', { market: 'BTC_PERP', timeout: null })).toEqual([])
    }
    expect(await answered(venue, 'killSwitches')).toMatchObject([{ market: 'ETH_PERP' }])
    await placed(venue, 'collateralLimit', perp)
    venue.advance(10_000)
    expect(await answered(venue, 'openOrders')).toHaveLength(1)
  }),
  beyond('kill-switch', 'timeout is text of 5 to 600 seconds, and must be there', async (venue) => {
    for (const timeout of ['4', '601', '0', '05', '5.5', '-5', 'null', '', 60, true, undefined]) {
      await refuses(venue, 'killSwitch', { market: 'BTC_PERP', timeout }, 30, 'timeout')
    }
    await refuses(venue, 'killSwitch', { market: 'BTC_EUR', timeout: '5' }, 31, 'market')
    await refuses(venue, 'killSwitch', { timeout: '5' }, 30, 'market')
    await refuses(venue, 'killSwitches', { market: 'BTC_EUR' }, 31, 'market')
    await refuses(venue, 'killSwitch', { market: 'BTC_PERP', timeout: '5', types: [] }, 30, 'types')
  }),
]
