import type { z } from 'zod'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import { shapeOf, type Field, type Shape } from '#src/venues/whitebit/contract/codec/shape.ts'

type Read = (value: unknown) => unknown

/** Null for shapes that hold no number: those calls pass without a walk. */
const readerByShape = new WeakMap<Shape, Read | null>()

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
  const read = readerOf(shapeOf(schema))
  return read === null ? value : { ...Object(read(value)) }
}

function readerOf(shape: Shape): Read | null {
  const found = readerByShape.get(shape)
  if (found !== undefined) return found
  const made = makeReader(shape)
  readerByShape.set(shape, made)
  return made
}

function makeReader(shape: Shape): Read | null {
  switch (shape.kind) {
    case 'nullable':
      return readerOf(shape.inner)
    case 'number':
      return integerOf
    case 'choice':
      return shape.values.every((value) => typeof value === 'number') ? integerOf : null
    case 'text':
      return shape.isDecimal ? decimalOf : null
    case 'list': {
      const read = readerOf(shape.element)
      return read && ((value) => (Array.isArray(value) ? listRead(value, read) : value))
    }
    case 'object':
      return objectReader(shape.fields)
    default:
      return null
  }
}

function objectReader(fields: readonly Field[]): Read | null {
  const reads = fields.flatMap(({ name, shape }) => {
    const read = readerOf(shape)
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
