import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { BotError } from '#src/core/errors/bot-error.ts'
import { parseYaml, readYaml, yamlBytesMax } from '#src/core/yaml/yaml-file.ts'

const ladder = z.strictObject({
  name: z.string(),
  amount: z.string().regex(/^\d+(\.\d+)?$/, 'write plain digits'),
  side: z.enum(['buy', 'sell']).default('buy'),
  rungs: z
    .array(z.strictObject({ price: z.string(), postOnly: z.enum(['true', 'false']).optional() }))
    .default([]),
  accounts: z.record(z.string(), z.strictObject({ alias: z.string() })).optional(),
})

function complaint(text: string, options = {}): string {
  try {
    parseYaml(text, 'ladder.yaml', ladder, options)
  } catch (error) {
    if (error instanceof BotError && error.code === 'FILE_INVALID') return error.seen
    throw error
  }
  throw new Error('the text was accepted')
}

test('a scalar keeps the exact text of the file, so that no amount passes through a float', () => {
  expect(parseYaml('name: yes\namount: 0.10000000000000000000000001\n', 'ladder.yaml', ladder)).toMatchObject(
    {
      name: 'yes',
      amount: '0.10000000000000000000000001',
    },
  )
})

test('all mistakes are reported at once, each with line, column and a caret', () => {
  const seen = complaint('amuont: 1\nside: byu\nrungs:\n  - price: 5\n    postonly: true\n  - {}\n')
  expect(seen.split('\n')).toEqual([
    '5 mistakes in ladder.yaml',
    'ladder.yaml:1:1 unknown key "amuont", did you mean "amount"?',
    '  1 | amuont: 1',
    '      ^',
    'ladder.yaml:1:1 the key "name" is missing',
    '  1 | amuont: 1',
    '      ^',
    'ladder.yaml:2:7 side: must be one of buy, sell, did you mean "buy"?',
    '  2 | side: byu',
    '            ^',
    'ladder.yaml:5:5 unknown key "postonly", did you mean "postOnly"?',
    '  5 |     postonly: true',
    '          ^',
    'ladder.yaml:6:5 the key "price" is missing in rungs.1',
    '  6 |   - {}',
    '          ^',
  ])
})

test('an unknown key inside a record also gets its suggestion', () => {
  expect(complaint('name: a\namount: 1\naccounts:\n  desk:\n    alais: x\n')).toContain(
    'ladder.yaml:5:5 unknown key "alais", did you mean "alias"?',
  )
})

test('a value of the wrong kind is reported with the expected kind', () => {
  expect(complaint('name: [1]\namount: one\nrungs: none\n')).toMatch(
    /1:7 name: must be one value, not a list[\s\S]*2:9 amount: write plain digits[\s\S]*3:8 rungs: must be a list/,
  )
})

test.each([
  ['a key that stands twice', 'name: a\nname: b\n', '2:1 the key "name" occurs twice in this mapping'],
  ['an alias', 'name: &a x\namount: *a\n', '2:9 aliases are not allowed'],
  ['an anchor', 'name: &a x\namount: 1\n', '1:10 anchors are not allowed'],
  ['a tag', 'name: !!binary x\n', '1:7 Unresolved tag'],
  ['a second document', 'name: a\n---\nname: b\n', 'multiple documents'],
  ['a key that is a list', '? [1]\n: 2\n', 'keys must be strings'],
  ['a key that reaches the prototype', '__proto__: {a: b}\n', '1:1 this key is not allowed'],
  ['an open quote', 'name: "x\n', 'Missing closing "quote'],
  ['nesting without end', `name: ${'['.repeat(17)}${']'.repeat(17)}\n`, 'nested deeper than 16 levels'],
  [
    'a bomb of brackets',
    '['.repeat(100_000),
    '1 mistake in ladder.yaml\nladder.yaml:1:17 nested deeper than 16 levels',
  ],
  ['a bomb of keys', '? '.repeat(50_000), 'nested deeper than 16 levels'],
  ['an empty file', '', '1:1 the file must be a mapping'],
])('%s is a mistake with a place', (_, text, expected) => {
  expect(complaint(text)).toContain(expected)
})

test('mistakes of a confidential file state their places and quote no line', () => {
  const seen = complaint('name: [hunter2]\namount: hunter2\n', { confidential: true })
  expect(seen).toContain('ladder.yaml:2:9 amount')
  expect(seen).not.toContain('hunter2')
})

test('mistakes beyond the maximum are only counted', () => {
  const seen = complaint(Array.from({ length: 40 }, (_, index) => `key${index}: 1\n`).join(''))
  expect(seen).toContain('42 mistakes')
  expect(seen.endsWith('and 22 more')).toBe(true)
})

test('a missing file, a folder and an oversized file are refused before parsing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rungs-yaml-'))
  try {
    expect(() => readYaml(join(folder, 'none.yaml'), ladder)).toThrow(/none\.yaml \(ENOENT\)/)
    expect(() => readYaml(folder, ladder)).toThrow(/is not a file/)
    writeFileSync(join(folder, 'large.yaml'), '#'.repeat(yamlBytesMax + 1))
    expect(() => readYaml(join(folder, 'large.yaml'), ladder)).toThrow(/has 131073 bytes, more than 131072/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
