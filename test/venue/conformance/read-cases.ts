import { expect } from 'vitest'
import type { StreamedEvent } from '#src/venue/port.ts'
import type { ConformanceCase } from './order-cases.ts'
import { orderAt, submit, valueOf } from './subject.ts'

const hourMs = 3_600_000

/** Description and account. */
const decimals: unknown = expect.stringMatching(/^-?[\d.]+$/)

export const accountCases: readonly ConformanceCase[] = [
  {
    id: 'C30',
    title: 'the description names history and balance, and the rules of the market',
    async run({ venue, market }) {
      const { facts } = await venue.describe()
      expect(facts.capabilities).toEqual(expect.arrayContaining(['history', 'balance']))
      expect(facts.markets[market]).toMatchObject({
        priceDigits: expect.any(Number),
        amountDigits: expect.any(Number),
        minAmount: expect.stringMatching(/^[\d.]+$/),
        makerFee: expect.stringMatching(/^-?[\d.]+$/),
      })
    },
  },
  {
    id: 'C31',
    title: 'an open order is listed with the id, market, side, price and amount that it was submitted with',
    needs: ['openOrders'],
    async run(subject) {
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const { orders, unread } = await valueOf(subject.venue.account.openOrders())
      const { market } = subject
      expect([...orders.values()]).toMatchObject([
        { id: 's.g.1.1', market, side: 'buy', endedAt: null, progress: { filled: '0', ended: false } },
      ])
      const [order] = orders.values()
      expect([Number(order?.price), Number(order?.amount)]).toEqual([50_000, 0.01])
      expect(unread.size).toBe(0)
    },
  },
  {
    id: 'C32',
    title:
      'an order that has ended is listed with its fills, its fee and both times, and orders of before are not needed',
    async run(subject) {
      await subject.rival({ side: 'sell', price: '50000', amount: '0.01' })
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const { orders } = await valueOf(subject.venue.account.endedOrders(0))
      const ended = [...orders.values()].find(({ id }) => id === 's.g.1.1')
      expect(ended).toMatchObject({ market: subject.market, side: 'buy', progress: { ended: true } })
      expect([Number(ended?.progress.filled), Number(ended?.progress.money)]).toEqual([0.01, 500])
      expect(Number(ended?.progress.fee)).toBeGreaterThan(0)
      expect(ended?.endedAt).toBeGreaterThanOrEqual(ended?.placedAt ?? Infinity)
    },
  },
  {
    id: 'C33',
    title: 'the newest deals of a market belong to their orders, and add up to their fills',
    needs: ['deals'],
    async run(subject) {
      await subject.rival({ side: 'sell', price: '50000', amount: '0.004' })
      await subject.rival({ side: 'sell', price: '50000', amount: '0.006' })
      const { answers } = await submit(subject, [orderAt(subject, 's.g.1.1')])
      const [answer] = answers
      const { deals, isAll } = await valueOf(subject.venue.account.deals(subject.market))
      const own = deals.filter(({ venueId }) => answer?.kind === 'accepted' && venueId === answer.venueId)
      expect(own.map(({ amount }) => amount).toSorted()).toEqual(['0.004', '0.006'])
      expect(own.every(({ at, id }) => at > 0 && id > 0)).toBe(true)
      expect(isAll).toBe(true)
    },
  },
  {
    id: 'C34',
    title: 'a position is reported by market and side',
    needs: ['positions'],
    async run(subject) {
      const positions = async () => valueOf(subject.venue.account.positions())
      expect(await positions()).toEqual({ held: {}, liquidation: {} })
      await subject.rival({ side: 'sell', price: '50000', amount: '0.01' })
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const { held, liquidation } = await positions()
      expect(held).toEqual({ [subject.market]: { long: '0.01', short: '0' } })
      // A venue may report none; it names only sides that are held.
      for (const [side, price] of Object.entries(liquidation))
        expect([side, price]).toEqual([`${subject.market} long`, decimals])
    },
  },
  {
    id: 'C35',
    title: 'what an open order holds back is in the balance as freeze',
    async run(subject) {
      const { account } = subject.venue
      const before = await valueOf(account.balances())
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const after = await valueOf(account.balances())
      const held = Object.keys(after.freeze).filter(
        (currency) => Number(after.freeze[currency]) > Number(before.freeze[currency] ?? 0),
      )
      expect(held).toHaveLength(1)
      expect(Object.keys(after.available)).toEqual(expect.arrayContaining(held))
    },
  },
  {
    id: 'C36',
    title: 'balances that orders cannot use, and the equity, are decimal text',
    needs: ['mainBalances', 'equity'],
    async run({ venue }) {
      expect(Object.values(await valueOf(venue.account.mainBalances()))).toContainEqual(decimals)
      const { equity, leverage } = await valueOf(venue.account.equity())
      expect(equity).toEqual(decimals)
      expect(leverage === null || leverage >= 1).toBe(true)
    },
  },
  {
    id: 'C37',
    title: 'without the venue, reads fail with a reason, and nothing throws',
    async run({ venue, market, disconnect }) {
      disconnect()
      const reads = [venue.account.balances(), venue.account.endedOrders(0), venue.market.quote(market)]
      for (const read of await Promise.all(reads))
        expect(read).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/./) })
      expect(await venue.time()).toBeNull()
    },
  },
]

/** Prices, time, kill switches, idle money. */
export const marketCases: readonly ConformanceCase[] = [
  {
    id: 'C40',
    title: 'the best prices are numbers, and an empty side is null',
    needs: ['prices'],
    async run({ venue, market, rival }) {
      await rival({ side: 'sell', price: '50100', amount: '0.01' })
      expect(await valueOf(venue.market.quote(market))).toMatchObject({ bid: null, ask: 50_100 })
    },
  },
  {
    id: 'C41',
    title: 'the last price of each market is known',
    needs: ['prices'],
    async run({ venue, market }) {
      const prices = await valueOf(venue.market.lastPrices())
      expect(Number(prices.get(market))).toBeGreaterThan(0)
    },
  },
  {
    id: 'C42',
    title: 'candles begin at multiples of their interval, oldest first, and contain their prices',
    needs: ['candles'],
    async run(subject) {
      const { venue, market } = subject
      await subject.rival({ side: 'sell', price: '50000', amount: '0.01' })
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const until = (await venue.time()) ?? Date.now()
      const asked = { market, interval: '1m', from: until - hourMs, until } as const
      const { candles } = await valueOf(venue.market.candles(asked))
      expect(candles.length).toBeGreaterThan(0)
      for (const [index, { opened, open, high, low, close }] of candles.entries()) {
        expect(opened % 60_000).toBe(0)
        if (index > 0) expect(opened).toBeGreaterThan(candles[index - 1]?.opened ?? Infinity)
        expect(Math.min(open, close)).toBeGreaterThanOrEqual(low)
        expect(Math.max(open, close)).toBeLessThanOrEqual(high)
      }
    },
  },
  {
    id: 'C43',
    title:
      'a stream reports that all channels are open, prices, changes of our orders, and after a silence that it is alive',
    needs: ['streams'],
    async run(subject) {
      const { venue, market, rival } = subject
      const events: StreamedEvent[] = []
      const stream = venue.market.stream([market], (event) => events.push(event), 600)
      try {
        await expect.poll(() => events.map(({ kind }) => kind)).toContain('connected')
        await rival({ side: 'sell', price: '50100', amount: '0.01' })
        await expect
          .poll(() => events.findLast(({ kind }) => kind === 'sides'))
          .toMatchObject({ market, ask: 50_100, bid: null, at: expect.any(Number) })
        await submit(subject, [orderAt(subject, 's.g.1.1')])
        await expect.poll(() => events.map(({ kind }) => kind)).toContain('orders')
        await expect.poll(() => events.map(({ kind }) => kind)).toContain('alive')
      } finally {
        await stream.close()
      }
    },
  },
  {
    id: 'C44',
    title: 'the time of the venue is in milliseconds',
    needs: ['time'],
    async run({ venue }) {
      expect(Math.abs(((await venue.time()) ?? 0) - Date.now())).toBeLessThan(60_000)
    },
  },
  {
    id: 'C45',
    title: 'a kill switch is set, and one that cannot be set gives the reason',
    needs: ['deadman'],
    async run({ venue, market, disconnect }) {
      expect(await venue.deadman(market, 60_000)).toEqual({ kind: 'done' })
      disconnect()
      expect(await venue.deadman(market, 60_000)).toMatchObject({ kind: 'failed' })
    },
  },
  {
    id: 'C46',
    title: 'idle money that no plan takes is refused with a reason',
    needs: ['invest'],
    async run({ venue }) {
      const order = { ticker: 'USDT', amount: '0.00000001', reinvest: false }
      const told = await venue.invest(order, new AbortController().signal)
      expect(told).toMatchObject({ outcome: 'refused', message: expect.stringMatching(/./) })
    },
  },
  {
    id: 'C47',
    title: 'a futures market is listed with its coming funding payment, its prices and its open interest',
    needs: ['futures'],
    async run({ venue, market }) {
      const listed = await valueOf(venue.market.futures())
      const { funding, fundingAt, mark, index, openInterest } = listed.get(market) ?? {}
      expect(funding).toEqual(expect.any(Number))
      expect(fundingAt).toBeGreaterThan((await venue.time()) ?? 0)
      expect(mark === null || Number(mark) > 0).toBe(true)
      expect(index).toBeGreaterThan(0)
      expect(openInterest).toBeGreaterThanOrEqual(0)
    },
  },
  {
    id: 'C48',
    title: 'the order book has the amounts of both sides as decimal text, the best prices first',
    needs: ['orderBook'],
    async run({ venue, market, rival }) {
      await rival({ side: 'buy', price: '49000', amount: '0.02' })
      await rival({ side: 'buy', price: '49500', amount: '0.03' })
      await rival({ side: 'sell', price: '51000', amount: '0.01' })
      const { bids, asks } = await valueOf(venue.market.orderBook(market))
      const numbers = (levels: typeof bids) =>
        levels.map(([price, amount]) => [Number(price), Number(amount)])
      expect(numbers(bids)).toEqual([
        [49_500, 0.03],
        [49_000, 0.02],
      ])
      expect(numbers(asks)).toEqual([[51_000, 0.01]])
    },
  },
  {
    id: 'C49',
    title: 'the leverage of the account is set, and one that cannot be set gives the reason',
    needs: ['leverage'],
    async run({ venue, declares, disconnect }) {
      expect(await venue.setLeverage(5)).toEqual({ kind: 'done' })
      if (declares.has('equity')) expect(await valueOf(venue.account.equity())).toMatchObject({ leverage: 5 })
      expect(await venue.setLeverage(4)).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/./) })
      disconnect()
      expect(await venue.setLeverage(10)).toMatchObject({ kind: 'failed' })
    },
  },
  {
    id: 'C50',
    title: 'the public trades have rising numbers, whole seconds and the side of the taker, the newest first',
    needs: ['publicTrades'],
    async run({ venue, market, rival }) {
      await rival({ side: 'buy', price: '49000', amount: '0.02' })
      await rival({ side: 'sell', price: '49000', amount: '0.01' })
      const trades = await valueOf(venue.market.trades(market))
      const [newest, older] = trades
      expect(newest).toMatchObject({ side: 'sell' })
      expect([newest?.price, newest?.amount].map(Number)).toEqual([49_000, 0.01])
      expect(Math.abs((newest?.second ?? 0) - ((await venue.time()) ?? 0))).toBeLessThan(60_000)
      expect((newest?.second ?? NaN) % 1000).toBe(0)
      if (older) expect(newest?.id).toBeGreaterThan(older.id)
    },
  },
]
