import { z } from 'zod'
import { publicLimit } from './rate-limits.ts'

/** What the public rows beyond spec.md have in common. */
export const publicRow = {
  access: 'public',
  effect: 'read',
  permission: 'read',
  limit: publicLimit,
  invalid: { code: 0, status: 400 },
  errors: [],
  beyond: true,
} as const

/** Some put their answer into an envelope, the older ones among them. */
export const inEnvelope = <Result extends z.ZodType>(result: Result) =>
  z.object({ success: z.literal(true), message: z.string().nullable(), result })
