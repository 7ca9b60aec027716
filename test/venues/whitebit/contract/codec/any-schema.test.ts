import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { textReader } from '#src/venues/whitebit/contract/codec/text-reader.ts'
import { fitsExactly, valueReader } from '#src/venues/whitebit/contract/codec/value-reader.ts'
import { noNames } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { runs } from '#test/properties/runs.ts'

/** A schema, and values that fit it. */
type Sample = { schema: z.ZodType; values: fc.Arbitrary<unknown> }

const plainText = fc.stringMatching(/^[ -!#-[\]-~é]*$/)
const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.constant({ schema: z.string(), values: plainText }),
  fc.constant({ schema: z.string().min(1).max(3), values: fc.stringMatching(/^[a-z]{1,3}$/) }),
  fc.constant({ schema: z.string().regex(/^\d+$/), values: fc.stringMatching(/^\d{1,20}$/) }),
  fc.constant({ schema: z.int(), values: fc.integer({ min: -(10 ** 14), max: 10 ** 14 }) }),
  fc.constant({
    schema: z.number().min(-5).max(5),
    values: fc.integer({ min: -500, max: 500 }).map((cents) => cents / 100),
  }),
  fc.constant({ schema: z.boolean(), values: fc.boolean() }),
  fc.constant({ schema: z.enum(['buy', 'sell', 'a.b']), values: fc.constantFrom('buy', 'sell', 'a.b') }),
  fc.constant({ schema: z.literal(7), values: fc.constant(7) }),
)
const sample = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('sample').map(({ schema, values }) => ({
      schema: schema.nullable(),
      values: fc.option(values),
    })),
    fc
      .tuple(tie('sample'), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 2, max: 4 }))
      .map(([{ schema, values }, least, most]) => ({
        schema: schema.array().min(least).max(most),
        values: fc.array(values, { minLength: least, maxLength: most }),
      })),
    fc.array(fc.tuple(tie('sample'), fc.boolean()), { minLength: 1, maxLength: 4 }).map(objectOf),
  ),
})).sample

function objectOf(parts: [Sample, boolean][]): Sample {
  const named = parts.map(([part, isOptional], index) => ({ name: `f${index}`, isOptional, ...part }))
  const field = ({ schema, isOptional }: (typeof named)[number]) => (isOptional ? schema.optional() : schema)
  return {
    schema: z.object(Object.fromEntries(named.map((part) => [part.name, field(part)]))),
    values: fc.record(Object.fromEntries(named.map(({ name, values }) => [name, values])), {
      requiredKeys: named.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
      noNullPrototype: true,
    }),
  }
}

/** As JSON.parse makes them: the fields in the order of the schema. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, each]) => [name, ordered(each)]),
  )
}

const fitting = sample.chain(({ schema, values }) =>
  fc.record({
    schema: fc.constant(schema),
    list: fc.array(values.map(ordered), { minLength: 1, maxLength: 4 }),
  }),
)

test('whatever fits a schema is read from its text, and from its value without a copy', () => {
  fc.assert(
    fc.property(fitting, ({ schema, list }) => {
      // One reader for all of them: it keeps parts of the value before.
      const read = textReader(schema, noNames)
      const readValue = valueReader(schema)
      for (const value of list) {
        const text = JSON.stringify(value)
        expect(read(text)).toStrictEqual(value)
        const found = readValue(value)
        expect('value' in found && found.value).toBe(value)
        expect(fitsExactly(schema, value)).toBe(true)
      }
    }),
    runs(800, 40_000),
  )
})

test('what is given back belongs to the caller: changing it changes nothing that is read later', () => {
  const read = textReader(z.object({ a: z.string(), b: z.int() }), noNames)
  for (let round = 0; round < 3; round++) {
    const found = read('{"a":"x","b":1}')
    expect(found).toStrictEqual({ a: 'x', b: 1 })
    Object.assign(Object(found), { a: 'changed', b: 99 })
  }
})

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, '', 'a', 'abcd', '12', 0, -6, 6, 1.5, 2 ** 53, 7, true, [], {}, 'sell'),
  fc.jsonValue({ maxDepth: 2 }),
)

test('any other text and value is read as zod reads it, or left to zod', () => {
  const property = fc.property(fitting, anything, fc.nat(), ({ schema, list: [value] }, other, at) => {
    const read = textReader(schema, noNames)
    const text = JSON.stringify(replaced(value, at, other))
    // JSON writes -0 as 0.
    const changed: unknown = JSON.parse(text)
    const { success, data } = schema.safeParse(changed)
    const told = valueReader(schema)(changed)
    if (success) expect(told).toEqual({ value: data, unread: [] })
    // A number is read in both forms, and given back in the form of the schema.
    else if ('value' in told) expect(schema.safeParse(told.value).success).toBe(true)
    const found = read(text)
    if (found !== undefined) expect({ success, found }).toStrictEqual({ success: true, found: data })
  })
  fc.assert(property, runs(800, 40_000))
})

/** The value with another one at its place number `at`, counted in depth first order. */
function replaced(value: unknown, at: number, other: unknown): unknown {
  let count = 0
  const total = sizeOf(value)
  const walk = (each: unknown): unknown => {
    if (count++ === at % total) return other
    if (Array.isArray(each)) return each.map(walk)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, walk(inner)]))
  }
  return walk(value)
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 1)
}
