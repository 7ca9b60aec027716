import { parseDocument, visit, type Document, type Pair } from 'yaml'
import { expect, test } from 'vitest'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import { checkStrategy, faultsOfParts } from '#src/runtime/compose/strategy-check.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
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

const { text = '' } = strategyFiles.find(({ name }) => name.startsWith('07')) ?? {}
const read = () => parseDocument(text, { schema: 'failsafe' })

test.each([
  ['a text without meaning', '?!'],
  ['a list', ['?!']],
])('each value of a file is at most one mistake, with a fix, if it is %s', (_, value) => {
  const count = pairsIn(read()).length
  expect(count).toBeGreaterThan(100)
  const wrong: unknown[] = []
  for (let index = 0; index < count; index++) {
    const document = read()
    const pair = pairsIn(document)[index]
    if (!pair) continue
    pair.value = document.createNode(value)
    const problems = problemsIn(document.toString())
    // A name of a test can be any text.
    if (problems.length <= 1 && problems.every(({ hint }) => hint !== '')) continue
    wrong.push([String(pair.key), problems.map(({ message, hint }) => [message, hint])])
  }
  expect(wrong).toEqual([])
})
