import { z } from 'zod'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import { decimalToWire } from '#src/venues/whitebit/contract/fields.ts'

type Read = (value: unknown) => unknown

/** Null for schemas that hold no number: those calls pass without a walk. */
const readerBySchema = new WeakMap<z.core.$ZodType, Read | null>()

/**
 * The value with every number in the form that its schema wants, where the other form says exactly the same: an
 * integer that came as its plain text, a decimal that came as a JSON number. Foreign clients mix the two, and a query
 * has no numbers at all. What says anything else stays as it is, for the schema to refuse; what is in order stays the
 * very object that it was.
 */
export function withNumbersRead(
  schema: z.ZodObject,
  value: Record<string, unknown>,
): Record<string, unknown> {
  const read = readerOf(schema)
  return read === null ? value : { ...Object(read(value)) }
}

function readerOf(schema: z.core.$ZodType): Read | null {
  const found = readerBySchema.get(schema)
  if (found !== undefined) return found
  const made = makeReader(schema)
  readerBySchema.set(schema, made)
  return made
}

function makeReader(schema: z.core.$ZodType): Read | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return readerOf(schema.def.innerType)
  if (schema instanceof z.ZodNumber) return integerOf
  if (schema instanceof z.ZodLiteral)
    return [...schema.values].every((value) => typeof value === 'number') ? integerOf : null
  if (schema instanceof z.ZodCodec && schema.def.reverseTransform === decimalToWire) return decimalOf
  if (schema instanceof z.ZodArray) {
    const read = readerOf(schema.def.element)
    return read && ((value) => (Array.isArray(value) ? listRead(value, read) : value))
  }
  return schema instanceof z.ZodObject ? objectReader(schema) : null
}

function objectReader(schema: z.ZodObject): Read | null {
  const reads = Object.entries(schema.shape).flatMap(([name, field]) => {
    const read = readerOf(field)
    return read === null ? [] : [{ name, read }]
  })
  if (reads.length === 0) return null
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    let copy: Record<string, unknown> | undefined
    for (const { name, read } of reads) {
      if (!Object.hasOwn(value, name)) continue
      const item: unknown = Reflect.get(value, name)
      const made = read(item)
      if (made !== item) (copy ??= { ...value })[name] = made
    }
    return copy ?? value
  }
}

function listRead(list: readonly unknown[], read: Read): readonly unknown[] {
  const made = list.map(read)
  return made.some((item, index) => item !== list[index]) ? made : list
}

function integerOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^(?:0|-?[1-9]\d{0,15})$/.test(value)) return value
  const integer = Number(value)
  return Number.isSafeInteger(integer) ? integer : value
}

/** The shortest text of a number is the one that its sender wrote, or means the same; 1e-7 is no plain decimal. */
function decimalOf(value: unknown): unknown {
  if (typeof value !== 'number') return value
  const text = String(value)
  return isDecimalText(text) ? text : value
}
