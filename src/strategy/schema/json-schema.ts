import { z } from 'zod'
import { strategySchema } from './strategy-schema.ts'

/**
 * The JSON schema of strategy files for editors. The program reads every value as text, but an editor reads `levels:
 * 21` as a number and `postOnly: true` as a boolean, so the schema allows both.
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
  // A file with `extends` may omit the keys of its base file.
  return {
    title: 'A strategy of Rungs',
    ...schema,
    anyOf: [{ required }, { required: ['version', 'name', 'extends'] }],
  }
}

/** The typed values that a YAML reader may make of a text. */
function plainOf(text: unknown): (number | boolean)[] {
  if (text === 'true' || text === 'false') return [text === 'true']
  return typeof text === 'string' && /^\d+$/.test(text) ? [Number(text)] : []
}
