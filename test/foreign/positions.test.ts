import { afterAll, beforeAll, expect, test } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { meet, symbolOf, type Meeting } from './meeting.ts'

let meeting: Meeting
beforeAll(async () => {
  meeting = await meet()
  await meeting.stranger.loadMarkets()
})
afterAll(() => meeting.close())

/** The rival offers what the stranger then takes. */
async function take(market: string, side: 'buy' | 'sell', amount: string, price: string, about = {}) {
  const other = side === 'buy' ? 'sell' : 'buy'
  await done(meeting.rival.collateralLimit({ market, side: other, amount, price }))
  return meeting.stranger.createOrder(symbolOf(market), 'market', side, Number(amount), undefined, about)
}

async function positions() {
  const open = await done(meeting.paper.openPositions())
  return open.map((position): unknown =>
    expect.objectContaining({
      id: String(position.positionId),
      symbol: symbolOf(position.market),
      timestamp: Math.trunc(Number(position.openDate) * 1000),
      lastUpdateTimestamp: Math.trunc(Number(position.modifyDate) * 1000),
      entryPrice: Number(position.basePrice),
      unrealizedPnl: Number(position.pnl),
      percentage: Number(position.pnlPercent),
      liquidationPrice: position.liquidationPrice === null ? undefined : Number(position.liquidationPrice),
      collateral: Number(position.margin),
    }),
  )
}

test('sets the leverage', async () => {
  const { stranger, paper } = meeting
  expect(await stranger.setLeverage(5)).toEqual({ leverage: 5 })
  expect(await done(paper.accountSummary())).toMatchObject({ leverage: 5 })
  await expect(stranger.setLeverage(4)).rejects.toMatchObject({ name: 'ExchangeError' })
})

test('sees its positions, long and short', async () => {
  const { stranger } = meeting
  await take('BTC_PERP', 'buy', '0.02', '60000')
  await take('ETH_PERP', 'sell', '0.5', '3000')
  await take('BTC_PERP', 'buy', '0.01', '60300')
  const open = await positions()
  expect(open).toHaveLength(2)
  expect(await stranger.fetchPositions()).toEqual(open)
  const [first] = await stranger.fetchPositions(['BTC/USDT:USDT'])
  expect(first).toMatchObject({ symbol: 'BTC/USDT:USDT', entryPrice: 60_100 })
  // It asks for one by a word that nobody knows, and takes the first of all.
  expect(open).toContainEqual(await stranger.fetchPosition('BTC/USDT:USDT'))
})

test('reduces a position, and no more than that', async () => {
  const { stranger, paper } = meeting
  const reduced = await take('BTC_PERP', 'sell', '0.01', '60000', { reduceOnly: true })
  expect(reduced).toMatchObject({ status: 'closed', filled: 0.01 })
  expect(await done(paper.openPositions({ market: 'BTC_PERP' }))).toMatchObject([{ amount: '0.02' }])
  await done(
    meeting.rival.collateralLimit({ market: 'BTC_PERP', side: 'buy', amount: '0.05', price: '60000' }),
  )
  const closed = await stranger.createOrder('BTC/USDT:USDT', 'market', 'sell', 0.05, undefined, {
    reduceOnly: true,
  })
  expect(closed).toMatchObject({ status: 'closed', filled: 0.02 })
  expect(await done(paper.openPositions({ market: 'BTC_PERP' }))).toEqual([])
  await done(meeting.rival.cancelAll({}))
  expect(await stranger.fetchPositions()).toEqual(await positions())
})

test('reads what happened to a position', async () => {
  const { stranger, paper } = meeting
  const events = await done(paper.positionHistory({ market: 'BTC_PERP' }))
  expect(events).toHaveLength(4)
  const told: unknown[] = await stranger.fetchPositionHistory('BTC/USDT:USDT')
  expect(told).toEqual(
    expect.arrayContaining(
      events.map((event): unknown =>
        expect.objectContaining({
          id: String(event.positionId),
          symbol: 'BTC/USDT:USDT',
          entryPrice: Number(event.basePrice),
          realizedPnl: Number(event.orderDetail?.realizedPnl),
          lastUpdateTimestamp: Math.trunc(event.modifyDate * 1000),
        }),
      ),
    ),
  )
  expect(told).toHaveLength(events.length)
})
