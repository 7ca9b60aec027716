import { expect, test } from 'vitest'
import { z } from 'zod'
import { shapeOf } from '#src/venues/whitebit/contract/codec/shape.ts'
import { decimalIn } from '#src/venues/whitebit/contract/fields.ts'

const text = { kind: 'text', pattern: undefined, least: 0, most: Infinity, isDecimal: false }
const number = { kind: 'number', isWhole: false, least: -Infinity, most: Infinity }
const yesOrNo = { kind: 'choice', values: [true, false] }

test.each<[string, z.ZodType, object]>([
  ['text', z.string(), text],
  ['text with a pattern', z.string().regex(/^a/), { ...text, pattern: /^a/ }],
  ['text with limits', z.string().min(2).min(1).max(9).max(10), { ...text, least: 2, most: 9 }],
  ['a number', z.number(), number],
  ['a whole number', z.int(), { ...number, isWhole: true }],
  ['a number with limits', z.number().min(2).min(1).max(9).max(10), { ...number, least: 2, most: 9 }],
  ['yes or no', z.boolean(), yesOrNo],
  ['one of several texts', z.enum(['a', 'b']), { kind: 'choice', values: ['a', 'b'] }],
  ['a constant', z.literal(7), { kind: 'choice', values: [7] }],
  ['what may be null', z.string().nullable(), { kind: 'nullable', inner: text }],
  ['a list', z.string().array(), { kind: 'list', element: text, least: 0, most: Infinity }],
  [
    'a list with limits',
    z.string().array().min(2).max(3),
    { kind: 'list', element: text, least: 2, most: 3 },
  ],
  ['a tuple', z.tuple([z.string(), z.number()]), { kind: 'tuple', items: [text, number] }],
  [
    'a record',
    z.record(z.string(), z.number()),
    { kind: 'record', name: text, element: number, orList: false },
  ],
  [
    'an object',
    z.object({ a: z.string(), b: z.boolean().optional() }),
    {
      kind: 'object',
      isStrict: false,
      fields: [
        { name: 'a', isOptional: false, shape: text },
        { name: 'b', isOptional: true, shape: yesOrNo },
      ],
    },
  ],
  [
    'an object without other fields',
    z.strictObject({ a: z.string() }),
    { kind: 'object', isStrict: true, fields: [{ name: 'a', isOptional: false, shape: text }] },
  ],
  ['a decimal', decimalIn, { kind: 'text', isDecimal: true }],
])('%s is described', (_name, schema, shape) => {
  expect(shapeOf(schema)).toMatchObject(shape)
})

test.each<[string, z.ZodType]>([
  ['text made of anything', z.coerce.string()],
  ['text that is changed', z.string().trim()],
  ['text with two patterns', z.string().regex(/a/).regex(/b/)],
  ['a pattern that remembers a place, global', z.string().regex(/a/g)],
  ['a pattern that remembers a place, sticky', z.string().regex(/a/y)],
  ['text with a check of its own', z.string().refine((text) => text !== 'a')],
  ['a number made of anything', z.coerce.number()],
  ['a number above another', z.number().gt(1)],
  ['a number below another', z.number().lt(1)],
  ['a multiple', z.number().multipleOf(2)],
  ['a number of 32 bits', z.int32()],
  [
    'a list with a check of its own',
    z
      .string()
      .array()
      .refine((list) => list.length > 1),
  ],
  ['yes or no with a check', z.boolean().refine((yes) => yes)],
  ['an object with a check', z.object({ a: z.string() }).refine(({ a }) => a !== '')],
  ['an object with other fields of a kind', z.object({ a: z.string() }).catchall(z.number())],
  ['an object that keeps other fields', z.looseObject({ a: z.string() })],
  ['a record of a few names', z.record(z.enum(['a', 'b']), z.number())],
  ['a tuple with any number of items', z.tuple([z.string()], z.number())],
  ['a tuple that may be shorter', z.tuple([z.string(), z.number().optional()])],
  ['a tuple with an item that is filled in', z.tuple([z.string(), z.number().default(1)])],
  ['a codec that it does not know', z.codec(z.string(), z.number(), { decode: Number, encode: String })],
  ['one of several kinds', z.union([z.string(), z.number()])],
])('%s is left to zod', (_name, schema) => {
  expect(shapeOf(schema)).toEqual({ kind: 'other', schema })
})

test('an optional field with a check of its own is left to zod, and is not optional here', () => {
  const field = z
    .string()
    .optional()
    .refine((text) => text !== 'a')
  expect(shapeOf(z.object({ a: field }))).toMatchObject({
    fields: [{ name: 'a', isOptional: false, shape: { kind: 'other' } }],
  })
})
