import { expect } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { headersOf } from '#test/support/venue.ts'
import { refused } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond } from './clause.ts'
import { perp, refuses, spot } from './placing.ts'

const atMarket = { market: 'BTC_PERP', side: 'buy', amount: '0.02' }
const spotAtMarket = { market: 'BTC_USDT', side: 'buy', amount: '0.02' }

export const orderRefusals = [
  beyond('orders', 'each mistake in an order has its code and its field', async (venue) => {
    const mistakes: [object, number, string][] = [
      [{ side: 'up' }, 30, 'side'],
      [{ amount: 'much' }, 32, 'amount'],
      [{ amount: -1 }, 32, 'amount'],
      [{ amount: 1e-7 }, 32, 'amount'],
      [{ amount: 'much', side: 'up' }, 30, 'amount side'],
      [{ amount: undefined }, 30, 'amount'],
      [{ market: 7 }, 30, 'market'],
      [{ client_order_id: 7 }, 30, 'client_order_id'],
      [{ stp: 'both' }, 30, 'stp'],
      [{ stp: null }, 30, 'stp'],
      [{ market: 'BTC_EUR' }, 31, 'market'],
      [{ amount: '0' }, 32, 'amount'],
      [{ amount: '0.0000001' }, 32, 'amount'],
      [{ client_order_id: 'a b' }, 36, 'client_order_id'],
    ]
    const limits: [object, number, string][] = [
      [{ postOnly: 'true' }, 30, 'postOnly'],
      [{ rpi: true, postOnly: true }, 30, 'rpi'],
      [{ amount: '0.001', price: '4999.9' }, 30, 'total'],
      [{ amount: '1000' }, 30, 'total'],
      [{ price: '0' }, 33, 'price'],
      [{ price: 'x' }, 33, 'price'],
      [{ price: 'x', amount: 'x' }, 32, 'amount price'],
      [{ price: '60000.001' }, 33, 'price'],
      [{ ioc: true, postOnly: true }, 37, 'ioc'],
      [{ ioc: true, rpi: true }, 40, 'ioc'],
    ]
    for (const [change, code, key] of mistakes) {
      for (const [name, order] of [
        ['collateralLimit', perp],
        ['collateralMarket', atMarket],
        ['spotLimit', spot],
        ['spotMarket', { ...spotAtMarket, side: 'sell' }],
        ['spotStockMarket', spotAtMarket],
      ] as const) {
        await refuses(venue, name, { ...order, ...change }, code, key)
      }
    }
    for (const [change, code, key] of limits) {
      await refuses(venue, 'collateralLimit', { ...perp, ...change }, code, key)
      await refuses(venue, 'spotLimit', { ...spot, ...change }, code, key)
    }
  }),
  beyond('orders', 'every field that is needed is named when it is missing', async (venue) => {
    for (const name of ['collateralLimit', 'spotLimit'] as const) {
      const { code, keys } = await refused(venue, name, {})
      expect({ code, keys }).toEqual({ code: 30, keys: ['amount', 'market', 'price', 'side'] })
    }
    for (const name of ['collateralMarket', 'spotMarket', 'spotStockMarket'] as const) {
      const { code, keys, errors } = await refused(venue, name, {})
      expect({ code, keys }).toEqual({ code: 30, keys: ['amount', 'market', 'side'] })
      expect(errors['amount']).toEqual(['Amount field is required.'])
    }
    for (const orders of [undefined, [], {}, 'all', [7]])
      await refuses(venue, 'spotBulk', { orders }, 30, 'orders')
    const many = Array.from({ length: 21 }, () => spot)
    await refuses(venue, 'spotBulk', { orders: many }, 30, 'orders')
  }),
  beyond('orders', 'spot orders are for spot markets, without positions', async (venue) => {
    await refuses(venue, 'spotLimit', { ...spot, market: 'BTC_PERP' }, 31, 'market')
    await refuses(venue, 'spotMarket', { ...spotAtMarket, market: 'BTC_PERP', amount: '100' }, 31, 'market')
    await refuses(venue, 'spotStockMarket', { ...spotAtMarket, market: 'BTC_PERP' }, 31, 'market')
    for (const field of [{ positionSide: 'LONG' }, { reduceOnly: true }]) {
      await refuses(venue, 'spotLimit', { ...spot, ...field }, 30, String(Object.keys(field)[0]))
    }
    await refuses(venue, 'collateralMarket', { ...atMarket, price: '60000' }, 30, 'price')
  }),
  beyond('orders', 'what the account cannot pay is refused with code 10', async (venue) => {
    await refuses(venue, 'collateralLimit', { ...perp, amount: '1' }, 10, 'amount')
    await refuses(venue, 'spotLimit', { ...spot, amount: '0.9' }, 10, 'amount')
    await refuses(venue, 'spotLimit', { ...spot, side: 'sell' }, 10, 'amount', { as: 'rival' })
    // 49950.05 and a tenth of a percent are 50000.00005.
    await refuses(venue, 'spotLimit', { ...spot, amount: '1', price: '49950.05' }, 10, 'amount')
    await answered(venue, 'spotLimit', { ...spot, amount: '1', price: '49950.04' })
  }),
  beyond('orders', 'a market order needs somebody on the other side', async (venue) => {
    await refuses(venue, 'collateralMarket', atMarket, 12, 'amount')
    await refuses(venue, 'spotMarket', { ...spotAtMarket, amount: '100' }, 12, 'amount')
    await refuses(venue, 'spotStockMarket', { ...spotAtMarket, side: 'sell' }, 12, 'amount')
  }),
  beyond('orders', 'the money of a spot market buy has a minimum and its steps', async (venue) => {
    await answered(venue, 'spotLimit', { ...spot, side: 'sell', amount: '0.5' })
    const buy = { market: 'BTC_USDT', side: 'buy' }
    await refuses(venue, 'spotMarket', { ...buy, amount: '4.99' }, 32, 'amount', { as: 'rival' })
    const text = await refuses(venue, 'spotMarket', { ...buy, amount: '10.123456789' }, 32, 'amount', {
      as: 'rival',
    })
    expect(text).toBe('Min amount step = 0.00000001')
    const much = await refuses(venue, 'spotMarket', { ...buy, amount: '100000000' }, 32, 'amount', {
      as: 'rival',
    })
    expect(much).toBe('Given amount is too large.')
    const dear = { ...buy, amount: '1', price: '900719925474099.3' }
    expect(await refuses(venue, 'spotLimit', dear, 33, 'price')).toBe('Given price is too large.')
    await answered(venue, 'spotMarket', { ...buy, amount: '10.12345678' }, { as: 'rival' })
  }),
  beyond('orders', 'postOnly and rpi are refused where they would take', async (venue) => {
    await answered(venue, 'collateralLimit', { ...perp, side: 'sell' }, { as: 'rival' })
    await refuses(venue, 'collateralLimit', { ...perp, postOnly: true }, 13, 'postOnly')
    await refuses(venue, 'collateralLimit', { ...perp, rpi: true }, 13, 'rpi')
  }),
  beyond('orders', 'a client_order_id is used once', async (venue) => {
    await answered(venue, 'collateralLimit', { ...perp, client_order_id: 'a' })
    await refuses(venue, 'spotLimit', { ...spot, client_order_id: 'a' }, 36, 'client_order_id')
    await answered(venue, 'spotLimit', { ...spot, client_order_id: 'a' }, { as: 'rival' })
  }),
  beyond('orders', 'reduceOnly without a position to reduce is refused with code 116', async (venue) => {
    await refuses(venue, 'collateralLimit', { ...perp, reduceOnly: true }, 116, 'reduceOnly')
    await answered(venue, 'collateralLimit', { ...perp, side: 'sell' }, { as: 'rival' })
    await answered(venue, 'collateralLimit', perp)
    await refuses(venue, 'collateralLimit', { ...perp, reduceOnly: true }, 116, 'reduceOnly')
  }),
  beyond('orders', 'a limit more than half off the mark price is refused with code 250', async (venue) => {
    await answered(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.001', price: '60000.1' })
    await answered(venue, 'collateralLimit', { ...perp, amount: '0.001', price: '60000.1' }, { as: 'rival' })
    const high = await refuses(venue, 'collateralLimit', { ...perp, price: '90000.2' }, 250, 'price')
    expect(high).toBe('The Price should be less than or equal to 90000.1')
    const low = await refuses(
      venue,
      'collateralLimit',
      { ...perp, amount: '1', price: '30000' },
      250,
      'price',
    )
    expect(low).toBe('The Price should be greater than or equal to 30000.1')
    const bulk = await answered(venue, 'collateralBulk', { orders: [{ ...perp, price: '90000.2' }] })
    expect(bulk).toMatchObject([{ error: { code: 250 } }])
    await answered(venue, 'collateralLimit', { ...perp, price: '30000.1' })
  }),
  beyond('orders', 'the band holds before the first trade, around the price of the world', async (venue) => {
    await refuses(venue, 'collateralLimit', { ...perp, price: '90000.1' }, 250, 'price')
    await refuses(venue, 'collateralLimit', { ...perp, price: '29999.9' }, 250, 'price')
    await answered(venue, 'collateralLimit', { ...perp, price: '30000' })
  }),
  beyond(
    'orders',
    'the band around the mark price is for the world to say',
    async (venue) => {
      await answered(venue, 'collateralLimit', { ...perp, side: 'sell' }, { as: 'rival' })
      await answered(venue, 'collateralLimit', perp)
      await refuses(venue, 'collateralLimit', { ...perp, price: '53999.9' }, 250, 'price')
      await answered(venue, 'collateralLimit', { ...perp, price: '54000' })
    },
    { world: { switches: { priceBand: '10' } } },
  ),
  beyond(
    'orders',
    'a world may ignore what it does not know, as live venues do: a misspelled postOnly does not protect',
    async (venue) => {
      await answered(venue, 'collateralLimit', { ...perp, side: 'sell' }, { as: 'rival' })
      const taken = await answered(venue, 'collateralLimit', { ...perp, postonly: true })
      expect(taken).toMatchObject({ status: 'FILLED', postOnly: false })
      const orders = [{ ...perp, price: '50000', colour: 'red' }]
      const bulk = await answered(venue, 'collateralBulk', { orders, colour: 'red' })
      expect(bulk).toMatchObject([{ result: { status: 'OPEN' }, error: null }])
      await refuses(venue, 'collateralLimit', { ...perp, postOnly: 'true' }, 30, 'postOnly')
      const body = JSON.stringify({ request: contract.mainBalance.path, nonce: venue.nonce('paper') })
      const call = { path: contract.mainBalance.path, headers: headersOf('paper', body), body }
      // Nobody signed the query, so that it has no effect.
      const balances = await venue.send({ ...call, query: 'ticker=ETH' })
      expect(Object.keys(JSON.parse(balances.body))).toContain('USDT')
    },
    { world: { switches: { unknownParameters: 'ignore' } } },
  ),
  beyond(
    'orders',
    'a world may have no band around the mark price',
    async (venue) => {
      await answered(venue, 'collateralLimit', { ...perp, side: 'sell' }, { as: 'rival' })
      await answered(venue, 'collateralLimit', perp)
      await answered(venue, 'collateralLimit', { ...perp, amount: '1', price: '1000' })
    },
    { world: { switches: { priceBand: 'none' } } },
  ),
]
