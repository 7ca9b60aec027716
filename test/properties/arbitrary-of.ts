/* oxlint-disable eslint/no-underscore-dangle -- zod's name for what it shows to libraries */
import fc from 'fast-check'
import { z } from 'zod'
import { atomText } from './texts.ts'

/** Random values that fit a schema of the contract, derived from the schema: a new field is covered automatically. */
export function arbitraryOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodObject) return objectOf(schema)
  if (schema instanceof z.ZodArray) return arrayOf(schema)
  if (schema instanceof z.ZodTuple) {
    return fc.tuple(...schema.def.items.map((item: z.core.$ZodType) => arbitraryOf(item)))
  }
  if (schema instanceof z.ZodRecord) {
    // A reader drops this name of JavaScript's own; no currency or field has it.
    const keys = arbitraryOf(schema.def.keyType).map(String)
    const key = keys.filter((name) => name !== '__proto__')
    return fc.dictionary(key, arbitraryOf(schema.def.valueType), { maxKeys: 4 })
  }
  if (schema instanceof z.ZodOptional) return fc.option(arbitraryOf(schema.def.innerType), { nil: undefined })
  if (schema instanceof z.ZodNullable) return fc.option(arbitraryOf(schema.def.innerType), { nil: null })
  if (schema instanceof z.ZodUnion)
    return fc.oneof(...schema.def.options.map((option: z.core.$ZodType) => arbitraryOf(option)))
  if (schema instanceof z.ZodPipe) return arbitraryOf(schema.def.in)
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options)
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.def.values)
  if (schema instanceof z.ZodBoolean) return fc.boolean()
  if (schema instanceof z.ZodNever) return fc.constant(undefined)
  if (schema instanceof z.ZodString) return stringOf(schema)
  if (schema instanceof z.ZodNumber) return numberOf(schema)
  throw new Error(`the contract uses a kind of schema that is new here: ${schema._zod.def.type}`)
}

function objectOf(schema: z.ZodObject): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.shape)
  const model: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [name, field] of fields) {
    model[name] = arbitraryOf(field instanceof z.ZodOptional ? field.def.innerType : field)
  }
  const requiredKeys = fields.filter(([, field]) => !(field instanceof z.ZodOptional)).map(([name]) => name)
  return fc.record(model, { requiredKeys })
}

function arrayOf(schema: z.ZodArray): fc.Arbitrary<unknown> {
  let [minLength, maxLength] = [0, 5]
  for (const check of schema.def.checks ?? []) {
    if (check instanceof z.core.$ZodCheckMinLength) minLength = check._zod.def.minimum
    if (check instanceof z.core.$ZodCheckMaxLength) maxLength = Math.min(maxLength, check._zod.def.maximum)
  }
  return fc.array(arbitraryOf(schema.def.element), { minLength, maxLength })
}

/** By its pattern, if there is one; wrong lengths are filtered out. */
function stringOf(schema: z.ZodString): fc.Arbitrary<string> {
  const pattern = (schema.def.checks ?? []).find((check) => check instanceof z.core.$ZodCheckRegex)?._zod.def
    .pattern
  const texts =
    pattern === undefined
      ? fc.string({ unit: 'grapheme', maxLength: 40 })
      : fc.oneof(fc.stringMatching(pattern), atomText)
  return texts.filter((text) => schema.safeParse(text).success && text.trim() === text)
}

function numberOf(schema: z.ZodNumber): fc.Arbitrary<number> {
  const min = Math.max(Number.MIN_SAFE_INTEGER, schema.minValue ?? -Infinity)
  const max = Math.min(Number.MAX_SAFE_INTEGER, schema.maxValue ?? Infinity)
  if (schema.isInt) return fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) })
  return fc
    .double({ min, max, noNaN: true, noDefaultInfinity: true })
    .map((value) => (value === 0 ? 0 : value))
}
