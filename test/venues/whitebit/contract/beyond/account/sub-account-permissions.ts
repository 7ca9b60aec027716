import { expect } from 'vitest'
import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { TestVenue } from '#test/support/venue.ts'
import { answered, beyond, holds, refusedBy } from '#test/venues/whitebit/contract/beyond/clause.ts'
import { perp, placed, refuses, spot } from '#test/venues/whitebit/contract/beyond/placing.ts'
import { subAccount } from '#test/venues/whitebit/contract/spec/reading.ts'

/** The account `rival`, with its keys and balances, is a sub-account of `paper`. */
const desk = {
  id: subAccount,
  alias: 'desk',
  spotEnabled: 'true',
  collateralEnabled: 'true',
  account: 'rival',
}
const world = { accounts: { paper: { subAccounts: [desk] } } }
const as = 'rival'

const allow = (venue: TestVenue, spotEnabled: boolean, collateralEnabled: boolean) =>
  answered(venue, 'editSubAccount', {
    id: subAccount,
    alias: 'desk',
    permissions: { spotEnabled, collateralEnabled },
  })

const trigger = { activation_price: '61000' }
const orders: Record<'spot' | 'collateral', [EndpointName, object][]> = {
  spot: [
    ['spotLimit', spot],
    ['spotBulk', { orders: [spot] }],
    ['spotMarket', { ...spot, price: undefined }],
    ['spotStockMarket', { ...spot, price: undefined }],
    ['spotStopLimit', { ...spot, ...trigger }],
    ['spotStopMarket', { ...spot, ...trigger, price: undefined }],
  ],
  collateral: [
    ['collateralLimit', perp],
    ['collateralBulk', { orders: [perp] }],
    ['collateralMarket', { ...perp, price: undefined }],
    ['collateralStopLimit', { ...perp, ...trigger }],
    ['collateralTriggerMarket', { ...perp, ...trigger, price: undefined }],
    ['collateralOco', { ...perp, ...trigger, price: '59000', stop_limit_price: '61100' }],
  ],
}

async function refusesOrders(venue: TestVenue, kind: keyof typeof orders) {
  for (const [name, order] of orders[kind]) {
    const { status, body } = await venue.signed(name, order, { as })
    expect({ status, body }, name).toEqual({
      status: 403,
      body: '{"code":4,"message":"This API Key is not authorized to perform this action.","errors":{}}',
    })
  }
}

export const subAccountPermissions = [
  beyond(
    'sub-accounts',
    'one without a permission places no orders of this kind, until it has it again',
    async (venue) => {
      await allow(venue, false, true)
      await refusesOrders(venue, 'spot')
      await placed(venue, 'collateralLimit', perp, as)
      await allow(venue, true, false)
      await refusesOrders(venue, 'collateral')
      await placed(venue, 'spotLimit', spot, as)
      await allow(venue, true, true)
      await placed(venue, 'collateralLimit', perp, as)
      await allow(venue, false, false)
      // The permissions are those of the sub-account alone.
      await placed(venue, 'spotLimit', spot)
      await placed(venue, 'collateralLimit', perp)
    },
    { world },
  ),
  beyond(
    'sub-accounts',
    'what one had before it lost a permission stays, and can be closed',
    async (venue) => {
      const { order_id } = await placed(venue, 'collateralLimit', { ...perp, amount: '0.05' }, as)
      await placed(venue, 'collateralLimit', { ...perp, side: 'sell' })
      await allow(venue, false, false)
      await placed(venue, 'modifyOrder', { market: 'BTC_PERP', order_id, amount: '0.02' }, as)
      const [{ positionId }] = Object(await answered(venue, 'openPositions', {}, { as }))
      await answered(venue, 'cancelAll', {}, { as })
      await placed(venue, 'collateralLimit', { ...perp, price: '59990' })
      await answered(venue, 'closePosition', { market: 'BTC_PERP', positionId }, { as })
      expect(await answered(venue, 'openPositions', {}, { as })).toEqual([])
    },
    { world },
  ),
  beyond(
    'sub-accounts',
    'one without a permission moves no money from or to this balance',
    async (venue) => {
      const some = { ticker: 'USDT', amount: '100' }
      await allow(venue, false, true)
      for (const [from, to, key] of [
        ['main', 'spot', 'to'],
        ['spot', 'main', 'from'],
        ['spot', 'collateral', 'from'],
        ['collateral', 'spot', 'to'],
      ] as const)
        await refusedBy(venue, 'transfer', { ...some, from, to }, { code: 0, key }, { as })
      await refusedBy(venue, 'transfer', { ...some, method: 'deposit' }, { code: 0, key: 'to' }, { as })
      await answered(venue, 'transfer', { ...some, from: 'main', to: 'collateral' }, { as })
      await allow(venue, true, false)
      await refusedBy(
        venue,
        'transfer',
        { ...some, from: 'collateral', to: 'main' },
        { code: 0, key: 'from' },
        { as },
      )
      await answered(venue, 'transfer', { ...some, from: 'main', to: 'spot' }, { as })
    },
    { world },
  ),
  beyond(
    'sub-accounts',
    'the owner sees all balances of one that is an account, and reaches its main balance',
    async (venue) => {
      const before = Number(holds(venue, 'main/rival', 'USDT'))
      const move = { id: subAccount, ticker: 'USDT', amount: '42' }
      await answered(venue, 'subAccountTransfer', { ...move, direction: 'main_to_sub' })
      const [spotHeld, collateral] = [
        holds(venue, 'spot/rival', 'USDT'),
        holds(venue, 'collateral/rival', 'USDT'),
      ]
      expect(await answered(venue, 'subAccountBalances', { id: subAccount, ticker: 'USDT' })).toEqual({
        USDT: [{ main: String(before + 42), spot: spotHeld, collateral }],
      })
      expect(await answered(venue, 'mainBalance', { ticker: 'USDT' }, { as })).toEqual({
        USDT: { main_balance: String(before + 42) },
      })
      await answered(venue, 'subAccountTransfer', { ...move, direction: 'sub_to_main', amount: '1' })
      expect(holds(venue, 'main/rival', 'USDT')).toBe(String(before + 41))
      await refuses(venue, 'subAccountBalances', { id: subAccount }, 0, 'id', { as, status: 400 })
    },
    { world },
  ),
]
