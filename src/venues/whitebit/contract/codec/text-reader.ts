import type { z } from 'zod'
import type { Names } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { shapeOf, type Field, type Shape } from './shape.ts'
import { textFits, unfit } from './value-reader.ts'

/**
 * Reads JSON text by a schema without an intermediate value: no spaces, no escapes, the fields in the order of the schema. For
 * any other text the result is `undefined`, and JSON.parse with the value reader decides.
 */
export type TextReader = (text: string) => unknown
type Cursor = { readonly text: string; at: number }
/** Moves the cursor behind the value. */
type Scan = (cursor: Cursor) => unknown

export function textReader(schema: z.core.$ZodType, names: Names): TextReader {
  const scan = scanOf(shapeOf(schema), names)
  return (text) => {
    const cursor = { text, at: 0 }
    const value = scan(cursor)
    return value === unfit || cursor.at !== text.length ? undefined : value
  }
}

function scanOf(shape: Shape, names: Names): Scan {
  if (shape.kind === 'list') return listScan(shape, names)
  if (shape.kind === 'object') {
    const [flat, whole] = [flatScan(shape.fields, names), objectScan(shape.fields, names)]
    return (cursor) => flat?.(cursor) ?? whole(cursor)
  }
  if (shape.kind === 'nullable') {
    const scan = scanOf(shape.inner, names)
    return (cursor) => {
      if (!cursor.text.startsWith('null', cursor.at)) return scan(cursor)
      cursor.at += 'null'.length
      return null
    }
  }
  const leaf = leafOf({ name: '', isOptional: false, shape })
  if (leaf === undefined) return () => unfit
  const pattern = new RegExp(leaf.pattern, 'y')
  return (cursor) => {
    const text = next(pattern, cursor)?.[1]
    return text === undefined ? unfit : leaf.read(text)
  }
}

function next(pattern: RegExp, cursor: Cursor): RegExpExecArray | null {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)
  if (found) cursor.at = pattern.lastIndex
  return found
}

const comma = 0x2c
const [listBegin, listEnd, objectBegin, objectEnd] = [0x5b, 0x5d, 0x7b, 0x7d]

function listScan({ element, least, most }: Extract<Shape, { kind: 'list' }>, names: Names): Scan {
  const scan = scanOf(element, names)
  return (cursor) => {
    const { text } = cursor
    if (text.charCodeAt(cursor.at++) !== listBegin) return unfit
    const items: unknown[] = []
    let end = text.charCodeAt(cursor.at) === listEnd ? text.charCodeAt(cursor.at++) : comma
    while (end === comma) {
      const item = scan(cursor)
      if (item === unfit) return unfit
      items.push(item)
      end = text.charCodeAt(cursor.at++)
    }
    return end === listEnd && items.length >= least && items.length <= most ? items : unfit
  }
}

function objectScan(fields: readonly Field[], names: Names): Scan {
  const scans = fields.map((field) => ({
    name: field.name,
    key: keyOf(field, names),
    isOptional: field.isOptional,
    scan: scanOf(field.shape, names),
  }))
  return (cursor) => {
    const { text } = cursor
    if (text.charCodeAt(cursor.at++) !== objectBegin) return unfit
    const found: Record<string, unknown> = {}
    let end = text.charCodeAt(cursor.at) === objectEnd ? text.charCodeAt(cursor.at++) : comma
    for (const { name, key, isOptional, scan } of scans) {
      if (end === comma && text.startsWith(key, cursor.at)) {
        cursor.at += key.length
        const value = scan(cursor)
        if (value === unfit) return unfit
        found[name] = value
        end = text.charCodeAt(cursor.at++)
      } else if (!isOptional) return unfit
    }
    return end === objectEnd ? found : unfit
  }
}

function keyOf({ name }: Field, names: Names): string {
  return `"${names[name] ?? name}":`
}

/**
 * An object of texts, numbers and choices only, its first field always there: one pattern for all of it takes a third of the
 * time of a scan field by field. Optional fields of other kinds must be absent; if one is there, the result is undefined.
 */
function flatScan(all: readonly Field[], names: Names): Scan | undefined {
  const [first] = all
  const fields = all.flatMap((field) => {
    const leaf = leafOf(field)
    return leaf || !field.isOptional ? [{ field, leaf }] : []
  })
  const leaves = fields.flatMap(({ leaf }) => leaf ?? [])
  if (first === undefined || first.isOptional || leaves.length < fields.length) return undefined
  const parts = fields.map(({ field, leaf }, place) => {
    const part = `${place === 0 ? '' : ','}${keyOf(field, names)}${leaf?.pattern}`
    return field.isOptional ? `(?:${part})?` : part
  })
  const pattern = new RegExp(String.raw`\{${parts.join('')}\}`, 'y')
  // Objects of a list are much alike: a copy of the last kind needs only the values that differ.
  let kept: Kept = { texts: [], value: {} }
  return (cursor) => {
    const texts = next(pattern, cursor)
    if (texts === null) return undefined
    const found = changed(kept, leaves, texts)
    if (found !== undefined) return found
    const read = leaves.map(({ name, read }, place) => {
      const text = texts[place + 1]
      return [name, text === undefined ? undefined : read(text)] as const
    })
    if (read.some(([, value]) => value === unfit)) return unfit
    // Parsed JSON is laid out as one piece; an object that grew field by field takes twice as long to copy.
    kept = { texts, value: JSON.parse(JSON.stringify(Object.fromEntries(read))) }
    return { ...kept.value }
  }
}

type Kept = { texts: readonly (string | undefined)[]; value: Record<string, unknown> }

/** A copy with the values that differ, or nothing where other fields are there. */
function changed(kept: Kept, leaves: readonly Leaf[], texts: readonly (string | undefined)[]): unknown {
  if (kept.texts.length === 0) return undefined
  const value = { ...kept.value }
  // Groups of a pattern are counted from 1.
  let place = 0
  for (const { name, read } of leaves) {
    place += 1
    const text = texts[place]
    if (text === kept.texts[place]) continue
    if (text === undefined || kept.texts[place] === undefined) return undefined
    const found = read(text)
    if (found === unfit) return unfit
    value[name] = found
  }
  return value
}

type Leaf = { name: string; pattern: string; read: (text: string) => unknown }

function leafOf({ name, shape }: Field): Leaf | undefined {
  if (shape.kind === 'text') {
    const fits = textFits(shape)
    return {
      name,
      pattern: String.raw`"([^"\\\u0000-\u001f]*)"`,
      read: (text) => (fits(text) ? text : unfit),
    }
  }
  if (shape.kind === 'number') {
    const { isWhole, least, most } = shape
    const fraction = isWhole ? '' : String.raw`(?:\.\d{1,15})?`
    return {
      name,
      // Fifteen digits are exact in every number of JavaScript.
      pattern: String.raw`(-?(?:0|[1-9]\d{0,14})${fraction})`,
      read: (text) => {
        const value = Number(text)
        return value >= least && value <= most ? value : unfit
      },
    }
  }
  if (shape.kind !== 'choice') return undefined
  const values = new Map(shape.values.map((value) => [JSON.stringify(value), value]))
  const pattern = `(${[...values.keys()].map((text) => RegExp.escape(text)).join('|')})`
  return { name, pattern, read: (text) => values.get(text) }
}
