import { accountLimit, orderLimit, tradeReadLimit } from './rate-limits.ts'

/** What private rows have in common. A row states what differs. */

/** Money and settings of the main account. */
export const accountRead = {
  access: 'private',
  effect: 'read',
  permission: 'read',
  limit: accountLimit,
  invalid: { code: 0, status: 400 },
  errors: [0],
} as const
export const accountWrite = { ...accountRead, effect: 'write', permission: 'funds' } as const

/** Orders and positions. */
export const tradeRead = {
  access: 'private',
  effect: 'read',
  permission: 'read',
  limit: tradeReadLimit,
  invalid: { code: 30, status: 422 },
  errors: [30, 1],
} as const
export const tradeWrite = {
  ...tradeRead,
  effect: 'write',
  permission: 'trade',
  limit: orderLimit,
} as const
