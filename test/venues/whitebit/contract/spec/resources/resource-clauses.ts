import { expect } from 'vitest'
import { beginsAtMs, type TestVenue } from '#test/support/venue.ts'
import { clause } from '#test/venues/whitebit/contract/spec/clause.ts'
import {
  bulk,
  canceledDeposit,
  dayMs,
  done,
  fixedUsdt,
  flexUsdt,
  order,
  shown,
  subAccount,
  tronAddress,
} from '#test/venues/whitebit/contract/spec/reading.ts'

const beganAt = Math.floor(beginsAtMs / 1000)
const invest = (venue: TestVenue, amount: string, withReinvest?: boolean) =>
  done(
    venue.paper.flexInvest({
      plan: flexUsdt,
      amount,
      ...(withReinvest === undefined ? {} : { withReinvest }),
    }),
  )

/** §2, resource by resource: exactly the fields, their types, and what they say. */
export const resourceClauses = [
  clause('2', 'flex investment: eight fields, and each says what was done', async (venue) => {
    await invest(venue, '250.5', true)
    venue.advance(4000)
    await invest(venue, '10', true)
    const { data } = await shown(venue, 'flexInvestments', venue.paper.flexInvestments())
    expect(data).toEqual([
      {
        id: expect.any(String),
        planId: flexUsdt,
        currency: 'USDT',
        invested: '260.5',
        withAutoReinvest: true,
        status: 1,
        createdAt: beganAt,
        updatedAt: beganAt + 4,
      },
    ])
  }),
  clause('2', 'flex plan: five fields, the rate and both bounds as text', async (venue) => {
    const plans = await shown(venue, 'flexPlans', venue.paper.flexPlans())
    expect(plans).toHaveLength(3)
    expect(plans[0]).toEqual({
      id: flexUsdt,
      ticker: 'USDT',
      minInvestment: '10',
      maxInvestment: '10000',
      maxRate: '0.12',
    })
  }),
  clause('2', 'flex history record: seven fields, naming plan, investment and transaction', async (venue) => {
    const { data: invested } = await invest(venue, '100')
    const [investment] = (await done(venue.paper.flexInvestments())).data
    const { data } = await shown(venue, 'flexHistory', venue.paper.flexHistory())
    expect(data).toEqual([
      {
        createdAt: beganAt,
        planId: flexUsdt,
        investmentId: investment?.id,
        currency: 'USDT',
        amount: '100',
        transaction_id: invested.transaction_id,
        actionType: 6,
      },
    ])
  }),
  clause('2', 'interest payment record: five fields, one record for each day', async (venue) => {
    const { id } = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    venue.advance(dayMs)
    const { records } = await shown(venue, 'fixedInterest', venue.paper.fixedInterest())
    expect(records).toEqual([
      {
        planId: fixedUsdt,
        investmentId: id,
        amount: '0.2739726',
        ticker: 'USDT',
        timestamp: beganAt + 86_400,
      },
    ])
  }),
  clause('2', 'bulk-order result: eighteen fields of an order that rests', async (venue) => {
    const about = { price: '50000', amount: '0.01', client_order_id: 'rung.1' }
    const answer = shown(venue, 'collateralBulk', asAnswer(venue, about))
    expect((await answer)[0]?.result).toEqual({
      order_id: expect.any(Number),
      client_order_id: 'rung.1',
      market: 'BTC_PERP',
      side: 'buy',
      type: 'limit',
      timestamp: beginsAtMs / 1000,
      deal_money: '0',
      deal_stock: '0',
      amount: '0.01',
      left: '0.01',
      deal_fee: '0',
      ioc: false,
      postOnly: false,
      price: '50000',
      status: 'OPEN',
      stp: 'no',
      positionSide: 'LONG',
      rpi: false,
    })
  }),
  clause('2', 'bulk-order result: fills show as stock, money and fee of the order', async (venue) => {
    await bulk(venue, venue.rival, [{ side: 'sell', amount: '0.01', price: '50000' }])
    const [element] = await shown(
      venue,
      'collateralBulk',
      asAnswer(venue, { amount: '0.03', price: '51000' }),
    )
    expect(element?.result).toMatchObject({
      amount: '0.03',
      left: '0.02',
      deal_stock: '0.01',
      deal_money: '500',
      deal_fee: '0.175',
    })
  }),
  clause('2', 'bulk-order result: a client_order_id that was left out is empty text', async (venue) => {
    const [element] = await shown(venue, 'collateralBulk', asAnswer(venue, {}))
    expect(element?.result?.client_order_id).toBe('')
  }),
  clause('2', 'bulk-order result: markets are BASE_QUOTE, perpetual ones end in PERP', async (venue) => {
    const markets = ['BTC_USDT', 'ETH_USDT', 'SOL_USDT', 'BTC_PERP', 'ETH_PERP', 'SOL_PERP']
    const orders = markets.map((market) => ({ market, amount: '1', price: '10' }))
    const outcomes = await bulk(venue, venue.paper, orders)
    expect(outcomes.map((each) => each.kind === 'accepted' && each.order.market)).toEqual(markets)
  }),
  clause('2', 'executed spot order: nineteen fields, from its creation to its end', async (venue) => {
    await bulk(venue, venue.paper, [{ amount: '0.01', price: '50000', client_order_id: 'rung.1' }])
    venue.advance(1500)
    await bulk(venue, venue.rival, [{ side: 'sell', amount: '0.01', price: '50000' }])
    const history = await shown(venue, 'orderHistory', venue.paper.orderHistory())
    expect(history).toEqual({
      BTC_PERP: [
        {
          id: expect.any(Number),
          client_order_id: 'rung.1',
          amount: '0.01',
          price: '50000',
          type: 'limit',
          side: 'buy',
          ctime: beginsAtMs / 1000,
          ftime: (beginsAtMs + 1500) / 1000,
          takerFee: '0.00035',
          makerFee: '0.0001',
          deal_fee: '0.05',
          deal_stock: '0.01',
          deal_money: '500',
          postOnly: false,
          ioc: false,
          rpi: false,
          status: 'FILLED',
          feeAsset: 'USDT',
          stp: 'no',
        },
      ],
    })
  }),
  clause('2', 'main balance: by ticker, and a currency without money is left out', async (venue) => {
    expect(await shown(venue, 'mainBalance', venue.paper.mainBalance())).toEqual({
      USDT: { main_balance: '100000' },
      BTC: { main_balance: '2' },
      ETH: { main_balance: '20' },
    })
  }),
  clause('2', 'trading balance: by ticker, what is available and what is frozen', async (venue) => {
    const balance = await shown(venue, 'tradingBalance', venue.paper.tradingBalance())
    expect(Object.keys(balance).sort()).toEqual(['BTC', 'ETH', 'EUR', 'SOL', 'USD', 'USDT'])
    expect(balance).toMatchObject({
      USDT: { available: '50000', freeze: '0' },
      BTC: { available: '1', freeze: '0' },
      SOL: { available: '0', freeze: '0' },
    })
  }),
  clause('2', 'deposit address: account with memo, and seven facts of what is required', async (venue) => {
    const call = venue.paper.depositAddress({ ticker: 'ETH' })
    expect(await shown(venue, 'depositAddress', call)).toEqual({
      account: { address: expect.stringMatching(/^0x[0-9a-f]{40}$/), memo: '' },
      required: {
        fixedFee: '0',
        flexFee: { maxFee: '0', minFee: '0', percent: '0' },
        maxAmount: '0',
        minAmount: '0.002',
      },
    })
  }),
  clause('2', 'transfer code: a code that ends with its ticker, a message and a UUID', async (venue) => {
    const call = venue.paper.createCode({ ticker: 'BTC', amount: '0.5' })
    const { code, message, external_id: id } = await shown(venue, 'createCode', call)
    expect(code).toMatch(/.BTC$/)
    expect(message).not.toBe('')
    expect(id).not.toBe(code)
  }),
  clause('2', 'mining payout destination: the address is there only for an external one', async (venue) => {
    const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    const set = (
      about: { destination: 'main_balance' } | { destination: 'external_address'; address: string },
    ) =>
      shown(
        venue,
        'payoutDestination',
        venue.paper.payoutDestination({ accountName: 'paper-pool', ...about }),
      )
    expect(await set({ destination: 'external_address', address })).toEqual({
      payoutDestination: 'external_address',
      externalAddress: address,
    })
    expect(await set({ destination: 'main_balance' })).toEqual({ payoutDestination: 'main_balance' })
  }),
  clause('2', 'hashrate point: time for a worker, timestamp for an account', async (venue) => {
    const about = { account: 'paper-pool', interval: '1h', from: beganAt - 3600, to: beganAt } as const
    const worker = venue.paper.workerHashrate({ ...about, worker: 'rig-1' })
    const [point] = (await shown(venue, 'workerHashrate', worker)).data.hashrates
    expect(point).toEqual({ time: expect.any(Number), hashrate: expect.stringMatching(/^4[0-4]/) })
    const [sum] = (await shown(venue, 'accountHashrate', venue.paper.accountHashrate(about))).data.hashrate
    expect(sum).toEqual({ timestamp: point?.time, hashrate: point?.hashrate })
  }),
  clause('2', 'what has nothing to tell answers an empty object or an id alone', async (venue) => {
    const permissions = { spotEnabled: true, collateralEnabled: false }
    const edit = venue.paper.editSubAccount({ id: subAccount, alias: 'hedge', permissions })
    expect(await shown(venue, 'editSubAccount', edit)).toEqual({})
    const refund = venue.paper.refundDeposit({ transaction_id: canceledDeposit, address: tronAddress })
    expect(await shown(venue, 'refundDeposit', refund)).toEqual({ id: canceledDeposit })
    const { id } = await shown(
      venue,
      'fixedInvest',
      venue.paper.fixedInvest({ planId: fixedUsdt, amount: '10' }),
    )
    expect(await shown(venue, 'fixedClose', venue.paper.fixedClose({ id }))).toEqual({})
    const call = venue.paper.flexInvest({ plan: flexUsdt, amount: '10' })
    expect((await shown(venue, 'flexInvest', call)).data.transaction_id).toMatch(/./)
  }),
]

/** A bulk of one order, as a call that either succeeds or not. */
async function asAnswer(venue: TestVenue, about: Parameters<typeof order>[0]) {
  await bulk(venue, venue.paper, [order(about)])
  return { kind: 'answer', value: undefined } as const
}
