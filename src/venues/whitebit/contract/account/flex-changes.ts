import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { emptyList } from '#src/venues/whitebit/contract/fields.ts'
import { accountRead, accountWrite } from '#src/venues/whitebit/contract/private-row.ts'
import {
  flexAmountIn,
  flexExample,
  flexFilters,
  flexRecordReads,
  flexRecords,
  flexTransaction,
  planIn,
} from './flex-investments.ts'

/** What may be done with a flexible investment once there is one: spec.md has none of it. */
const change = {
  ...accountWrite,
  section: 'beyond.flex',
  access: 'partner',
  errors: [0, 2],
  beyond: true,
} as const

const { plan, transaction } = flexExample

export const flexWithdraw = endpoint({
  ...change,
  path: '/api/v4/main-account/smart-flex/investments/withdraw',
  summary: 'Withdraw part of a flexible investment to the main account',
  request: z.strictObject({ plan: planIn, amount: flexAmountIn }),
  response: flexTransaction,
  reads: ['data'],
  created: true,
  example: { request: { plan, amount: '50.25' }, response: transaction },
})

export const flexClose = endpoint({
  ...change,
  path: '/api/v4/main-account/smart-flex/investments/close',
  summary: 'Close a flexible investment and return all of it to the main account',
  request: z.strictObject({ plan: planIn }),
  response: flexTransaction,
  reads: ['data'],
  created: true,
  example: { request: { plan }, response: transaction },
})

export const flexAutoInvest = endpoint({
  ...change,
  path: '/api/v4/main-account/smart-flex/investments/auto-invest',
  summary: 'Set whether earnings are reinvested in a flexible investment',
  request: z.strictObject({ plan: planIn, enabled: z.boolean().optional().describe('Default false') }),
  response: z.object({ data: emptyList }),
  example: { request: { plan, enabled: true }, response: { data: [] } },
})

export const flexPayments = endpoint({
  ...change,
  ...accountRead,
  path: '/api/v4/main-account/smart-flex/investments/payment-history',
  summary: 'Daily earnings of your flexible investments, newest first',
  access: 'partner',
  request: z.strictObject(flexFilters),
  response: flexRecords,
  reads: flexRecordReads,
  example: { request: { plan, limit: 10 }, response: flexExample.records },
})
