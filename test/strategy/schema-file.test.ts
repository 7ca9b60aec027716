import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { strategyJsonSchema } from '#src/strategy/schema/json-schema.ts'
import { loopedMarkets } from '#test/engine/support/looped-markets.ts'
import { gridWith, strategyFiles } from './strategy-files.ts'

const path = fileURLToPath(new URL('../../config/strategy.schema.json', import.meta.url))
const stored: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'))

test('config/strategy.schema.json is current: rungs check --schema writes it', () => {
  expect(stored).toEqual(JSON.parse(JSON.stringify(strategyJsonSchema())))
})

// An editor reads numbers and booleans where this program reads text, so this test converts the file like an editor.
const editor = z.fromJSONSchema(stored)

test.each(strategyFiles)('an editor with this schema finds no mistake in $name', ({ text }) => {
  expect(editor.safeParse(parse(text)).error?.issues).toBeUndefined()
  expect(text).toContain('# yaml-language-server: $schema=../config/strategy.schema.json\n')
})

test.each([
  ['an unknown key', 'resting:', 'restign:'],
  ['a quantity without its unit', '2100 quote', '2100'],
  ['a choice that is none', 'side: both', 'side: all'],
])('an editor with this schema finds %s', (_, from, to) => {
  expect(editor.safeParse(parse(gridWith([from, to]))).success).toBe(false)
})

// The validator above checks `required` only beside its properties, so these are checked here.
test('every section is required, unless the file extends another one or has its markets in loops', () => {
  expect(stored['anyOf']).toEqual([
    { required: ['version', 'name', 'markets', 'ladder', 'rules', 'risk'] },
    { required: ['version', 'name', 'ladder', 'rules', 'risk', 'for_each'] },
    { required: ['version', 'name', 'extends'] },
  ])
  expect(editor.safeParse(parse(loopedMarkets('BTC_PERP, ETH_PERP', 2))).success).toBe(true)
  const text = gridWith(['name: sgrid', 'name: sgrid\nextends: house.yaml']).replace(/^risk:[^]*/m, '')
  expect(editor.safeParse(parse(text)).success).toBe(true)
})
