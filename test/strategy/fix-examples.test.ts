import { expect, test } from 'vitest'
import { z } from 'zod'
import { exampleAt } from '#src/core/yaml/schema-keys.ts'
import { strategySchema } from '#src/strategy/schema/strategy-schema.ts'

type Place = { path: string; schema: z.ZodType }

/** Every place of a strategy, with its outermost schema: the schema inside of an optional one has the same place. */
function placesIn(path: string, schema: unknown, seen = new Set<unknown>()): Place[] {
  if (!(schema instanceof z.ZodType) || seen.has(schema)) return []
  seen.add(schema)
  const deeper = inside(schema).flatMap(([key, inner]) => {
    const places = placesIn(path + key, inner, seen)
    return key === '' ? places.slice(1) : places
  })
  return [{ path, schema }, ...deeper]
}

function inside(schema: z.ZodType): (readonly [string, unknown])[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).map(([key, inner]) => [`.${key}`, inner])
  if (schema instanceof z.ZodUnion) return schema.options.map((inner) => ['', inner])
  if (schema instanceof z.ZodArray) return [['[]', schema.element]]
  if (schema instanceof z.ZodTuple) return schema.def.items.map((inner) => ['[]', inner])
  if (schema instanceof z.ZodRecord) return [['.*', schema.valueType]]
  if (schema instanceof z.ZodPipe) return [['', schema.in]]
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodLazy
  )
    return [['', schema.unwrap()]]
  return []
}

const places = placesIn('strategy', strategySchema)

test('the example of a fix is valid at its place', () => {
  const examples = places.map(({ path, schema }) => ({
    path,
    schema,
    example: exampleAt(schema, [], undefined),
  }))
  expect(examples.filter(({ example }) => example !== undefined).length).toBeGreaterThan(100)
  const wrong = examples.filter(
    ({ schema, example }) => example !== undefined && !schema.safeParse(example).success,
  )
  expect(wrong.map(({ path, example }) => [path, example])).toEqual([])
})

test('every key that a file must have has an example', () => {
  const without = places
    .filter(({ schema }) => !schema.isOptional() && exampleAt(schema, [], undefined) === undefined)
    .map(({ path }) => path)
  expect(without).toEqual([])
})

test('every value that a message tells to write is valid at its place', () => {
  const wrong = places.flatMap(({ path, schema }) => {
    const [, fix = ''] = schema.safeParse('\u0000').error?.issues[0]?.message.split('\n') ?? []
    const [, values] = /^write it like ([^:]+)(?:: .*)?$/.exec(fix) ?? []
    return (values ?? '')
      .split(/, (?=\d)| or /)
      .filter((value) => value !== '' && !schema.safeParse(value).success)
      .map((value) => [path, value])
  })
  expect(wrong).toEqual([])
})
