import { z } from 'zod'
import { shapeOf, type Field, type Shape } from './shape.ts'
import { isRecord } from '#src/core/objects/objects.ts'

/** An element of an answer that does not fit. */
export type Unread = {
  /** Where it stands, and the field of it that does not fit. */
  path: Path
  /** The whole element, in the names of the specification. */
  value: unknown
}
type Path = readonly (string | number)[]

export const unfit = Symbol('does not fit')

/**
 * Reads parsed JSON by a schema. The result is the value itself if it holds the fields of the schema and no others, in
 * their order; otherwise a copy without unknown fields. `needed` names the fields that a caller reads, at whatever depth:
 * any other field is left out if it does not fit, and an element without a needed field becomes `unread`. Without `needed`,
 * a value that does not fit as a whole is `undefined`.
 */
export type ValueReader = (value: unknown) => { value: unknown; unread: readonly Unread[] } | undefined

export function valueReader(schema: z.core.$ZodType, needed?: readonly string[]): ValueReader {
  const shape = shapeOf(schema)
  if (needed === undefined) {
    const read = readerOf(shape, undefined)
    return (value) => {
      const found = read(value, { misfit: [], seen: false, unread: [] })
      return found === unfit ? undefined : { value: found, unread: none }
    }
  }
  const read = listReader(shape, new Set(needed))
  return (value) => {
    const notes: Notes = { misfit: [], seen: false, unread: [] }
    const found = read(value, notes)
    const { unread } = notes
    // Without a single needed field it is another answer, such as a refusal.
    return found === unfit || (unread.length > 0 && !notes.seen) ? undefined : { value: found, unread }
  }
}

const none: readonly Unread[] = []

const readers = new WeakMap<z.core.$ZodType, Read>()

/** Whether a value holds what the schema demands and nothing else, in its order. "No" means only "not sure". */
export function fitsExactly(schema: z.core.$ZodType, value: unknown): boolean {
  let read = readers.get(schema)
  if (read === undefined) readers.set(schema, (read = readerOf(shapeOf(schema), undefined)))
  return read(value, { misfit: [], seen: false, unread: [] }) === value
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

/** Lists, and records of lists or elements: an element that does not fit is left out and noted. */
function listReader(shape: Shape, needed: Needed): Read {
  if (shape.kind === 'list') {
    const read = listReader(shape.element, needed)
    return (value, notes) => {
      if (!Array.isArray(value)) return note(notes, value)
      const elements = value.map((each, index) => inside(notes, index, () => read(each, notes)))
      return sameItems(elements, value) ? value : elements.filter((each) => each !== unfit)
    }
  }
  if (shape.kind === 'record') {
    const [readName, read] = [readerOf(shape.name, undefined), listReader(shape.element, needed)]
    return (value, notes) => {
      if (shape.orList && Array.isArray(value) && value.length === 0) return {}
      if (!isRecord(value)) return note(notes, value)
      const entries = Object.entries(value).map(([name, each]): [string, unknown] => [
        name,
        inside(notes, name, () => (readName(name, notes) === unfit ? note(notes, each) : read(each, notes))),
      ])
      return Object.fromEntries(entries.filter(([, each]) => each !== unfit))
    }
  }
  const read = readerOf(shape, needed)
  return (value, notes) => {
    notes.misfit = []
    const found = read(value, notes)
    return found === unfit ? note(notes, value) : found
  }
}

function note(notes: Notes, value: unknown): typeof unfit {
  notes.unread.push({ path: notes.misfit, value })
  notes.misfit = []
  return unfit
}

/** What is noted in there stands behind this step. */
function inside(notes: Notes, step: string | number, read: () => unknown): unknown {
  const { length } = notes.unread
  const found = read()
  for (const unread of notes.unread.slice(length)) unread.path = [step, ...unread.path]
  return found
}

function readerOf(shape: Shape, needed: Needed): Read {
  switch (shape.kind) {
    case 'text':
      return textReader(shape)
    case 'number': {
      const { isWhole, least, most } = shape
      const isNumber = isWhole ? Number.isSafeInteger : Number.isFinite
      return (value) => (isNumber(value) && Number(value) >= least && Number(value) <= most ? value : unfit)
    }
    case 'choice': {
      const { values } = shape
      return (value) => (values.includes(value) ? value : unfit)
    }
    case 'nullable': {
      const read = readerOf(shape.inner, needed)
      return (value, notes) => (value === null ? null : read(value, notes))
    }
    case 'list': {
      const [items, { least, most }] = [itemsReader(shape.element), shape]
      return (value, notes) =>
        Array.isArray(value) && value.length >= least && value.length <= most ? items(value, notes) : unfit
    }
    case 'tuple':
      return tupleReader(shape.items)
    case 'record':
      return recordReader(shape)
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
    if (typeof value !== 'string' || !fits(value)) return unfit
    last = value
    return value
  }
}

function itemsReader(element: Shape): (value: readonly unknown[], notes: Notes) => unknown {
  const read = readerOf(element, undefined)
  return (value, notes) => {
    const items: unknown[] = []
    for (const each of value) {
      const item = read(each, notes)
      if (item === unfit) return unfit
      items.push(item)
    }
    return sameItems(items, value) ? value : items
  }
}

function tupleReader(shapes: readonly Shape[]): Read {
  const reads = shapes.map((shape) => readerOf(shape, undefined))
  return (value, notes) => {
    if (!Array.isArray(value) || value.length !== reads.length) return unfit
    const items = reads.map((read, index) => read(value[index], notes))
    if (items.includes(unfit)) return unfit
    return sameItems(items, value) ? value : items
  }
}

function recordReader({ name, element, orList }: Extract<Shape, { kind: 'record' }>): Read {
  const [readName, read] = [readerOf(name, undefined), readerOf(element, undefined)]
  return (value, notes) => {
    if (orList && Array.isArray(value) && value.length === 0) return {}
    if (!isRecord(value) || Object.hasOwn(value, '__proto__')) return unfit
    let isSame = isPlain(value)
    const entries: [string, unknown][] = []
    for (const [key, each] of Object.entries(value)) {
      const item = read(each, notes)
      if (item === unfit || readName(key, notes) === unfit) return unfit
      entries.push([key, item])
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
    if (isExact(readers, value, notes)) {
      notes.seen = true
      return value
    }
    return readFields(readers, value, notes, isStrict)
  }
}

function fieldReader({ name, isOptional, shape }: Field, needed: Needed): FieldReader {
  const isNeeded = needed === undefined || needed.has(name)
  return { name, isNeeded, isOpen: isOptional || !isNeeded, read: readerOf(shape, needed) }
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
    notes.misfit = []
    const found = read(value[name], notes)
    if (found !== unfit) {
      copy[name] = found
      notes.seen ||= isNeeded
    } else if (isNeeded) misfit ??= [name, ...notes.misfit]
  }
  notes.misfit = misfit ?? []
  const isForeign =
    isStrict && Object.keys(value).some((name) => !readers.some((field) => field.name === name))
  return misfit !== undefined || isForeign ? unfit : copy
}

function sameItems(items: readonly unknown[], value: readonly unknown[]): boolean {
  return items.every((item, index) => item === value[index])
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}
