/* oxlint-disable eslint/no-underscore-dangle -- zod's name for what it shows to libraries */
import { z } from 'zod'
import { decimalToWire } from '#src/venues/whitebit/contract/fields.ts'
import { orNone } from '#src/venues/whitebit/contract/trading/orders.ts'

type Check = (value: unknown) => boolean

const checks = new WeakMap<z.core.$ZodType, Check>()

/**
 * Whether a value fits a schema so plainly that the schema would give back an equal one: nearly every value
 * does, and this costs a fraction of asking the schema. "No" only means "not sure"; the schema itself then
 * judges, and explains. It knows the plain kinds of the contract, and at any other kind, check or
 * transformation it is never sure. Property tests hold it against the schemas.
 */
export function fitsFast(schema: z.core.$ZodType, value: unknown): boolean {
  const known = checks.get(schema)
  if (known) return known(value)
  const check = checkOf(schema)
  checks.set(schema, check)
  return check(value)
}

const unsure: Check = () => false

function checkOf(schema: z.core.$ZodType): Check {
  if (schema instanceof z.ZodObject) return objectCheck(schema)
  if (schema instanceof z.ZodArray) return arrayCheck(schema)
  if (schema instanceof z.ZodTuple) return tupleCheck(schema)
  if (schema instanceof z.ZodRecord) return recordCheck(schema)
  if (schema instanceof z.ZodString) return stringCheck(schema)
  if (schema instanceof z.ZodNumber) return numberCheck(schema)
  if (hasRules(schema)) return unsure
  if (schema instanceof z.ZodBoolean && !schema.def.coerce) return (value) => typeof value === 'boolean'
  if (schema instanceof z.ZodEnum) {
    const options: readonly unknown[] = schema.options
    return (value) => options.includes(value)
  }
  if (schema instanceof z.ZodNullable) {
    const inner = checkOf(schema.def.innerType)
    return (value) => value === null || inner(value)
  }
  // Decimal text is sent as it stands; a Decimal is the schema's to write.
  if (schema instanceof z.ZodCodec && schema.def.reverseTransform === decimalToWire)
    return checkOf(schema.def.in)
  // What is no empty list already is given back as it is.
  if (schema instanceof z.ZodCodec && schema.def.transform === orNone) return checkOf(schema.def.out)
  return unsure
}

function hasRules(schema: z.core.$ZodType): boolean {
  return (schema._zod.def.checks ?? []).length > 0
}

/**
 * The names of a value are walked beside those of the schema, which is cheaper than to look each one up: an
 * unknown name, one out of the schema's order, and one that may be inherited, is for the schema itself.
 */
function objectCheck(schema: z.ZodObject): Check {
  const { catchall } = schema.def
  if (hasRules(schema) || (catchall !== undefined && !(catchall instanceof z.ZodNever))) return unsure
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const optional = field instanceof z.ZodOptional && !hasRules(field)
    return { name, optional, fits: checkOf(optional ? field.def.innerType : field) }
  })
  return (value) => {
    if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return false
    let place = 0
    for (const name in value) {
      let field = fields[place++]
      while (field?.optional && field.name !== name) field = fields[place++]
      if (field?.name !== name || !field.fits(value[name])) return false
    }
    while (fields[place]?.optional) place += 1
    return place === fields.length
  }
}

function arrayCheck(schema: z.ZodArray): Check {
  let least = 0
  for (const rule of schema.def.checks ?? []) {
    if (!(rule instanceof z.core.$ZodCheckMinLength)) return unsure
    least = Math.max(least, rule._zod.def.minimum)
  }
  const fits = checkOf(schema.def.element)
  return (value) => Array.isArray(value) && value.length >= least && value.every(fits)
}

function recordCheck(schema: z.ZodRecord): Check {
  const { keyType, valueType } = schema.def
  // Of names that are listed, none may be missing.
  if (hasRules(schema) || !(keyType instanceof z.ZodString)) return unsure
  const [isName, fits] = [checkOf(keyType), checkOf(valueType)]
  return (value) => {
    if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return false
    for (const name in value) if (name === '__proto__' || !isName(name) || !fits(value[name])) return false
    return true
  }
}

function tupleCheck(schema: z.ZodTuple): Check {
  const items = schema.def.items.map(checkOf)
  const isOpen = schema.def.items.some(
    (item) => item instanceof z.ZodOptional || item instanceof z.ZodDefault,
  )
  if (hasRules(schema) || schema.def.rest !== null || isOpen) return unsure
  return (value) => {
    if (!Array.isArray(value) || value.length !== items.length) return false
    for (const [index, fits] of items.entries()) if (!fits(value[index])) return false
    return true
  }
}

function stringCheck(schema: z.ZodString): Check {
  const [rule, ...others] = schema.def.checks ?? []
  if (schema.def.coerce || others.length > 0) return unsure
  if (rule === undefined) return (value) => typeof value === 'string'
  if (!(rule instanceof z.core.$ZodCheckRegex)) return unsure
  const { pattern } = rule._zod.def
  // Such a pattern remembers where it stopped.
  if (pattern.global || pattern.sticky) return unsure
  // The same few texts come again and again: a market, an amount, a fee of 0.
  let last: unknown
  return (value) => {
    if (value === last && last !== undefined) return true
    if (typeof value !== 'string' || !pattern.test(value)) return false
    last = value
    return true
  }
}

function numberCheck(schema: z.ZodNumber): Check {
  let least = -Infinity
  for (const rule of schema.def.checks ?? []) {
    if (!(rule instanceof z.core.$ZodCheckGreaterThan) || !rule._zod.def.inclusive) return unsure
    least = Math.max(least, Number(rule._zod.def.value))
  }
  if (schema.def.coerce) return unsure
  if (!(schema instanceof z.ZodNumberFormat))
    return (value) => Number.isFinite(value) && Number(value) >= least
  if (schema._zod.def.format !== 'safeint') return unsure
  return (value) => Number.isSafeInteger(value) && Number(value) >= least
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
