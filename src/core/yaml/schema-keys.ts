import { z } from 'zod'

/** The keys that a schema allows at a place of a file; for a union, those of all branches that the content can mean. */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[], content: unknown): string[] {
  const value = path.reduce((place: unknown, key) => Object(place)[key], content)
  const keys = schemasAt(schema, path, content)
    .flatMap((place) => branches(place, value))
    .flatMap((place) => (place instanceof z.ZodObject ? Object.keys(place.shape) : []))
  return [...new Set(keys)]
}

/** The schemas of a place of a file. With the content of the file, only those of the kind that the file names. */
function schemasAt(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
  content?: unknown,
): z.core.$ZodType[] {
  const [key, ...rest] = path
  if (key === undefined) return [schema]
  const next: unknown = Object(content)[key]
  return inside(schema, key, content).flatMap((place) => schemasAt(place, rest, next))
}

/**
 * An example of the value at a place of a file, in the notation of the file: for a mapping, the keys that it must have.
 * Undefined if the schema gives no example.
 */
export function exampleAt(schema: z.core.$ZodType, path: readonly PropertyKey[], content: unknown): unknown {
  return schemasAt(schema, path, content)
    .map(exampleOf)
    .find((example) => example !== undefined)
}

function exampleOf(schema: z.core.$ZodType): unknown {
  const own = z.globalRegistry.get(schema)?.['examples']
  if (Array.isArray(own)) return own[0]
  if (schema instanceof z.ZodUnion) {
    const [first] = schema.options
    return first && exampleOf(first)
  }
  const inner = unwrapped(schema)
  if (inner) return exampleOf(inner)
  if (schema instanceof z.ZodLiteral) return [...schema.values][0]
  if (schema instanceof z.ZodEnum) return schema.options[0]
  if (schema instanceof z.ZodArray) return allKnown([exampleOf(schema.element)])
  if (schema instanceof z.ZodTuple) return allKnown(schema.def.items.map(exampleOf))
  if (schema instanceof z.ZodRecord) {
    const [key, value] = [exampleOf(schema.keyType), exampleOf(schema.valueType)]
    return typeof key === 'string' && value !== undefined ? { [key]: value } : undefined
  }
  if (!(schema instanceof z.ZodObject)) return undefined
  const needed = Object.entries(schema.shape).filter(
    ([, each]) => !(each instanceof z.ZodType && each.isOptional()),
  )
  const values = allKnown(needed.map(([, each]) => exampleOf(each)))
  return values && Object.fromEntries(needed.map(([key], index) => [key, values[index]]))
}

function allKnown(values: readonly unknown[]): readonly unknown[] | undefined {
  return values.includes(undefined) ? undefined : values
}

function inside(schema: z.core.$ZodType, key: PropertyKey, content?: unknown): z.core.$ZodType[] {
  return branches(schema, content).flatMap((place) => {
    if (place instanceof z.ZodObject) return Object.hasOwn(place.shape, key) ? [place.shape[String(key)]] : []
    if (place instanceof z.ZodArray) return [place.element]
    if (place instanceof z.ZodTuple) return place.def.items
    return place instanceof z.ZodRecord ? [place.valueType] : []
  })
}

/** The schemas inside optional, default, transform and union; of a union by kind, the one that the content names, if any. */
function branches(schema: z.core.$ZodType, content?: unknown): z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) {
    const kind = schema instanceof z.ZodDiscriminatedUnion ? schema.def.discriminator : ''
    const named: unknown = Object(content)[kind]
    const ofKind = schema.options.filter((option) => isOfKind(option, kind, named))
    return (ofKind.length > 0 ? ofKind : schema.options).flatMap((option) => branches(option, content))
  }
  const inner = unwrapped(schema)
  return inner ? branches(inner, content) : [schema]
}

/** One level at a time, because each level can have its own example. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in
  if (
    schema instanceof z.ZodLazy ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return schema.unwrap()
  return undefined
}

function isOfKind(option: z.core.$ZodType, key: string, kind: unknown): boolean {
  const own: unknown = option instanceof z.ZodObject ? option.shape[key] : undefined
  return own instanceof z.ZodLiteral && [...own.values].some((each) => each === kind)
}
