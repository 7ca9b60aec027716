import { expect } from 'vitest'
import { accountOfToken } from '#src/exchange/http/stream-tokens.ts'
import { beginsAtMs, type TestVenue } from '#test/support/venue.ts'
import {
  canceledDeposit,
  done,
  mainBalanceOf,
  nowhere,
  refusesKeys,
  subAccount,
  tronAddress,
} from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond, holds, refusedBy } from '#test/venues/whitebit/contract/beyond/clause.ts'
import { empty } from '#test/support/empty.ts'

const permissions = { spotEnabled: true, collateralEnabled: false }
const desk = {
  id: subAccount,
  alias: 'desk',
  userId: subAccount,
  email: null,
  status: 'active',
  color: '#808080',
  kyc: { shareKyc: true, kycStatus: 'shared' },
  permissions: { spotEnabled: true, collateralEnabled: true },
}
const id = subAccount
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)

async function token(venue: TestVenue, as: 'paper' | 'rival' | 'reader' = 'paper'): Promise<string> {
  const answer: { websocket_token: string } = Object(await answered(venue, 'streamToken', {}, { as }))
  expect(answer).toEqual({ websocket_token: uuid })
  return answer.websocket_token
}

function owner(venue: TestVenue, text: string): string | undefined {
  return accountOfToken(venue.exchange.state, text, venue.clock.now())
}

const thousandths = (text = '') => Math.round(Number(text) * 1000)
const aliases = (answer: unknown) => {
  const { data }: { data: { alias: string }[] } = Object(answer)
  return data.map(({ alias }) => alias)
}

const began = (days: number) => Math.floor(beginsAtMs / 1000) - days * 86_400
const farm = {
  name: 'farm',
  workers: ['a', 'b', 'c'].map((name) => ({ name, hashrate: '7' })),
  days: '1',
}
const pools = { world: { accounts: { paper: { mining: [farm, { name: 'idle', workers: [], days: '0' }] } } } }

export const accounts = [
  beyond('sub-accounts', 'are listed, each to its owner alone', async (venue) => {
    expect(await answered(venue, 'subAccounts')).toEqual({ offset: 0, limit: 30, data: [desk] })
    expect(aliases(await answered(venue, 'subAccounts', {}, { as: 'rival' }))).toEqual([])
  }),
  beyond('sub-accounts', 'can be searched by a part of the alias, a page at a time', async (venue) => {
    for (const alias of ['Hedge one', 'hedge two', 'other']) {
      await done(venue.paper.createSubAccount({ alias, shareKyc: true, permissions }))
    }
    const found = { search: 'HEDGE' }
    expect(aliases(await answered(venue, 'subAccounts', found))).toEqual(['Hedge one', 'hedge two'])
    expect(aliases(await answered(venue, 'subAccounts', { ...found, limit: '1', offset: 1 }))).toEqual([
      'hedge two',
    ])
    expect(aliases(await answered(venue, 'subAccounts', { search: 'x.*' }))).toEqual([])
    await refusesKeys(venue, 'subAccounts', { limit: 101 }, ['limit'])
    await refusesKeys(venue, 'subAccounts', { offset: 10_001 }, ['offset'])
    await refusesKeys(venue, 'subAccounts', { search: 7 }, ['search'])
  }),
  beyond('sub-accounts', 'a new one is there at once, with its address masked', async (venue) => {
    const made = await answered(venue, 'createSubAccount', {
      alias: 'hedge',
      email: 'somebody@example.com',
      permissions,
    })
    expect(made).toEqual({
      ...desk,
      id: uuid,
      userId: uuid,
      alias: 'hedge',
      email: 's***@e***m',
      kyc: { shareKyc: false, kycStatus: 'none' },
      permissions,
    })
    const { id: own } = Object(made)
    expect(await answered(venue, 'subAccounts', { search: 'hedge' })).toMatchObject({ data: [made] })
    await done(venue.paper.editSubAccount({ id: own, alias: 'fence', permissions }))
    expect(aliases(await answered(venue, 'subAccounts'))).toEqual(['desk', 'fence'])
  }),
  beyond(
    'sub-accounts',
    'a new one needs an alias of its own, permissions, and an address',
    async (venue) => {
      const good = { alias: 'hedge', shareKyc: true, permissions }
      await refusesKeys(venue, 'createSubAccount', {}, ['alias', 'permissions'])
      for (const alias of ['', ' x', 'x'.repeat(65), 7]) {
        await refusesKeys(venue, 'createSubAccount', { ...good, alias }, ['alias'])
      }
      const taken = await refusesKeys(venue, 'createSubAccount', { ...good, alias: 'desk' }, ['alias'])
      expect(taken.errors['alias']).toEqual(['Alias already exists.'])
      await answered(venue, 'createSubAccount', { ...good, alias: 'desk' }, { as: 'rival' })
      await refusesKeys(venue, 'createSubAccount', { ...good, permissions: {} }, [
        'permissions.spotEnabled',
        'permissions.collateralEnabled',
      ])
      await refusesKeys(venue, 'createSubAccount', { alias: 'hedge', permissions }, ['email'])
      await refusesKeys(venue, 'createSubAccount', { ...good, shareKyc: false }, ['email'])
      for (const email of ['x', 'a@b', 'a b@cd', 'ä@example.com', 'a@b@cd', `a@${'b'.repeat(254)}`]) {
        await refusesKeys(venue, 'createSubAccount', { ...good, email }, ['email'])
      }
      expect(aliases(await answered(venue, 'subAccounts'))).toEqual(['desk'])
    },
  ),
  beyond('sub-accounts', 'take money from the main account and give it back', async (venue) => {
    const about = { id, ticker: 'USDT' }
    const there = { ...about, direction: 'main_to_sub', amount: '42.00000001' } as const
    expect(await done(venue.paper.subAccountTransfer(there))).toEqual({})
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99957.99999999')
    const own = { main: '42.00000001', spot: '0', collateral: '0' }
    expect(await answered(venue, 'subAccountBalances', about)).toEqual({ USDT: [own] })
    expect(holds(venue, `main/paper/${id}`, 'USDT')).toBe('42.00000001')
    await answered(venue, 'subAccountTransfer', { ...there, direction: 'sub_to_main', amount: '2' })
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99959.99999999')
    expect(await answered(venue, 'subAccountBalances', about)).toMatchObject({
      USDT: [{ main: '40.00000001' }],
    })
  }),
  beyond('sub-accounts', 'never move more than is there, with code 3', async (venue) => {
    const about = { id, ticker: 'USDT' }
    const wanted = { code: 3, key: 'amount' }
    const back = { ...about, direction: 'sub_to_main', amount: '0.00000001' }
    expect(await refusedBy(venue, 'subAccountTransfer', back, wanted)).toContain('available 0')
    const there = { ...about, direction: 'main_to_sub' }
    await refusedBy(venue, 'subAccountTransfer', { ...there, amount: '100000.00000001' }, wanted)
    await answered(venue, 'subAccountTransfer', { ...there, amount: '100000' })
    expect(await mainBalanceOf(venue, 'USDT')).toBe('0')
  }),
  beyond('sub-accounts', 'a transfer needs all four fields, each of its form', async (venue) => {
    const good = { id, direction: 'main_to_sub', amount: '1', ticker: 'USDT' }
    await refusesKeys(venue, 'subAccountTransfer', {}, ['id', 'direction', 'amount', 'ticker'])
    for (const amount of ['0', '0.000000001', '-1', 1e-7, '']) {
      await refusesKeys(venue, 'subAccountTransfer', { ...good, amount }, ['amount'])
    }
    for (const ticker of ['NONE', 'usdt', 7])
      await refusesKeys(venue, 'subAccountTransfer', { ...good, ticker }, ['ticker'])
    for (const other of [nowhere, 'x', 7])
      await refusesKeys(venue, 'subAccountTransfer', { ...good, id: other }, ['id'])
    await refusesKeys(venue, 'subAccountTransfer', { ...good, direction: 'up' }, ['direction'])
  }),
  beyond('sub-accounts', 'of somebody else are like none', async (venue) => {
    const about = { as: 'rival' } as const
    const move = { id, direction: 'sub_to_main', amount: '1', ticker: 'USDT' }
    const theirs = await refusesKeys(venue, 'subAccountTransfer', move, ['id'], about)
    expect(await refusesKeys(venue, 'subAccountTransfer', { ...move, id: nowhere }, ['id'], about)).toEqual(
      theirs,
    )
    await refusesKeys(venue, 'subAccountBalances', { id }, ['id'], about)
  }),
  beyond('sub-accounts', 'balances show every currency, or the one that is asked for', async (venue) => {
    const zero = [{ main: '0', spot: '0', collateral: '0' }]
    const all = Object.keys(venue.exchange.venue.world.assets)
    expect(await answered(venue, 'subAccountBalances', { id })).toEqual(
      Object.fromEntries(all.map((asset) => [asset, zero])),
    )
    expect(await answered(venue, 'subAccountBalances', { id, ticker: 'BTC' })).toEqual({ BTC: zero })
    await refusesKeys(venue, 'subAccountBalances', { id, ticker: 'NONE' }, ['ticker'])
    await refusesKeys(venue, 'subAccountBalances', {}, ['id'])
  }),
  beyond(
    'profile',
    'main balances, refunds and the hashrate differ in what spec.md leaves open',
    async (venue) => {
      expect(await answered(venue, 'mainBalance', { ticker: 'NONE' })).toEqual({
        NONE: { main_balance: '0' },
      })
      const about = { account: 'paper-pool', interval: '24h' }
      expect(await answered(venue, 'accountHashrate', about)).toMatchObject({
        data: { hashrate: [{ hashrate: expect.any(String), rejectRate: 0 }] },
      })
      await refusesKeys(venue, 'accountHashrate', { account: 'none' }, ['account'])
      const deposit = { transaction_id: canceledDeposit, address: tronAddress }
      await done(venue.paper.refundDeposit(deposit))
      const again = await venue.signed('refundDeposit', deposit)
      expect([again.status, again.body]).toEqual([400, '{"code":0,"message":"Transaction not refundable"}'])
      const refusal = { kind: 'refused', code: 0, errors: empty }
      expect(await venue.paper.refundDeposit(deposit)).toMatchObject(refusal)
    },
  ),
  beyond(
    'mining',
    'the pool accounts are listed in pages, each with the begin of its history',
    async (venue) => {
      const [farm, idle] = [
        { name: 'farm', createdAt: began(1) },
        { name: 'idle', createdAt: began(0) },
      ]
      expect(await answered(venue, 'miningAccounts')).toEqual({ data: [farm, idle], limit: 100, offset: 0 })
      const second = await answered(venue, 'miningAccounts', { limit: 1, offset: 1 })
      expect(second).toEqual({ data: [idle], limit: 1, offset: 1 })
      const none = await answered(venue, 'miningAccounts', {}, { as: 'rival' })
      expect(none).toEqual({ data: [], limit: 100, offset: 0 })
    },
    pools,
  ),
  beyond(
    'mining',
    'the hashrate of a pool account is the sum of its workers',
    async (venue) => {
      const about = { account: 'farm', interval: '5m' } as const
      const { data } = await done(venue.paper.accountHashrate(about))
      const rates = await Promise.all(
        ['a', 'b', 'c'].map(async (worker) => {
          const history = await done(venue.paper.workerHashrate({ ...about, worker }))
          return thousandths(history.data.hashrates.at(-1)?.hashrate)
        }),
      )
      expect(rates.reduce((sum, rate) => sum + rate, 0)).toBe(thousandths(data.hashrate.at(-1)?.hashrate))
      const idle = await done(venue.paper.accountHashrate({ account: 'idle', interval: '5m' }))
      expect(idle.data.hashrate).toEqual([])
    },
    pools,
  ),
  beyond('streams', 'a token stands for the account that asked for it', async (venue) => {
    const [first, second] = [await token(venue), await token(venue)]
    const theirs = await token(venue, 'rival')
    const readers = await token(venue, 'reader')
    expect(new Set([first, second, theirs, readers]).size).toBe(4)
    for (const own of [first, second]) expect(owner(venue, own)).toBe('paper')
    expect(owner(venue, theirs)).toBe('rival')
    expect(owner(venue, readers)).toBe('reader')
    for (const none of ['', 'x', nowhere, `${first} `, '__proto__'])
      expect(owner(venue, none)).toBeUndefined()
  }),
  beyond('streams', 'a token holds for five minutes, to the millisecond', async (venue) => {
    const own = await token(venue)
    venue.advance(299_999)
    expect(owner(venue, own)).toBe('paper')
    venue.advance(1)
    expect(owner(venue, own)).toBeUndefined()
    const next = await token(venue)
    expect([...(venue.exchange.state.accounts.get('paper')?.streamTokens.keys() ?? [])]).toEqual([next])
  }),
  beyond('streams', 'ten tokens a minute are given, not more', async (venue) => {
    for (let call = 0; call < 10; call++) await token(venue)
    expect(await venue.signed('streamToken')).toMatchObject({ status: 429, retryAfter: '60' })
    venue.advance(59_999)
    expect((await venue.signed('streamToken')).status).toBe(429)
    venue.advance(1)
    await token(venue)
  }),
  beyond(
    'streams',
    'without limits an account still has at most a hundred, and the oldest ends',
    async (venue) => {
      const first = await token(venue)
      const second = await token(venue)
      for (let call = 2; call < 100; call++) await token(venue)
      expect(owner(venue, first)).toBe('paper')
      await token(venue)
      expect(owner(venue, first)).toBeUndefined()
      expect(owner(venue, second)).toBe('paper')
    },
    { world: { switches: { rateLimits: 'off' } } },
  ),
]
