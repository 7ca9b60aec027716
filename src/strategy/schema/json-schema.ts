import { z } from 'zod'
import { strategySchema } from './strategy-schema.ts'

/**
 * What editors complete and check strategy files with. To us every value is text, but an editor reads `levels: 21` as
 * a number and `postOnly: true` as a truth value, so it is told that both are welcome.
 */
export function strategyJsonSchema(): object {
  const { required, ...schema } = z.toJSONSchema(strategySchema, {
    io: 'input',
    override({ jsonSchema }) {
      const { pattern, const: only, enum: values } = jsonSchema
      const mayBeNumber = pattern === undefined || new RegExp(pattern, 'u').test('1')
      if (jsonSchema.type === 'string' && mayBeNumber)
        Object.assign(jsonSchema, { type: ['string', 'number'] })
      const texts = only === undefined ? (values ?? []) : [only]
      const plain = texts.flatMap(plainOf)
      if (plain.length === 0) return
      delete jsonSchema.const
      delete jsonSchema.type
      jsonSchema.enum = [...texts, ...plain]
    },
  })
  // One that extends another file leaves out what that one says.
  return {
    title: 'A strategy of Rungs',
    ...schema,
    anyOf: [{ required }, { required: ['version', 'name', 'extends'] }],
  }
}

/** What a YAML reader that knows types makes of a text. */
function plainOf(text: unknown): (number | boolean)[] {
  if (text === 'true' || text === 'false') return [text === 'true']
  return typeof text === 'string' && /^\d+$/.test(text) ? [Number(text)] : []
}
