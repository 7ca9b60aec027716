import { z } from 'zod'
import { shapeOf, type Field, type Shape } from './shape.ts'
import { signedPattern } from '#src/core/money/decimal-text.ts'
import { isRecord } from '#src/core/objects/objects.ts'

/** An element of an answer that does not fit. */
export type Unread = {
  /** Where it stands, and the field of it that does not fit. */
  path: Path
  /** The whole element, in the names of the specification. */
  value: unknown
}
type Path = readonly (string | number)[]
const here: Path = []

export const unfit = Symbol('does not fit')

/**
 * Reads parsed JSON by a schema. The result is the value itself if it holds the fields of the schema and no others, in
 * their order; otherwise a copy without unknown fields, with a number in the form of the schema where it came in the other
 * one. `needed` names the fields that a caller reads, at whatever depth: any other field is left out if it does not fit, and
 * an element without a needed field becomes `unread`. Without `needed`, the whole value has to fit.
 */
export type ValueReader = (
  value: unknown,
) => { value: unknown; unread: readonly Unread[] } | { misfit: Misfit }
/** The first field that does not fit, and what it holds. */
export type Misfit = { path: Path; seen: unknown }

export function valueReader(schema: z.core.$ZodType, needed?: readonly string[]): ValueReader {
  const read = readerOf(shapeOf(schema), needed && new Set(needed))
  return (value) => {
    const notes: Notes = { misfit: here, seen: false, unread: [] }
    const found = read(value, notes)
    const { unread } = notes
    if (found === unfit) return misfitIn(value, notes.misfit)
    // Without a single needed field it is another answer, such as a refusal.
    const [first] = unread
    return first && !notes.seen ? misfitIn(value, first.path) : { value: found, unread }
  }
}

function misfitIn(value: unknown, path: Path): { misfit: Misfit } {
  const seen = path.reduce<unknown>((around, step) => {
    return typeof around === 'object' && around !== null && Object.hasOwn(around, step)
      ? Reflect.get(around, step)
      : undefined
  }, value)
  return { misfit: { path, seen } }
}

const readers = new WeakMap<z.core.$ZodType, Read>()

/** Whether a value holds what the schema demands and nothing else, in its order. "No" means only "not sure". */
export function fitsExactly(schema: z.core.$ZodType, value: unknown): boolean {
  let read = readers.get(schema)
  if (read === undefined) readers.set(schema, (read = readerOf(shapeOf(schema), undefined)))
  return read(value, { misfit: here, seen: false, unread: [] }) === value
}

type Needed = ReadonlySet<string> | undefined
type Notes = {
  /** The field that did not fit. */
  misfit: Path
  /** Whether any element has a needed field. */
  seen: boolean
  unread: Unread[]
}
type Read = (value: unknown, notes: Notes) => unknown

/** Reads an element or a field. Adds the step to the paths of everything in it that does not fit. */
function inside(read: Read, value: unknown, step: string | number, notes: Notes): unknown {
  const { length } = notes.unread
  notes.misfit = here
  const found = read(value, notes)
  if (found === unfit) notes.misfit = [step, ...notes.misfit]
  if (notes.unread.length > length)
    for (const unread of notes.unread.slice(length)) unread.path = [step, ...unread.path]
  return found
}

/** With needed fields, an element that does not fit is left out and noted. */
function isLeftOut(needed: Needed, value: unknown, notes: Notes): boolean {
  if (needed === undefined) return false
  notes.unread.push({ path: notes.misfit, value })
  return true
}

function readerOf(shape: Shape, needed: Needed): Read {
  switch (shape.kind) {
    case 'text':
      return textReader(shape)
    case 'number': {
      const { isWhole, least, most } = shape
      const isNumber = isWhole ? Number.isSafeInteger : Number.isFinite
      return (value) => {
        const number = typeof value === 'string' && signedPattern.test(value) ? Number(value) : value
        return isNumber(number) && Number(number) >= least && Number(number) <= most ? number : unfit
      }
    }
    case 'choice': {
      const { values } = shape
      return (value) => (values.includes(value) ? value : unfit)
    }
    case 'nullable': {
      const read = readerOf(shape.inner, needed)
      return (value, notes) => (value === null ? null : read(value, notes))
    }
    case 'list':
      return listReader(shape, needed)
    case 'tuple':
      return tupleReader(shape.items)
    case 'record':
      return recordReader(shape, needed)
    case 'either': {
      const [list, other] = [readerOf(shape.list, needed), readerOf(shape.other, needed)]
      return (value, notes) => (Array.isArray(value) ? list : other)(value, notes)
    }
    case 'object':
      return objectReader(shape, needed)
    case 'other':
      return (value) => {
        const parsed = z.safeParse(shape.schema, value)
        return parsed.success ? parsed.data : unfit
      }
  }
}

type Text = Extract<Shape, { kind: 'text' }>

export function textFits({ pattern, least, most }: Text): (text: string) => boolean {
  return (text) =>
    text.length >= least && text.length <= most && (pattern === undefined || pattern.test(text))
}

function textReader(shape: Text): Read {
  const fits = textFits(shape)
  // The same few texts come again and again: a market, an amount, a fee of 0.
  let last: unknown
  return (value) => {
    if (value === last && last !== undefined) return value
    const text = shape.isNumeric && typeof value === 'number' ? exactText(value) : value
    if (typeof text !== 'string' || !fits(text)) return unfit
    last = text
    return text
  }
}

/** A number of at most 15 digits is exact in JSON. With more digits, the number may not be the one that was sent. */
function exactText(value: number): string | undefined {
  const text = String(value)
  return text.replace(/^-?0?\.?0*/, '').replace('.', '').length <= 15 ? text : undefined
}

function listReader({ element, least, most }: Extract<Shape, { kind: 'list' }>, needed: Needed): Read {
  const read = readerOf(element, needed)
  return (value, notes) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) return unfit
    return readItems(value, () => read, needed, notes)
  }
}

function tupleReader(shapes: readonly Shape[]): Read {
  const reads = shapes.map((shape) => readerOf(shape, undefined))
  return (value, notes) => {
    if (!Array.isArray(value) || value.length !== reads.length) return unfit
    return readItems(value, (index) => reads[index]!, undefined, notes)
  }
}

function readItems(
  value: readonly unknown[],
  readAt: (index: number) => Read,
  needed: Needed,
  notes: Notes,
): unknown {
  // A copy, from the first item on that is another one.
  let items: unknown[] | undefined
  for (let index = 0; index < value.length; index++) {
    const item = inside(readAt(index), value[index], index, notes)
    if (item === unfit && !isLeftOut(needed, value[index], notes)) return unfit
    if (item !== value[index]) items ??= value.slice(0, index)
    if (item !== unfit) items?.push(item)
  }
  return items ?? value
}

function recordReader({ name, element, orList }: Extract<Shape, { kind: 'record' }>, needed: Needed): Read {
  const [readName, read] = [readerOf(name, undefined), readerOf(element, needed)]
  return (value, notes) => {
    if (orList && Array.isArray(value) && value.length === 0) return {}
    if (!isRecord(value) || Object.hasOwn(value, '__proto__')) return unfit
    let isSame = isPlain(value)
    const entries: [string, unknown][] = []
    for (const [key, each] of Object.entries(value)) {
      let item = inside(read, each, key, notes)
      if (item !== unfit && readName(key, notes) === unfit) {
        notes.misfit = [key]
        item = unfit
      }
      if (item !== unfit) entries.push([key, item])
      else if (!isLeftOut(needed, each, notes)) return unfit
      isSame &&= item === each
    }
    return isSame ? value : Object.fromEntries(entries)
  }
}

type FieldReader = { name: string; isNeeded: boolean; isOpen: boolean; read: Read }

function objectReader({ fields, isStrict }: Extract<Shape, { kind: 'object' }>, needed: Needed): Read {
  const readers = fields.map((field) => fieldReader(field, needed))
  return (value, notes) => {
    if (!isRecord(value)) return unfit
    const { length } = notes.unread
    if (isExact(readers, value, notes)) {
      notes.seen = true
      return value
    }
    notes.unread.length = length
    return readFields(readers, value, notes, isStrict)
  }
}

function fieldReader({ name, isOptional, shape }: Field, needed: Needed): FieldReader {
  const isNeeded = needed === undefined || needed.has(name)
  // A field that the caller does not need is kept only if all of it fits.
  return {
    name,
    isNeeded,
    isOpen: isOptional || !isNeeded,
    read: readerOf(shape, isNeeded ? needed : undefined),
  }
}

/**
 * The names of the value are walked beside those of the schema, which is cheaper than to look each one up. An unknown name,
 * one in another place, and one that may be inherited, are left to `readFields`.
 */
function isExact(readers: readonly FieldReader[], value: Record<string, unknown>, notes: Notes): boolean {
  if (!isPlain(value)) return false
  let place = 0
  for (const name in value) {
    let field = readers[place++]
    while (field?.isOpen && field.name !== name) field = readers[place++]
    if (field?.name !== name || field.read(value[name], notes) !== value[name]) return false
  }
  while (readers[place]?.isOpen) place += 1
  return place >= readers.length
}

function readFields(
  readers: readonly FieldReader[],
  value: Record<string, unknown>,
  notes: Notes,
  isStrict: boolean,
): unknown {
  const copy: Record<string, unknown> = {}
  let misfit: Path | undefined
  for (const { name, isNeeded, isOpen, read } of readers) {
    if (!Object.hasOwn(value, name) || value[name] === undefined) {
      if (!isOpen) misfit ??= [name]
      continue
    }
    const found = inside(read, value[name], name, notes)
    if (found !== unfit) {
      copy[name] = found
      notes.seen ||= isNeeded
    } else if (isNeeded) misfit ??= notes.misfit
  }
  if (isStrict) {
    const foreign = Object.keys(value).find((name) => !readers.some((field) => field.name === name))
    if (foreign !== undefined) misfit ??= [foreign]
  }
  notes.misfit = misfit ?? here
  return misfit === undefined ? copy : unfit
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}
