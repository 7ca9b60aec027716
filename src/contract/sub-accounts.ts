import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { uuid } from './fields.ts'
import { accountLimit } from './limits.ts'

export const editSubAccount = endpoint({
  path: '/api/v4/sub-account/edit',
  section: '4.16',
  summary: 'Rename a sub-account and set what it may trade',
  access: 'private',
  effect: 'write',
  permission: 'account',
  limit: accountLimit,
  request: z.strictObject({
    id: uuid.describe('The sub-account'),
    alias: z
      .string()
      .max(64)
      .regex(/^\S(?:.*\S)?$/, 'The alias may not be empty, nor begin or end with a blank.')
      .describe('Its name'),
    permissions: z
      .strictObject({ spotEnabled: z.boolean(), collateralEnabled: z.boolean() })
      .describe('What it may trade, as a JSON object'),
  }),
  response: z.strictObject({}),
  invalid: { code: 0, status: 400 },
  errors: [0],
  example: {
    request: {
      id: '44444444-4444-4444-8444-000000000001',
      alias: 'hedge desk',
      permissions: { spotEnabled: true, collateralEnabled: false },
    },
    response: {},
  },
})
