import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { caps } from '#src/exchange/caps.ts'
import { copyOf, partsOf, restOf, stateOf } from '#src/exchange/store/snapshot.ts'
import type { ExchangeAccount } from '#src/exchange/state.ts'
import { use } from '#src/exchange/trading/orders/used-client-ids.ts'
import { times } from '../properties/runs.ts'
import { openVenue, worldWith, type TestExchange } from './exchange-fixture.ts'

/** An exchange without rate limits, in which the account `paper` has much money. */
function richVenue(profile: 'spec' | 'full' = 'spec'): TestExchange {
  const world = worldWith({ rateLimits: 'off', batchMax: Infinity })
  const rich = { USDT: 10n ** 30n }
  const { paper } = world.accounts
  if (paper === undefined) throw new Error('the world has an account named paper')
  world.accounts = { ...world.accounts, paper: { ...paper, main: rich, collateral: rich } }
  return openVenue({ world, profile })
}

function accountOf({ exchange }: TestExchange, name = 'paper'): ExchangeAccount {
  const account = exchange.state.accounts.get(name)
  if (account === undefined) throw new Error(`the world has an account named ${name}`)
  return account
}

/** Calls until one is refused; returns the refusal and the number of accepted calls. */
function fill(venue: TestExchange, row: Endpoint, parameters: (call: number) => Record<string, unknown>) {
  for (let call = 0; ; call++) {
    const { status, body } = venue.send(row, 'paper', parameters(call))
    if (status >= 300) return { call, status, body: JSON.parse(body) as unknown }
  }
}

const usdt = 'USDT'
const order = { market: 'SOL_PERP', side: 'buy', amount: '0.1', price: '50' }
const named = (id: string) => ({ ...order, client_order_id: id })
const ioc = (id: string) => ({ ...named(id), ioc: true })

test('an account has a maximum of open orders, and immediate orders still execute at the maximum', () => {
  const venue = richVenue()
  const orders = Array.from({ length: 500 }, () => order)
  const bulks = times(2, caps.openOrders / orders.length)
  for (let bulk = 0; bulk < bulks; bulk++) venue.ask(contract.collateralBulk, 'paper', { orders })
  expect(accountOf(venue).resting).toBe(bulks * orders.length)
  // Sets the count, since placing the rest of them takes seconds.
  accountOf(venue).resting = caps.openOrders
  const [one, immediate] = venue.ask(contract.collateralBulk, 'paper', {
    orders: [order, { ...order, ioc: true }],
  })
  expect(one?.error).toEqual({
    code: 32,
    message: 'Validation failed',
    errors: { error: ['Max. limit of open orders has been reached.'] },
  })
  expect(immediate?.result?.status).toBe('CANCELED')
  // Other accounts can still place orders, and a filled order makes room.
  const sell = { ...order, side: 'sell' }
  expect(venue.ask(contract.collateralBulk, 'rival', { orders: [sell] })[0]?.result?.status).toBe('FILLED')
  expect(venue.ask(contract.collateralBulk, 'paper', { orders: [order] })[0]?.result?.status).toBe('OPEN')
})

test('the open orders of a snapshot of 0.3.2, which lacks their count, are counted when it is read', () => {
  const venue = richVenue()
  venue.ask(contract.collateralBulk, 'paper', { orders: [order, order] })
  Reflect.deleteProperty(accountOf(venue), 'resting')
  const copy = copyOf(venue.exchange.state)
  const state = stateOf(restOf(copy), partsOf(copy))
  expect(accountOf(openVenue({ begin: state })).resting).toBe(2)
})

const subAccount = (call: number) => ({
  alias: `sub ${call}`,
  shareKyc: true,
  permissions: { spotEnabled: true, collateralEnabled: true },
})

test('an account has a maximum of sub-accounts', () => {
  expect(fill(richVenue('full'), contract.createSubAccount, subAccount)).toEqual({
    call: caps.subAccounts - 1,
    status: 400,
    body: {
      code: 0,
      message: 'Validation failed',
      errors: { alias: ['The account has 1000 sub-accounts already.'] },
    },
  })
})

test('a closed fixed-term investment makes room for another one', () => {
  const venue = richVenue()
  const parameters = { planId: '33333333-3333-4333-8333-000000000001', amount: '10' }
  expect(fill(venue, contract.fixedInvest, () => parameters)).toEqual({
    call: caps.investments,
    status: 422,
    body: {
      code: 0,
      message: 'Validation failed',
      errors: { amount: ['You have 1000 open investments already'] },
    },
  })
  const [id = ''] = accountOf(venue).fixed.keys()
  venue.ask(contract.fixedClose, 'paper', { id })
  venue.ask(contract.fixedInvest, 'paper', parameters)
  expect(accountOf(venue).fixed.size).toBe(caps.investments)
  expect(accountOf(venue).fixed.has(id)).toBe(false)
})

test('an applied transfer code makes room for another one', () => {
  const venue = richVenue('full')
  const parameters = { ticker: usdt, amount: '1' }
  expect(fill(venue, contract.createCode, () => parameters)).toEqual({
    call: caps.codes,
    status: 422,
    body: {
      code: 5,
      message: 'Validation failed',
      errors: { amount: ['2000 codes have not been applied yet.'] },
    },
  })
  const [code = ''] = accountOf(venue).codes.keys()
  venue.send(contract.applyCode, 'rival', { code })
  venue.send(contract.createCode, 'paper', parameters)
  expect(accountOf(venue).codes.size).toBe(caps.codes)
  // Its money was credited where it was applied, once.
  expect(venue.refused(contract.applyCode, 'rival', { code }).errors).toEqual({
    code: ['Incorrect code or passphrase'],
  })
  expect(venue.ask(contract.mainBalance, 'rival', { ticker: usdt })).toMatchObject({
    USDT: { main_balance: '100001' },
  })
  expect(venue.ask(contract.codeHistory, 'rival', {})).toMatchObject({ total: 0, data: [] })
})

test('new records replace the oldest finished ones', () => {
  const venue = richVenue()
  const account = accountOf(venue)
  const plan = '22222222-2222-4222-8222-000000000001'
  venue.ask(contract.flexInvest, 'paper', { plan, amount: '10' })
  const [record] = account.flexRecords
  if (record === undefined) throw new Error('an investment has a record')
  while (account.flexRecords.length < caps.records) account.flexRecords.push({ ...record, at: 0 })
  venue.ask(contract.flexInvest, 'paper', { plan, amount: '20' })
  expect(account.flexRecords.length).toBe(caps.records)
  expect(account.flexRecords.includes(record)).toBe(false)
  expect(venue.ask(contract.flexHistory, 'paper', { limit: 1 }).data).toMatchObject([{ amount: '20' }])
})

test('a used client order id is remembered until half a million newer ones have been used', () => {
  const venue = richVenue()
  venue.ask(contract.collateralBulk, 'paper', { orders: [named('resting'), ioc('old')] })
  const { usedIds } = accountOf(venue)
  for (let count = usedIds.ids.length; count < caps.clientIds - 1; count++) use(usedIds, `filler.${count}`)
  const isTaken = (id: string) => {
    const [element] = venue.ask(contract.collateralBulk, 'paper', { orders: [ioc(id)] })
    return element?.error?.errors['client_order_id'] !== undefined
  }
  venue.ask(contract.collateralBulk, 'paper', { orders: [named('taken')] })
  expect(usedIds.ids.length).toBe(caps.clientIds)
  expect(['resting', 'old', 'taken'].map(isTaken)).toEqual([true, true, true])
  expect(isTaken('one.more')).toBe(false)
  expect(usedIds.ids.length).toBe(caps.clientIds / 2 + 2)
  // The id of an open order stays used, however old it is.
  expect(['resting', 'taken', 'one.more'].map(isTaken)).toEqual([true, true, true])
  expect(isTaken('old')).toBe(false)
})

test('the documented caps equal those of the exchange', () => {
  const text = readFileSync(fileURLToPath(new URL('../../docs/exchange.md', import.meta.url)), 'utf8')
  const [, section = ''] = text.split('\n## Maximum numbers\n')
  const [table = ''] = section.split('\n## ')
  const documented = [...table.matchAll(/^\| [^|]+ \| ([\d,]+) \|/gm)].map(([, count = '']) =>
    Number(count.replaceAll(',', '')),
  )
  expect(new Set(documented)).toEqual(new Set(Object.values(caps)))
})
