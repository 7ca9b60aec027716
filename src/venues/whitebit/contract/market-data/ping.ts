import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { publicLimit } from '#src/venues/whitebit/contract/rate-limits.ts'

export const ping = endpoint({
  path: '/api/v4/public/ping',
  section: '1',
  summary: 'Check that the service answers',
  access: 'public',
  effect: 'read',
  permission: 'read',
  limit: publicLimit,
  request: z.strictObject({}),
  response: z.tuple([z.literal('pong')]),
  invalid: { code: 0, status: 400 },
  errors: [],
  example: { request: {}, response: ['pong'] },
})
