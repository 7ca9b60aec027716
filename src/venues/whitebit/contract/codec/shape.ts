/* oxlint-disable eslint/no-underscore-dangle -- zod's name for its public definitions */
import { z } from 'zod'
import { decimalPattern, signedPattern } from '#src/core/money/decimal-text.ts'
import { decimalToWire } from '#src/venues/whitebit/contract/fields.ts'
import { orNone } from '#src/venues/whitebit/contract/trading/orders.ts'

/** A schema of the contract as plain data. Readers and writers are generated from it; only this file walks zod. */
export type Shape =
  | {
      kind: 'text'
      pattern: RegExp | undefined
      least: number
      most: number
      /** The caller may hand in a Decimal. */
      isDecimal: boolean
      /** The text is a decimal number. */
      isNumeric: boolean
    }
  | { kind: 'number'; isWhole: boolean; least: number; most: number }
  | { kind: 'choice'; values: readonly unknown[] }
  | { kind: 'nullable'; inner: Shape }
  | { kind: 'list'; element: Shape; least: number; most: number }
  | { kind: 'tuple'; items: readonly Shape[] }
  /** `orList`: an empty list means an empty record. */
  | { kind: 'record'; name: Shape; element: Shape; orList: boolean }
  | { kind: 'object'; fields: readonly Field[]; isStrict: boolean }
  | { kind: 'either'; list: Shape; other: Shape }
  /** Zod alone judges it. */
  | { kind: 'other'; schema: z.core.$ZodType }
export type Field = { name: string; isOptional: boolean; shape: Shape }

const shapes = new WeakMap<z.core.$ZodType, Shape>()

export function shapeOf(schema: z.core.$ZodType): Shape {
  const known = shapes.get(schema)
  if (known) return known
  const shape = describe(schema) ?? { kind: 'other', schema }
  shapes.set(schema, shape)
  return shape
}

function describe(schema: z.core.$ZodType): Shape | undefined {
  if (schema instanceof z.ZodString) return textOf(schema)
  if (schema instanceof z.ZodNumber) return numberOf(schema)
  if (schema instanceof z.ZodArray) return listOf(schema)
  if ((schema._zod.def.checks ?? []).length > 0) return undefined
  if (schema instanceof z.ZodBoolean) return { kind: 'choice', values: [true, false] }
  if (schema instanceof z.ZodEnum) return { kind: 'choice', values: schema.options }
  if (schema instanceof z.ZodLiteral) return { kind: 'choice', values: [...schema.values] }
  if (schema instanceof z.ZodNullable) return { kind: 'nullable', inner: shapeOf(schema.def.innerType) }
  if (schema instanceof z.ZodObject) return objectOf(schema)
  if (schema instanceof z.ZodRecord) {
    const { keyType, valueType } = schema.def
    if (!(keyType instanceof z.ZodString)) return undefined
    return { kind: 'record', name: shapeOf(keyType), element: shapeOf(valueType), orList: false }
  }
  if (schema instanceof z.ZodTuple) {
    const { items, rest } = schema.def
    const isFixed =
      rest === null && items.every((item) => !(item instanceof z.ZodOptional || item instanceof z.ZodDefault))
    return isFixed ? { kind: 'tuple', items: items.map(shapeOf) } : undefined
  }
  if (schema instanceof z.ZodUnion) return eitherOf(schema)
  return schema instanceof z.ZodCodec ? codecOf(schema) : undefined
}

function codecOf({ def }: z.ZodCodec): Shape | undefined {
  const [wire, inside] = [shapeOf(def.in), shapeOf(def.out)]
  if (def.reverseTransform === decimalToWire && wire.kind === 'text') return { ...wire, isDecimal: true }
  if (def.transform === orNone && inside.kind === 'record') return { ...inside, orList: true }
  return undefined
}

/** A list, or something else. */
function eitherOf({ def: { options } }: z.ZodUnion): Shape | undefined {
  const [list, other, ...more] = options.map(shapeOf).sort(listsFirst)
  const isKnown = list?.kind === 'list' && (other?.kind === 'record' || other?.kind === 'object')
  return isKnown && more.length === 0 ? { kind: 'either', list, other } : undefined
}

function listsFirst(a: Shape, b: Shape): number {
  return Number(b.kind === 'list') - Number(a.kind === 'list')
}

function objectOf(schema: z.ZodObject): Shape | undefined {
  const { catchall, shape } = schema.def
  const isStrict = catchall instanceof z.ZodNever
  if (catchall !== undefined && !isStrict) return undefined
  const fields = Object.entries(shape).map(([name, field]): Field => {
    const isOptional = field instanceof z.ZodOptional && (field.def.checks ?? []).length === 0
    return { name, isOptional, shape: shapeOf(isOptional ? field.def.innerType : field) }
  })
  return { kind: 'object', fields, isStrict }
}

function listOf(schema: z.ZodArray): Shape | undefined {
  const limits = limitsOf(schema.def.checks)
  return limits && { kind: 'list', element: shapeOf(schema.def.element), ...limits }
}

function textOf(schema: z.ZodString): Shape | undefined {
  const checks = schema.def.checks ?? []
  const patterns = checks.filter((check) => check instanceof z.core.$ZodCheckRegex)
  const pattern = patterns[0]?._zod.def.pattern
  const limits = limitsOf(checks.filter((check) => !(check instanceof z.core.$ZodCheckRegex)))
  // A global or sticky pattern remembers where it stopped.
  if (schema.def.coerce || limits === undefined || patterns.length > 1 || pattern?.global || pattern?.sticky)
    return undefined
  const isNumeric = pattern === decimalPattern || pattern === signedPattern
  return { kind: 'text', pattern, ...limits, isDecimal: false, isNumeric }
}

function limitsOf(checks: readonly unknown[] = []): { least: number; most: number } | undefined {
  let [least, most] = [0, Infinity]
  for (const check of checks) {
    if (check instanceof z.core.$ZodCheckMinLength) least = Math.max(least, check._zod.def.minimum)
    else if (check instanceof z.core.$ZodCheckMaxLength) most = Math.min(most, check._zod.def.maximum)
    else return undefined
  }
  return { least, most }
}

function numberOf(schema: z.ZodNumber): Shape | undefined {
  let [least, most] = [-Infinity, Infinity]
  for (const check of schema.def.checks ?? []) {
    const isMore = check instanceof z.core.$ZodCheckGreaterThan
    if (!(isMore || check instanceof z.core.$ZodCheckLessThan) || !check._zod.def.inclusive) return undefined
    const value = Number(check._zod.def.value)
    if (isMore) least = Math.max(least, value)
    else most = Math.min(most, value)
  }
  const isWhole = schema instanceof z.ZodNumberFormat
  if (schema.def.coerce || (isWhole && schema._zod.def.format !== 'safeint')) return undefined
  return { kind: 'number', isWhole, least, most }
}
