import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { mirrorLabel, partLabel } from '#src/strategy/schema/exit-labels.ts'
import { exitSchema, wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import { ladderSchema } from '#src/strategy/schema/ladder-schema.ts'
import { riskSchema } from '#src/strategy/schema/risk-schema.ts'
import { userDocuments } from './documents.ts'

const reference = 'docs/strategy-reference.md'
const labels = [...Object.values(wholeLabels), partLabel(0), mirrorLabel('b1')]
const { anyOf } = z
  .object({
    anyOf: z.tuple([
      z.object({ enum: z.array(z.string()) }),
      z.object({ properties: z.record(z.string(), z.unknown()) }),
    ]),
  })
  .parse(z.toJSONSchema(ladderSchema.shape.size.shape.shape, { io: 'input' }))
const shapes = [...anyOf[0].enum, ...Object.keys(anyOf[1].properties)]

describe('a word of strategy files has a row in each table that a reader looks it up in', () => {
  test.each([
    ['label of an exit', labels, 'docs/operations.md', 'Why'],
    ['label of an exit', labels, reference, 'Ids of orders'],
    ['key of exit', Object.keys(exitSchema.shape), reference, 'Exits'],
    ['key of risk', Object.keys(riskSchema.shape), reference, 'Limits: risk'],
    [
      'spacing',
      ladderSchema.shape.spacing.options.map(({ shape }) => shape.kind.value),
      reference,
      'Ladders',
    ],
    ['shape', shapes, reference, 'Prices and sizes of rungs'],
  ])('%s', (_, words, path, heading) => {
    const firsts = rowsOf(path, heading).map(([first]) => first)
    const rows = wordsOf(firsts.join(' '))
    expect(words.filter((word) => !rows.has(word))).toEqual([])
  })
})

test('the row of the key shape names each shape', () => {
  const [, text] = rowsOf(reference, 'Ladders').find(([first]) => first === '`shape`') ?? []
  const named = wordsOf(text)
  expect(shapes.filter((shape) => !named.has(shape))).toEqual([])
})

/** The first two columns of the tables of a section. */
function rowsOf(path: string, heading: string): [first: string, second: string][] {
  const [, behind = ''] =
    userDocuments.find((each) => each.path === path)?.text.split(`\n## ${heading}\n`) ?? []
  const [section = ''] = behind.split('\n## ')
  return [...section.matchAll(/^\| (.*?) \| (.*?) \|/gm)].map(([, first = '', second = '']) => [
    first,
    second,
  ])
}

/** The words in quotes, without their values: `linear` of `linear: [1, 3]`. */
function wordsOf(text = ''): Set<string> {
  return new Set([...text.matchAll(/`(\w+)/g)].map(([, word = '']) => word))
}
