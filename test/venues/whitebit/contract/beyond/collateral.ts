import { expect } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond } from './clause.ts'
import { marked, perp, placed, refuses, spot, traded } from './placing.ts'

const small = {
  world: { accounts: { paper: { collateral: { USDT: '300' }, leverage: '5' } } },
} as const

export const collateral = [
  beyond(
    'collateral',
    'the balance is the money, whatever positions and orders hold of it',
    async (venue) => {
      expect(await answered(venue, 'collateralBalance', { ticker: 'USDT' })).toEqual({ USDT: '50000' })
      expect(Object.keys(await done(venue.paper.collateralBalance()))).toEqual(
        Object.keys(venue.exchange.venue.world.assets),
      )
      await traded(venue)
      await placed(venue, 'collateralLimit', { ...perp, price: '59000' })
      expect(await answered(venue, 'collateralBalance', { ticker: 'USDT' })).toEqual({ USDT: '49999.58' })
      await refuses(venue, 'collateralBalance', { ticker: 'NONE' }, 30, 'ticker')
      await refuses(venue, 'collateralBalance', { ticker: 'usdt' }, 30, 'ticker')
    },
  ),
  beyond('collateral', 'what is available is free of positions, orders and losses', async (venue) => {
    await traded(venue)
    await placed(venue, 'collateralLimit', { ...perp, price: '59000' })
    // 50000 - 0.42, less 1200 for the position and 1180 for the order.
    const usdt = { asset: 'USDT', balance: '49999.58', borrow: '0' }
    expect(await answered(venue, 'collateralSummary', { ticker: 'USDT' })).toEqual([
      { ...usdt, availableWithoutBorrow: '47619.58', availableWithBorrow: '47619.58' },
    ])
    await marked(venue, '59500')
    expect(await answered(venue, 'collateralSummary', { ticker: 'USDT' })).toEqual([
      { ...usdt, availableWithoutBorrow: '47609.58', availableWithBorrow: '47609.58' },
    ])
    const all = await done(venue.paper.collateralSummary())
    expect(all.map(({ asset }) => asset)).toEqual(Object.keys(venue.exchange.venue.world.assets))
    await refuses(venue, 'collateralSummary', { ticker: 'NONE' }, 30, 'ticker')
  }),
  beyond(
    'collateral',
    'the summary tells equity, margin and profit under leverage',
    async (venue) => {
      const summary = { unrealizedFunding: '0', leverage: 5 }
      expect(await answered(venue, 'accountSummary')).toEqual({
        ...summary,
        equity: '300',
        margin: '0',
        freeMargin: '300',
        pnl: '0',
        marginFraction: '0',
      })
      await traded(venue)
      // A fifth of 1200; 240 / 299.58 is 0.801121570...
      expect(await answered(venue, 'accountSummary')).toEqual({
        ...summary,
        equity: '299.58',
        margin: '240',
        freeMargin: '59.58',
        pnl: '0',
        marginFraction: '0.80112157',
      })
      expect(await answered(venue, 'collateralSummary', { ticker: 'USDT' })).toMatchObject([
        { availableWithoutBorrow: '59.58', availableWithBorrow: '297.9' },
      ])
      await marked(venue, '56000')
      // 4000 lower: a loss of 80, more than was free.
      expect(await answered(venue, 'accountSummary')).toMatchObject({
        equity: '219.58',
        freeMargin: '-20.42',
        pnl: '-80',
      })
      expect(await answered(venue, 'collateralSummary', { ticker: 'USDT' })).toMatchObject([
        { availableWithoutBorrow: '0', availableWithBorrow: '0' },
      ])
      await refuses(venue, 'accountSummary', { ticker: 'USDT' }, 30, 'ticker')
    },
    small,
  ),
  beyond(
    'collateral',
    'another leverage holds at once for positions and orders',
    async (venue) => {
      await traded(venue)
      await placed(venue, 'collateralLimit', { ...perp, amount: '0.004' })
      const margin = async () => (await done(venue.paper.accountSummary())).margin
      expect(await margin()).toBe('288')
      expect(await done(venue.paper.setLeverage({ leverage: 10 }))).toEqual({ leverage: 10 })
      expect(await margin()).toBe('144')
      expect(await answered(venue, 'setLeverage', { leverage: '20' })).toEqual({ leverage: 20 })
      expect(await margin()).toBe('72')
      expect(await answered(venue, 'openPositions')).toMatchObject([{ margin: '60', freeMargin: '227.58' }])
      expect(await answered(venue, 'setLeverage', { leverage: 5 })).toEqual({ leverage: 5 })
      expect(await margin()).toBe('288')
    },
    small,
  ),
  beyond(
    'collateral',
    'a leverage that the account could not back is refused with code 17',
    async (venue) => {
      await traded(venue)
      for (const leverage of [1, 2, 3]) await refuses(venue, 'setLeverage', { leverage }, 17, 'amount')
      expect(await answered(venue, 'accountSummary')).toMatchObject({ leverage: 5, margin: '240' })
      await marked(venue, '56000')
      // More than the margin is lost already: only a higher leverage can help.
      await refuses(venue, 'setLeverage', { leverage: 3 }, 17, 'amount')
      expect(await answered(venue, 'setLeverage', { leverage: 10 })).toEqual({ leverage: 10 })
      for (const leverage of [0, 4, 100.5, -5, true, null, undefined]) {
        await refuses(venue, 'setLeverage', { leverage }, 30, 'leverage')
      }
    },
    small,
  ),
  beyond('collateral', 'the mode of positions is told, and set while there are none', async (venue) => {
    expect(await answered(venue, 'hedgeMode')).toEqual({ hedgeMode: false })
    expect(await done(venue.paper.setHedgeMode({ hedgeMode: true }))).toEqual({ hedgeMode: true })
    expect(await answered(venue, 'hedgeMode')).toEqual({ hedgeMode: true })
    expect(await answered(venue, 'hedgeMode', {}, { as: 'rival' })).toEqual({ hedgeMode: false })
    await answered(venue, 'setHedgeMode', { hedgeMode: false })
    await placed(venue, 'spotLimit', spot)
    await answered(venue, 'setHedgeMode', { hedgeMode: true })
    await answered(venue, 'setHedgeMode', { hedgeMode: false })
    await placed(venue, 'collateralLimit', perp)
    await refuses(venue, 'setHedgeMode', { hedgeMode: true }, 113, 'hedgeMode')
    expect(await answered(venue, 'setHedgeMode', { hedgeMode: false })).toEqual({ hedgeMode: false })
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell' }, 'rival')
    await refuses(venue, 'setHedgeMode', { hedgeMode: true }, 113, 'hedgeMode')
    for (const hedgeMode of ['true', 1, null, undefined]) {
      await refuses(venue, 'setHedgeMode', { hedgeMode }, 30, 'hedgeMode')
    }
  }),
]
