import { z } from 'zod'

type Read = (value: unknown) => unknown

/** Null for schemas that hold no integer: nearly all calls pass without a walk. */
const known = new WeakMap<z.core.$ZodType, Read | null>()

/**
 * The value with every integer that arrived as its decimal text made a number, wherever the schema wants an integer:
 * foreign clients send numbers as text here and there, and a query has no numbers at all. What is not the plain
 * text of a safe integer stays as it is, for the schema to refuse.
 */
export function withIntegersRead(
  schema: z.ZodObject,
  value: Record<string, unknown>,
): Record<string, unknown> {
  const read = readerOf(schema)
  return read === null ? value : { ...Object(read(value)) }
}

function readerOf(schema: z.core.$ZodType): Read | null {
  const found = known.get(schema)
  if (found !== undefined) return found
  const made = makeReader(schema)
  known.set(schema, made)
  return made
}

function makeReader(schema: z.core.$ZodType): Read | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return readerOf(schema.def.innerType)
  if (schema instanceof z.ZodNumber) return integerOf
  if (schema instanceof z.ZodLiteral)
    return [...schema.values].every((value) => typeof value === 'number') ? integerOf : null
  if (schema instanceof z.ZodArray) {
    const read = readerOf(schema.def.element)
    return read && ((value) => (Array.isArray(value) ? value.map(read) : value))
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
    const copy: Record<string, unknown> = { ...value }
    for (const { name, read } of reads) if (Object.hasOwn(copy, name)) copy[name] = read(copy[name])
    return copy
  }
}

function integerOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^(?:0|-?[1-9]\d{0,15})$/.test(value)) return value
  const integer = Number(value)
  return Number.isSafeInteger(integer) ? integer : value
}
