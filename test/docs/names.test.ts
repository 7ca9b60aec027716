import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { conditionTypes, defaultEvents } from '#src/operate/alerts/alert.ts'
import { families } from '#src/operate/metrics/metric-families.ts'
import { documentsText, root, userDocuments } from './documents.ts'

const namesLike = (pattern: RegExp): string[] => [
  ...new Set([...documentsText.matchAll(pattern)].map(([, name = '']) => name)),
]

test('every metric that a document names exists', () => {
  const named = namesLike(/`(rungs_\w+)`/g)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !Object.hasOwn(families, name))).toEqual([])
})

function variablesIn(pattern: string): Set<string> {
  const texts = globSync(pattern, { cwd: root }).map((path) => readFileSync(`${root}${path}`, 'utf8'))
  return new Set(texts.join('\n').match(/\bRUNGS_[A-Z_]+\b/g))
}

test('every environment variable that a document names is read by the program or its tests, and the other way round', () => {
  const [read, readInTests] = [variablesIn('src/**/*.{ts,mjs}'), variablesIn('test/**/*.ts')]
  const named = namesLike(/`(RUNGS_[A-Z_]+)(?:=[^`]*)?`/g)
  const ofProgram = named.filter((name) => read.has(name) || !readInTests.has(name))
  expect(ofProgram.toSorted()).toEqual([...read].toSorted())
})

test('operations lists every alert that is sent by default', () => {
  const { text = '' } = userDocuments.find(({ path }) => path === 'docs/operations.md') ?? {}
  const [, section = ''] = text.split('\n## Alerts\n')
  const [alerts = ''] = section.split('\n## ')
  const missing = [...defaultEvents, ...conditionTypes].filter((name) => !alerts.includes(`\`${name}\``))
  expect(missing).toEqual([])
})
