import { expect } from 'vitest'
import type { TestVenue } from '#test/support/venue.ts'
import { answered, beyond, holds } from './clause.ts'
import { perp, placed, refuses } from './placing.ts'

const sell = { ...perp, side: 'sell' } as const

/** `rival` stands on both sides, so that whatever `paper` does meets somebody at 60000. */
async function hedged(venue: TestVenue) {
  await answered(venue, 'setHedgeMode', { hedgeMode: true })
  await placed(venue, 'collateralLimit', { ...sell, amount: '0.1' }, 'rival')
}

export const hedging = [
  beyond('collateral', 'in hedge mode a long and a short position stand side by side', async (venue) => {
    await hedged(venue)
    expect(await placed(venue, 'collateralLimit', { ...perp, positionSide: 'LONG' })).toMatchObject({
      positionSide: 'LONG',
      reduceOnly: false,
      status: 'FILLED',
    })
    await placed(venue, 'cancelAll', {}, 'rival')
    await placed(venue, 'collateralLimit', { ...perp, amount: '0.1', price: '59000' }, 'rival')
    const short = { ...sell, amount: '0.03', price: '59000', positionSide: 'SHORT' }
    expect(await placed(venue, 'collateralLimit', short)).toMatchObject({
      positionSide: 'SHORT',
      status: 'FILLED',
    })
    expect(await answered(venue, 'openPositions')).toMatchObject([
      { positionId: 2, amount: '0.02', basePrice: '60000', positionSide: 'LONG', pnl: '-20' },
      { amount: '-0.03', basePrice: '59000', positionSide: 'SHORT', pnl: '0' },
    ])
    // 1200 and 1770; fees of 0.42 and 0.6195.
    expect(await answered(venue, 'accountSummary')).toMatchObject({ margin: '2970', equity: '49978.9605' })
    expect(await answered(venue, 'positionHistory')).toMatchObject([
      { side: 'SHORT', isHedge: true, amount: '-0.03' },
      { side: 'LONG', isHedge: true, amount: '0.02' },
    ])
  }),
  beyond('collateral', 'in hedge mode an order names its position', async (venue) => {
    await hedged(venue)
    for (const positionSide of [undefined, 'BOTH']) {
      await refuses(venue, 'collateralLimit', { ...perp, positionSide }, 114, 'positionSide')
    }
    await refuses(
      venue,
      'collateralMarket',
      { market: 'BTC_PERP', side: 'buy', amount: '1' },
      114,
      'positionSide',
    )
    const bulk = await answered(venue, 'collateralBulk', {
      orders: [perp, { ...perp, positionSide: 'LONG' }],
    })
    expect(bulk).toMatchObject([{ error: { code: 114 } }, { result: { positionSide: 'LONG' } }])
  }),
  beyond('collateral', 'in hedge mode an order against a position can only reduce it', async (venue) => {
    await hedged(venue)
    await refuses(venue, 'collateralLimit', { ...sell, positionSide: 'LONG' }, 115, 'hedgeMode')
    await refuses(venue, 'collateralLimit', { ...perp, positionSide: 'SHORT' }, 115, 'hedgeMode')
    await placed(venue, 'collateralLimit', { ...perp, positionSide: 'LONG' })
    const order = await placed(venue, 'collateralLimit', {
      ...sell,
      amount: '0.05',
      price: '61000',
      positionSide: 'LONG',
    })
    expect(order).toMatchObject({ amount: '0.02', reduceOnly: true, status: 'OPEN' })
    await answered(venue, 'cancelAll', {}, { as: 'rival' })
    await placed(venue, 'collateralLimit', { ...perp, price: '61000' }, 'rival')
    expect(await answered(venue, 'openPositions')).toEqual([])
    // 50000 + 20, less 0.42 as the taker and 0.122 as the maker.
    expect(holds(venue, 'collateral/paper', 'USDT')).toBe('50019.458')
  }),
  beyond('collateral', 'in hedge mode a position is closed under its own side', async (venue) => {
    await hedged(venue)
    await placed(venue, 'collateralLimit', { ...perp, positionSide: 'LONG' })
    await placed(venue, 'collateralLimit', { ...perp, amount: '0.1', price: '59900' }, 'rival')
    const close = { positionId: 2, market: 'BTC_PERP' }
    await refuses(venue, 'closePosition', { ...close, positionSide: 'SHORT' }, 114, 'positionSide')
    await refuses(venue, 'setHedgeMode', { hedgeMode: false }, 113, 'hedgeMode')
    expect(await answered(venue, 'closePosition', { ...close, positionSide: 'LONG' })).toEqual([])
    expect(await answered(venue, 'openPositions')).toEqual([])
    expect(await answered(venue, 'setHedgeMode', { hedgeMode: false })).toEqual({ hedgeMode: false })
  }),
  beyond(
    'collateral',
    'in hedge mode all orders of one side of a position are withdrawn by its name',
    async (venue) => {
      await answered(venue, 'setHedgeMode', { hedgeMode: true })
      await placed(venue, 'collateralLimit', { ...perp, positionSide: 'LONG' })
      await placed(venue, 'collateralLimit', { ...sell, price: '61000', positionSide: 'SHORT' })
      expect(await answered(venue, 'cancelAll', { positionSide: 'long' })).toEqual([])
      expect(await answered(venue, 'openOrders')).toMatchObject([{ positionSide: 'SHORT' }])
    },
  ),
]
