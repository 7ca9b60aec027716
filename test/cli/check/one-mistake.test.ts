import { parseDocument, visit, type Document, type Pair } from 'yaml'
import { expect, test } from 'vitest'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import { checkStrategy, faultsOfParts } from '#src/runtime/compose/strategy-check.ts'
import type { Problem } from '#src/strategy/file/base-files.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { times } from '#test/properties/runs.ts'
import { strategyFiles } from '#test/strategy/strategy-files.ts'

const rules = rulesOfWorld(packagedWorld, 'full')

function problemsIn(text: string) {
  const read = readStrategy(new TextEncoder().encode(text), undefined, (strategy, programs) =>
    faultsOfParts(strategy, programs, rules),
  )
  return Array.isArray(read) ? read : checkStrategy(read, rules).problems
}

function pairsIn(document: Document): Pair[] {
  const pairs: Pair[] = []
  visit(document, { Pair: (_, pair) => void pairs.push(pair) })
  return pairs
}

/** With a mean of 48 candles: each test of a strategy computes three times as many. */
const text = (strategyFiles.find(({ name }) => name.startsWith('07'))?.text ?? '')
  .replace('sma(b, 480)', 'sma(b, 48)')
  .replace('candles: 480', 'candles: 48')
  .replace('0.003077', '0.003055')
const document = parseDocument(text, { schema: 'failsafe' })
const pairs = pairsIn(document)

/** Of so many keys, `npm test` changes one to each value: other values change the keys between them. */
const share = times(1, 1, 12)

/** The problems of the file with another value in turn at each of its keys. */
function problemsWith(value: unknown, first = 0): { key: string; found: Problem[] }[] {
  expect(pairs.length).toBeGreaterThan(100)
  const chosen = pairs.filter((_, index) => (index + first) % share === 0)
  return chosen.map((pair) => {
    const { value: before } = pair
    pair.value = document.createNode(value)
    const changed = document.toString().replace(nothing, '')
    pair.value = before
    return { key: String(pair.key), found: problemsIn(changed) }
  })
}

/** The library cannot write a key without a value. */
const nothing = 'nothing'

test('the file itself has no mistake', () => {
  expect(problemsIn(document.toString())).toEqual([])
})

test.each([
  ['a text without meaning', '?!', 0],
  ['a list', ['?!'], 1],
  ['an empty text', '', 2],
  ['an empty list', [], 3],
  ['nothing', nothing, 4],
])('each value of a file is at most one mistake, with a fix, if it is %s', (_, value, first) => {
  // A name of a test can be any text.
  const wrong = problemsWith(value, first).filter(
    ({ found }) => found.length > 1 || found.some(({ hint }) => hint === ''),
  )
  expect(wrong).toEqual([])
})

test('an empty mapping can lack several keys, and each mistake has a fix', () => {
  expect(problemsWith({}).filter(({ found }) => found.some(({ hint }) => hint === ''))).toEqual([])
})

test.each([
  ['empty', '', 'nothing'],
  ['a list', '- version: 1\n', 'a list'],
  ['one value', 'version 1\n', 'one value'],
])('a file that is %s is one mistake with a fix', (_, content, kind) => {
  expect(problemsIn(content)).toEqual([
    {
      line: 1,
      column: 1,
      message: `the file must be a mapping, not ${kind}`,
      hint: 'start the file with version: 1',
    },
  ])
})

test('a list without a value is named as what it is', () => {
  expect(problemsIn(text.replace(/do: \[.*\]/, 'do:'))).toMatchObject([
    { message: expect.stringMatching(/\.do: must be a list, not nothing$/) },
  ])
})
