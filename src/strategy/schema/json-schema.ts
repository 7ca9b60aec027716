import { z } from 'zod'
import { strategySchema } from './strategy-schema.ts'

/** A parameter such as $step, of which an editor does not know the value. */
const reference = { type: 'string', pattern: String.raw`\$[a-z]` } as const
/** The patterns of quantities begin so; names cannot be parameters. */
const ofQuantity = '^(?:'
/** The patterns of names begin so; a name can contain the variable of a loop. */
const ofName = '^[a-z][a-z0-9_]{0,15}'
/** A name with a variable, such as grid_$m, and a key of a function with it. */
const withVariable = String.raw`^[a-z0-9_]*\$[a-z]`

/**
 * The JSON schema of strategy files for editors. The program reads every value as text, but an editor reads `levels:
 * 21` as a number and `postOnly: true` as a boolean, so the schema allows both.
 */
export function strategyJsonSchema(): object {
  const { required, ...schema } = z.toJSONSchema(strategySchema, {
    io: 'input',
    override({ jsonSchema }) {
      const { pattern, const: only, enum: values } = jsonSchema
      if (pattern?.startsWith(ofQuantity)) jsonSchema.pattern = `${reference.pattern}|${pattern}`
      if (pattern?.startsWith(ofName)) jsonSchema.pattern = `${withVariable}|${pattern}`
      const mayBeNumber = pattern === undefined || new RegExp(pattern, 'u').test('1')
      if (jsonSchema.type === 'string' && mayBeNumber)
        Object.assign(jsonSchema, { type: ['string', 'number'] })
      const texts = only === undefined ? (values ?? []) : [only]
      const all = [...texts, ...texts.flatMap(plainOf)]
      if (all.length < 2) return
      delete jsonSchema.const
      delete jsonSchema.type
      delete jsonSchema.enum
      if (values === undefined) jsonSchema.enum = all
      else jsonSchema.anyOf = [{ enum: all }, reference]
    },
  })
  const without = (key: string) => required?.filter((each) => each !== key) ?? []
  // A file with `extends` may omit the keys of its base file, and the markets can be those of loops.
  return {
    title: 'A strategy of Rungs',
    ...schema,
    anyOf: [
      { required },
      { required: [...without('markets'), 'for_each'] },
      { required: ['version', 'name', 'extends'] },
    ],
  }
}

/** The typed values that a YAML reader may make of a text. */
function plainOf(text: unknown): (number | boolean)[] {
  if (text === 'true' || text === 'false') return [text === 'true']
  return typeof text === 'string' && /^\d+$/.test(text) ? [Number(text)] : []
}
