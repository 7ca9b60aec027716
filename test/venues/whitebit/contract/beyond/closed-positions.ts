import { expect } from 'vitest'
import { answered, beyond } from './clause.ts'
import { placed, refuses, traded } from './placing.ts'

const opened = 1_790_000_000

/** `paper` sells to `rival`. */
async function sold(venue: Parameters<typeof traded>[0], amount: string, price: string) {
  const order = { market: 'BTC_PERP', amount, price }
  await placed(venue, 'collateralLimit', { ...order, side: 'buy' }, 'rival')
  await placed(venue, 'collateralLimit', { ...order, side: 'sell' })
}

export const closedPositions = [
  beyond('positions', 'a closed one has its profit, its fees and its average prices', async (venue) => {
    await traded(venue)
    venue.advance(10_000)
    await traded(venue, '0.01', '60500')
    expect(await answered(venue, 'closedPositions')).toEqual([])
    venue.advance(10_000)
    await sold(venue, '0.01', '61000')
    await sold(venue, '0.02', '62000')
    const position = {
      market: 'BTC_PERP',
      positionId: 2,
      // 1850 of sells less 1805 of buys, less 0.035 percent of 1805 as taker, and of 1850
      grossPnl: '43.72075',
      netPnl: '43.72075',
      totalTradeFee: '1.27925',
      totalFunding: '0',
      // (2 x 60000 + 60500) / 3 is 60166.666...
      avgEntryPrice: '60166.6',
      // (61000 + 2 x 62000) / 3 is 61666.666...
      avgExitPrice: '61666.6',
      closedSize: '0.03',
      amount: '0',
      side: 'BOTH',
      isHedge: false,
      openDate: opened,
      closeDate: opened + 20,
    }
    expect(await answered(venue, 'closedPositions')).toEqual([position])
    expect(await answered(venue, 'closedPositions', {}, { as: 'rival' })).toMatchObject([
      { positionId: 1, amount: '0', side: 'BOTH', avgEntryPrice: '60166.6' },
    ])
  }),
  beyond(
    'positions',
    'closed ones are listed by the time of their closing, the last first',
    async (venue) => {
      await traded(venue)
      venue.advance(10_000)
      // Closes the long position, and opens a short one.
      await sold(venue, '0.05', '61000')
      venue.advance(10_000)
      await traded(venue, '0.03', '60000')
      const ids = async (about: object = {}) =>
        Object(await answered(venue, 'closedPositions', about)).map(
          (each: Readonly<Record<string, unknown>>) => [each['positionId'], each['closedSize']],
        )
      const [long, short] = [
        [2, '0.02'],
        [4, '0.03'],
      ]
      expect(await ids()).toEqual([short, long])
      expect(await ids({ limit: 1 })).toEqual([short])
      expect(await ids({ limit: 1, offset: 1 })).toEqual([long])
      expect(await ids({ endDate: opened + 10 })).toEqual([long])
      expect(await ids({ startDate: opened + 11 })).toEqual([short])
      await refuses(venue, 'closedPositions', { limit: 101 }, 30, 'limit')
      await refuses(venue, 'closedPositions', { limit: 100, offset: 9901 }, 30, 'offset')
      await refuses(venue, 'closedPositions', { startDate: 9, endDate: 8 }, 30, 'endDate')
      // It is a quarter of a second later than 20 s after the first trade.
      expect(await ids({ endDate: opened + 21 })).toEqual([short, long])
      await refuses(venue, 'closedPositions', { endDate: opened + 22 }, 30, 'endDate')
    },
  ),
]
