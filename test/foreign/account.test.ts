import { afterAll, beforeAll, expect, test } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { meet, type Meeting } from './meeting.ts'

let meeting: Meeting
beforeAll(async () => {
  meeting = await meet()
})
afterAll(() => meeting.close())

/** Its own words for our accounts. */
const words = { main: 'funding', spot: 'spot', collateral: 'margin' } as const

test('the service is there, and its clock is ours', async () => {
  const { stranger, paper } = meeting
  expect(await stranger.fetchStatus()).toMatchObject({ status: 'ok' })
  const before = await done(paper.time())
  const told = await stranger.fetchTime()
  const after = await done(paper.time())
  expect(told).toBeGreaterThanOrEqual(before.time * 1000)
  expect(told).toBeLessThanOrEqual(after.time * 1000)
})

test('sees the balance of each account', async () => {
  const { stranger, paper } = meeting
  const main = Object.entries(await done(paper.mainBalance()))
  expect((await stranger.fetchBalance({ account: 'main' })).total).toEqual(
    Object.fromEntries(main.map(([ticker, { main_balance }]) => [ticker, Number(main_balance)])),
  )
  const spot = Object.entries(await done(paper.tradingBalance()))
  const { free, used } = await stranger.fetchBalance({ type: 'spot' })
  expect(free).toEqual(Object.fromEntries(spot.map(([ticker, { available }]) => [ticker, Number(available)])))
  expect(used).toEqual(Object.fromEntries(spot.map(([ticker, { freeze }]) => [ticker, Number(freeze)])))
  const collateral = Object.entries(await done(paper.collateralBalance()))
  expect((await stranger.fetchBalance({ type: 'swap' })).total).toEqual(
    Object.fromEntries(collateral.map(([ticker, amount]) => [ticker, Number(amount)])),
  )
})

test('moves money between any two accounts', async () => {
  const { stranger, paper } = meeting
  const amounts = async () => {
    const { main_balance: main } = (await done(paper.mainBalance({ ticker: 'USDT' })))['USDT'] ?? {}
    const { available: spot } = (await done(paper.tradingBalance({ ticker: 'USDT' })))['USDT'] ?? {}
    const { USDT: collateral } = await done(paper.collateralBalance({ ticker: 'USDT' }))
    return { main: Number(main), spot: Number(spot), collateral: Number(collateral) }
  }
  const began = await amounts()
  for (const from of ['main', 'spot', 'collateral'] as const) {
    for (const to of ['main', 'spot', 'collateral'] as const) {
      if (from === to) continue
      await stranger.transfer('USDT', 12.5, words[from], words[to])
      expect(await amounts()).toEqual({ ...began, [from]: began[from] - 12.5, [to]: began[to] + 12.5 })
      await stranger.transfer('USDT', '12.5', words[to], words[from])
    }
  }
  expect(await amounts()).toEqual(began)
  await expect(stranger.transfer('USDT', 1e9, 'funding', 'spot')).rejects.toMatchObject({
    name: 'InsufficientFunds',
  })
})

/** Each with at least these facts, the oldest first. */
function all(expected: readonly { timestamp: number }[]): unknown[] {
  return expected
    .toSorted((a, b) => a.timestamp - b.timestamp)
    .map((each): unknown => expect.objectContaining(each))
}

test('reads what came in and what went out', async () => {
  const { stranger, paper } = meeting
  const told = async (method: 1 | 2) => {
    const { records } = await done(paper.transactionHistory({ transactionMethod: method }))
    return records.map((record) => ({
      txid: record.transactionId,
      timestamp: record.createdAt * 1000,
      currency: record.ticker,
      amount: Number(record.amount),
      fee: { cost: Number(record.fee), currency: record.ticker },
      address: record.address,
      network: record.network,
      status: record.status === 4 ? 'canceled' : 'ok',
      type: method === 1 ? 'deposit' : 'withdrawal',
    }))
  }
  const [deposits, withdrawals] = [await told(1), await told(2)]
  expect(deposits).toHaveLength(2)
  expect(withdrawals).toHaveLength(1)
  expect(await stranger.fetchDeposits()).toEqual(all(deposits))
  expect(await stranger.fetchWithdrawals('USDT', 1)).toEqual(all(withdrawals))
  expect(await stranger.fetchDepositsWithdrawals('USDT')).toEqual(all([...deposits, ...withdrawals]))
  expect(await stranger.fetchTransactions('BTC')).toEqual([])
})

test('learns where to pay in', async () => {
  const { stranger, paper } = meeting
  for (const parameters of [{ ticker: 'ETH' }, { ticker: 'USDT', network: 'TRC20' }]) {
    const { account } = await done(paper.depositAddress(parameters))
    const { ticker, ...params } = parameters
    expect(await stranger.fetchDepositAddress(ticker, params)).toMatchObject({
      currency: ticker,
      address: account.address,
    })
  }
})

test('finds the sub-accounts', async () => {
  const { stranger, paper } = meeting
  const { data } = await done(paper.subAccounts())
  expect(await stranger.fetchAccounts()).toEqual(
    data.map(({ id, alias }): unknown => expect.objectContaining({ id, name: alias, type: 'subaccount' })),
  )
})
