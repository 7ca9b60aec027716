import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** Of what travels, not of what a caller holds: decimals are text there. */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema: made }) => {
      // Zod calls the numbers of an enumeration just that; ours are whole.
      const values = made.enum ?? [made.const]
      if (made.type === 'number' && values.every(Number.isInteger)) made.type = 'integer'
    },
  })
  return plain
}
