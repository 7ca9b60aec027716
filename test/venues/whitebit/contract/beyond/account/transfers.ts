import { expect } from 'vitest'
import {
  canceledDeposit,
  creditedDeposit,
  done,
  last,
  refusesKeys,
  tronAddress,
} from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond, holds, refusedBy, shownOf } from '#test/venues/whitebit/contract/beyond/clause.ts'

const some = { ticker: 'USDT', amount: '100.00000001' }
const wallets = ['main', 'spot', 'collateral'] as const
const began = { main: '100000', spot: '50000', collateral: '50000' }
const withdrawal = '55555555-5555-4555-8555-000000000001'
const records = (answer: unknown) => {
  const { records, total, ...page }: { records: Record<string, unknown>[]; total: number } = Object(answer)
  return { records, total, page, ids: records.map((record) => record['transactionId']) }
}

export const transfers = [
  beyond('transfers', 'moves money between any two of the three accounts at once', async (venue) => {
    for (const from of wallets) {
      for (const to of wallets.filter((wallet) => wallet !== from)) {
        await done(venue.paper.transfer({ ...some, from, to }))
        expect(shownOf(venue, 'transfer')).toEqual([])
        const now = Object.fromEntries(wallets.map((each) => [each, holds(venue, `${each}/paper`, 'USDT')]))
        const less = `${Number(began[from]) - 101}.99999999`
        expect(now).toEqual({ ...began, [from]: less, [to]: `${Number(began[to]) + 100}.00000001` })
        await done(venue.paper.transfer({ ...some, from: to, to: from }))
      }
    }
  }),
  beyond('transfers', 'is seen in the balances of both accounts', async (venue) => {
    await done(venue.paper.transfer({ ticker: 'BTC', amount: '0.5', from: 'main', to: 'spot' }))
    expect((await done(venue.paper.mainBalance({ ticker: 'BTC' })))['BTC']?.main_balance).toBe('1.5')
    expect((await done(venue.paper.tradingBalance({ ticker: 'BTC' })))['BTC']?.available).toBe('1.5')
  }),
  beyond('transfers', 'method says both ends in one word', async (venue) => {
    const ends = {
      deposit: ['main', 'spot'],
      withdraw: ['spot', 'main'],
      'collateral-deposit': ['main', 'collateral'],
      'collateral-withdraw': ['collateral', 'main'],
    } as const
    for (const [method, [from, to]] of Object.entries(ends)) {
      await answered(venue, 'transfer', { ticker: 'USDT', amount: '7', method })
      expect(holds(venue, `${from}/paper`, 'USDT')).toBe(String(Number(began[from]) - 7))
      await answered(venue, 'transfer', { ticker: 'USDT', amount: '7', from: to, to: from })
    }
  }),
  beyond('transfers', 'needs two different accounts, said once', async (venue) => {
    await refusesKeys(venue, 'transfer', some, ['from', 'to'])
    await refusesKeys(venue, 'transfer', { ...some, from: 'main' }, ['to'])
    await refusesKeys(venue, 'transfer', { ...some, to: 'main' }, ['from'])
    await refusesKeys(venue, 'transfer', { ...some, from: 'main', to: 'main' }, ['to'])
    await refusesKeys(venue, 'transfer', { ...some, from: 'main', method: 'deposit' }, ['method'])
    const { errors } = await refusesKeys(venue, 'transfer', { ...some, from: 'trade', to: 'spot' }, ['from'])
    expect(errors['from']).toEqual(['The selected from is invalid.'])
    await refusesKeys(venue, 'transfer', { ...some, method: 'move' }, ['method'])
  }),
  beyond('transfers', 'moves at least 0.00000001, in steps of that', async (venue) => {
    const about = { ticker: 'USDT', from: 'main', to: 'spot' }
    for (const amount of ['0', '0.00', '0.000000001', '1.123456789', '-1', '1e3', 1e-7, '', null]) {
      await refusesKeys(venue, 'transfer', { ...about, amount }, ['amount'])
    }
    await answered(venue, 'transfer', { ...about, amount: '0.00000001' })
  }),
  beyond('transfers', 'ticker is a currency of the venue', async (venue) => {
    for (const ticker of ['NONE', 'usdt', '', 7]) {
      await refusesKeys(venue, 'transfer', { ticker, amount: '1', from: 'main', to: 'spot' }, ['ticker'])
    }
  }),
  beyond('transfers', 'takes no more than is there, with code 3, and all of it', async (venue) => {
    for (const from of wallets) {
      const to = from === 'main' ? 'spot' : 'main'
      const about = { ticker: 'USDT', from, to }
      const amount = `${began[from]}.00000001`
      const text = await refusedBy(venue, 'transfer', { ...about, amount }, { code: 3, key: 'amount' })
      expect(text).toContain(`available ${began[from]}, in amount: ${amount}`)
      await answered(venue, 'transfer', { ...about, amount: began[from] })
      await refusedBy(venue, 'transfer', { ...about, amount: '0.00000001' }, { code: 3, key: 'amount' })
      await answered(venue, 'transfer', { ...about, amount: began[from], from: to, to: from })
    }
  }),
  beyond('transfers', 'collateral gives only what no order and no position needs', async (venue) => {
    const about = { ticker: 'USDT', from: 'collateral', to: 'main' }
    const order = { market: 'BTC_PERP', amount: '0.01', price: '50000' }
    await done(venue.paper.collateralLimit({ ...order, side: 'buy' }))
    const text = await refusedBy(venue, 'transfer', { ...about, amount: '50000' }, { code: 3, key: 'amount' })
    expect(text).toContain('available 49500')
    await done(venue.rival.collateralLimit({ ...order, side: 'sell' }))
    await refusedBy(venue, 'transfer', { ...about, amount: '49500' }, { code: 3, key: 'amount' })
    await answered(venue, 'transfer', { ...about, amount: '49000' })
  }),
  beyond('transfers', 'changes nothing for anybody else', async (venue) => {
    await done(venue.paper.transfer({ ...some, from: 'main', to: 'spot' }))
    for (const wallet of wallets) expect(holds(venue, `${wallet}/rival`, 'USDT')).toBe(began[wallet])
  }),
  beyond('transfers', 'the history tells of deposits and withdrawals', async (venue) => {
    const deposit = { currency: 'USDT', ticker: 'USDT', createdAt: 1_789_913_600, description: '', memo: '' }
    const { records: all, ...rest } = records(await answered(venue, 'transactionHistory'))
    expect(rest).toMatchObject({ total: 3, page: { limit: 50, offset: 0 } })
    const [tron, ether] = await Promise.all(
      ['TRC20', 'ERC20'].map(
        async (network) =>
          (await done(venue.paper.depositAddress({ ticker: 'USDT', network }))).account.address,
      ),
    )
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(all).toEqual([
      {
        ...deposit,
        address: tron,
        uniqueId: canceledDeposit,
        transactionId: canceledDeposit,
        method: 1,
        amount: '250',
        fee: '0',
        status: 4,
        network: 'TRC20',
        transactionHash: hash,
        confirmations: { actual: 0, required: 1 },
      },
      {
        ...deposit,
        address: ether,
        uniqueId: creditedDeposit,
        transactionId: creditedDeposit,
        method: 1,
        amount: '1000',
        fee: '0',
        status: 3,
        network: 'ERC20',
        transactionHash: hash,
        confirmations: { actual: 1, required: 1 },
      },
      {
        ...deposit,
        address: tronAddress,
        uniqueId: null,
        transactionId: withdrawal,
        method: 2,
        amount: '120',
        fee: '1',
        status: 3,
        network: 'TRC20',
        transactionHash: hash,
        confirmations: { actual: 1, required: 1 },
      },
    ])
    expect(records(await answered(venue, 'transactionHistory', {}, { as: 'rival' })).total).toBe(0)
  }),
  beyond('transfers', 'the history can be narrowed, and every filter counts', async (venue) => {
    const ids = async (about: object) => records(await answered(venue, 'transactionHistory', about)).ids
    expect(await ids({ transactionMethod: 1 })).toEqual([canceledDeposit, creditedDeposit])
    expect(await ids({ transactionMethod: '2' })).toEqual([withdrawal])
    expect(await ids({ transactionMethod: 2, startDate: 4_000_000_000 })).toEqual([withdrawal])
    expect(await ids({ status: [4] })).toEqual([canceledDeposit])
    expect(await ids({ status: [3, 7] })).toEqual([creditedDeposit, withdrawal])
    expect(await ids({ ticker: 'USDT' })).toHaveLength(3)
    expect(await ids({ ticker: 'BTC' })).toEqual([])
    expect(await ids({ address: tronAddress })).toEqual([withdrawal])
    expect(await ids({ addresses: [tronAddress, 'x'] })).toEqual([withdrawal])
    expect(await ids({ unique_id: creditedDeposit })).toEqual([creditedDeposit])
    expect(await ids({ uniqueId: creditedDeposit, transactionMethod: 2 })).toEqual([])
    expect(await ids({ limit: 1, offset: 1 })).toEqual([creditedDeposit])
    expect(records(await answered(venue, 'transactionHistory', { limit: 1 })).total).toBe(3)
  }),
  beyond('transfers', 'the history refuses filters that are none', async (venue) => {
    const wrong: [object, string][] = [
      [{ transactionMethod: 3 }, 'transactionMethod'],
      [{ ticker: 'NONE' }, 'ticker'],
      [{ status: 3 }, 'status'],
      [{ status: [] }, 'status'],
      [{ addresses: 'x' }, 'addresses'],
      [{ addresses: Array(21).fill('x') }, 'addresses'],
      [{ limit: 0 }, 'limit'],
      [{ limit: 501 }, 'limit'],
      [{ offset: -1 }, 'offset'],
      [{ limit: 500, offset: 9501 }, 'offset'],
    ]
    for (const [about, key] of wrong) await refusesKeys(venue, 'transactionHistory', about, [key])
    await answered(venue, 'transactionHistory', { limit: 500, offset: 9500 })
  }),
  beyond(
    'transfers',
    'a deposit that is canceled later, and then refunded, is canceled in the history',
    async (venue) => {
      await done(venue.paper.refundDeposit({ transaction_id: canceledDeposit, address: tronAddress }))
      const { records: all } = records(await answered(venue, 'transactionHistory', { status: [4] }))
      expect(all).toMatchObject([{ transactionId: canceledDeposit, amount: '250' }])
    },
  ),
  beyond('transfers', 'the history takes 200 calls in ten seconds', async (venue) => {
    for (let call = 0; call < 200; call++) await answered(venue, 'transactionHistory')
    expect((await venue.signed('transactionHistory')).status).toBe(429)
    venue.advance(10_000)
    await done(venue.paper.transactionHistory())
    expect(last(venue).status).toBe(201)
  }),
]
