import type { z } from 'zod'
import type { Names, Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'

/**
 * The value of each field of a schema. A function without the parameter `item` gives one value to all items of a kind.
 * `undefined` omits an optional field of all items of a kind; a value of an item that is an object or null is always one of both.
 */
export type FieldValues<Schema extends z.ZodObject, Kind, Item> = {
  readonly [Name in keyof Schema['shape']]: (
    kind: Kind,
    item: Item,
  ) => z.input<Schema['shape'][Name]> & (Scalar | Readonly<Record<string, Scalar>>)
}
type Scalar = string | number | boolean | null | undefined
type Value<Kind, Item> = (kind: Kind, item: Item) => unknown
export type ObjectWriter<Kind, Item> = (kind: Kind, item: Item) => string

/**
 * Writes objects as JSON text, with the fields in the order of the schema. `camel` has the names of spelling `camel`. The
 * text that all items of a kind share is written once: an object for `JSON.stringify` would cost more than the matching
 * of an order. The texts of items are not escaped.
 */
export function objectWriters<Schema extends z.ZodObject, Kind extends object, Item>(
  { shape }: Schema,
  camel: Names,
  values: FieldValues<Schema, Kind, Item>,
): Record<Spelling, ObjectWriter<Kind, Item>> {
  const fields = fieldsOf(shape, values)
  return { spec: objectWriter(fields, {}), camel: objectWriter(fields, camel) }
}

/** Makes the same objects without text, in the names of the specification. */
export function objectMaker<Schema extends z.ZodObject, Kind extends object, Item>(
  { shape }: Schema,
  values: FieldValues<Schema, Kind, Item>,
): (kind: Kind, item: Item) => z.input<Schema> {
  const fields = fieldsOf<Kind, Item>(shape, values)
  const templates = new WeakMap<Kind, Template<Kind, Item>>()
  return (kind, item) => {
    let template = templates.get(kind)
    if (template === undefined) templates.set(kind, (template = templateOf(fields, kind, item)))
    const made = { ...template.shared }
    for (const { name, value } of template.own) made[name] = value(kind, item)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the values are those of the schema, by their type
    return made as z.input<Schema>
  }
}

/** `own`: the fields that differ between items of a kind. */
type Template<Kind, Item> = { shared: Record<string, unknown>; own: readonly Field<Kind, Item>[] }

function templateOf<Kind, Item>(
  fields: readonly Field<Kind, Item>[],
  kind: Kind,
  item: Item,
): Template<Kind, Item> {
  const found = fields.filter(({ value }) => value(kind, item) !== undefined)
  return {
    shared: Object.fromEntries(found.map(({ name, value }) => [name, value(kind, item)])),
    own: found.filter(({ value }) => value.length >= 2),
  }
}

type Field<Kind, Item> = { name: string; value: Value<Kind, Item> }

function fieldsOf<Kind, Item>(shape: object, values: object): Field<Kind, Item>[] {
  const valueOf = new Map<string, Value<Kind, Item>>(Object.entries(values))
  return Object.keys(shape).map((name) => ({ name, value: valueOf.get(name) ?? (() => undefined) }))
}

function objectWriter<Kind extends object, Item>(
  fields: readonly Field<Kind, Item>[],
  names: Names,
): ObjectWriter<Kind, Item> {
  const frames = new WeakMap<Kind, Frame<Kind, Item>>()
  return (kind, item) => {
    let frame = frames.get(kind)
    if (frame === undefined) frames.set(kind, (frame = frameOf(fields, names, kind, item)))
    let text = frame.begin
    for (const { value, behind } of frame.parts) {
      // oxlint-disable-next-line typescript/restrict-plus-operands
      text += value(kind, item)
      text += behind
    }
    return text
  }
}

/** `behind` a value of an item: the text up to the next value of an item. */
type Frame<Kind, Item> = { begin: string; parts: { value: Value<Kind, Item>; behind: string }[] }

function frameOf<Kind, Item>(
  fields: readonly Field<Kind, Item>[],
  names: Names,
  kind: Kind,
  item: Item,
): Frame<Kind, Item> {
  const texts = ['{']
  const parts: Value<Kind, Item>[] = []
  const add = (text: string) => (texts[parts.length] = (texts[parts.length] ?? '') + text)
  for (const { name, value } of fields) {
    const found = value(kind, item)
    if (found === undefined) continue
    add(`${texts.at(-1) === '{' ? '' : ','}"${names[name] ?? name}":`)
    if (value.length < 2) {
      add(JSON.stringify(found))
      continue
    }
    const quote = typeof found === 'string' ? '"' : ''
    add(quote)
    parts.push(typeof found === 'object' ? (kind, item) => JSON.stringify(value(kind, item)) : value)
    add(quote)
  }
  add('}')
  return {
    begin: texts[0] ?? '',
    parts: parts.map((value, place) => ({ value, behind: texts[place + 1] ?? '' })),
  }
}
