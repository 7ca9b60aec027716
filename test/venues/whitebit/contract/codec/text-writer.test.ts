import { expect, test } from 'vitest'
import { z } from 'zod'
import { objectWriters } from '#src/venues/whitebit/contract/codec/text-writer.ts'

const schema = z.object({
  name: z.string().optional(),
  some_size: z.string(),
  count: z.number(),
  isOpen: z.boolean(),
  note: z.string().optional(),
})
type Kind = { name: string | undefined; isOpen: boolean; hasNote: boolean }
let calls = 0
const write = objectWriters<typeof schema, Kind, { size: string; count: number }>(
  schema,
  { some_size: 'someSize' },
  {
    isOpen: ({ isOpen }) => {
      calls += 1
      return isOpen
    },
    count: (_, { count }) => count,
    note: ({ hasNote }, { size }) => (hasNote ? `${size}!` : undefined),
    some_size: (_, { size }) => size,
    name: ({ name }) => name,
  },
)
const named = { name: 'a "b"', isOpen: true, hasNote: true }

test('the fields of an object are in the order of the schema', () => {
  expect(write.spec(named, { size: '1', count: 2.5 })).toBe(
    JSON.stringify({ name: 'a "b"', some_size: '1', count: 2.5, isOpen: true, note: '1!' }),
  )
})

test('a value that is undefined omits its field, the first one too', () => {
  const kind = { name: undefined, isOpen: false, hasNote: false }
  expect(write.spec(kind, { size: '1', count: 2 })).toBe('{"some_size":"1","count":2,"isOpen":false}')
})

test('spelling camel has other names', () => {
  expect(write.camel(named, { size: '1', count: 2 })).toContain(',"someSize":"1",')
})

test('a value that depends on the kind alone is read once for each kind', () => {
  const kind = { ...named }
  calls = 0
  const texts = [1, 2, 3].map((count) => write.spec(kind, { size: `${count}`, count }))
  expect(texts.map((text) => JSON.parse(text).count)).toEqual([1, 2, 3])
  expect(calls).toBe(1)
})
