import { z } from 'zod'
import { duration, name, text } from './quantities.ts'

const statesMax = 20
const fieldsMax = 10
/** The name of a field of a JSON text; a point leads into an object. */
const field = z
  .string()
  .regex(/^[\w-]{1,40}(?:\.[\w-]{1,40}){0,4}$/, {
    error: 'must be the name of a field; a point leads into an object\nwrite it like strategy.action',
  })
  .meta({ examples: ['action'] })

/** How the body of a chart alert, which has names of its own, sets a signal. */
const alertSchema = z
  .strictObject({
    where: z
      .record(field, text)
      .refine((fields) => Object.keys(fields).length <= fieldsMax, {
        error: `must have at most ${fieldsMax} fields`,
      })
      .default({})
      .describe(
        'Fields that the alert must have with these values; without it, every alert with the field counts',
      ),
    field: field
      .optional()
      .describe('The field with the value; without it, the value is the whole text of the alert'),
    values: z
      .record(text, name)
      .optional()
      .describe(
        'The state for each value of the alert; without it, the alert names the state or the number itself',
      ),
  })
  .meta({ examples: [{ field: 'action', values: { buy: 'long', sell: 'flat' } }] })

/** A feed whose values come from people and other programs. */
export const signalSchema = z.strictObject({
  source: z.literal('signal'),
  states: z
    .array(name.meta({ examples: ['long'] }))
    .min(1, { error: 'must have at least one state\nwrite it like [long]' })
    .max(statesMax, { error: `must have at most ${statesMax} states` })
    .optional()
    .describe('The words that the signal can be; without it, the signal is a number'),
  stale_after: duration.describe('Maximum age of the value; an older value is unknown'),
  alert: alertSchema.optional().describe('How the alert of a chart sets this signal'),
})
