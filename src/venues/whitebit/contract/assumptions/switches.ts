import { z } from 'zod'

/** How the embedded exchange behaves where the spec allows several behaviours: the reasons are in assumptions.ts. */
export type Switches = z.output<typeof switches>

const duration = z
  .string()
  .regex(/^\d{1,6}s$/, 'Write whole seconds, such as 2s')
  .transform((text) => Number(text.slice(0, -1)) * 1000)

/** Distance of a limit price from the mark price in percent. */
export const priceBand = z
  .string()
  .regex(/^(?:none|[1-9]\d{0,2})$/, 'Write none, or a whole percentage from 1 to 999')
  .transform((text) => (text === 'none' ? Infinity : Number(text)))

export const switches = z.strictObject({
  stopOnFailAnswer: z.enum(['included', 'absent', 'full']).default('included'),
  clientIds: z.enum(['forever', 'live']).default('forever'),
  batchMax: z
    .string()
    .regex(/^(?:none|[1-9]\d{0,3})$/, 'Write none, or a number from 1 to 9999')
    .default('20')
    .transform((text) => (text === 'none' ? Infinity : Number(text))),
  tooManyRequests: z.enum(['json', 'html']).default('json'),
  historyLag: duration.default(0),
  postOnlyCross: z.enum(['refused', 'canceled']).default('refused'),
  shortSide: z.enum(['accepted', 'refused']).default('accepted'),
  nonce: z.enum(['strict', 'window']).default('window'),
  executionDelay: duration.default(0),
  restingStatus: z.enum(['OPEN', 'NEW', 'ACTIVE']).default('OPEN'),
  collateralFreeze: z.enum(['shown', 'hidden']).default('shown'),
  refusalStatus: z.enum(['split', '200', '400', '422']).default('split'),
  rateLimits: z.enum(['on', 'off']).default('on'),
  priceBand: priceBand.prefault('50'),
  // The following three have no default value, because worlds that version 0.3 stored do not have them.
  unknownParameters: z.enum(['split', 'refuse', 'ignore']).optional(),
  blanksInBody: z.enum(['accept', 'refuse']).optional(),
  historySpan: z
    .string()
    .regex(/^(?:none|[1-9]\d{0,2}d)$/, 'Write none, or whole days, such as 31d')
    .transform((text) => (text === 'none' ? Infinity : Number(text.slice(0, -1)) * 86_400_000))
    .optional(),
  takerBand: z
    .string()
    .regex(/^[1-9]\d?$/, 'Write a whole percentage from 1 to 99')
    .default('5')
    .transform(Number),
})
