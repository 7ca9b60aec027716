import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { indicators } from '#src/market/indicators/indicator-table.ts'
import { functions } from '#src/strategy/expressions/functions.ts'
import { usage } from '#src/strategy/expressions/language.ts'
import { seriesFunctions } from '#src/strategy/expressions/series-functions.ts'
import { capabilities, strategySchema } from '#src/strategy/schema/strategy-schema.ts'

const reference = readFileSync(new URL('../../docs/strategy-reference.md', import.meta.url), 'utf8')
const quoted = new Set(
  [...reference.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => text.match(/\w+/g) ?? []),
)

/** Every key and every word that a file may contain. */
function wordsIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(wordsIn)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'properties' && typeof value === 'object' && value !== null)
      return Object.keys(value).concat(wordsIn(Object.values(value)))
    if (key === 'enum' && Array.isArray(value)) return value.map(String)
    return key === 'const' ? [String(value)] : wordsIn(value)
  })
}

test('the reference of the language contains every key and word of strategy files', () => {
  const words = wordsIn(z.toJSONSchema(strategySchema, { io: 'input' }))
  expect(words.length).toBeGreaterThan(100)
  const names = [
    ...Object.keys(functions).map((signature) => signature.replace(/\(.*/, '')),
    ...Object.keys(indicators),
    ...Object.keys(seriesFunctions),
  ]
  const intervals = /^\d+[mhdw]$/
  const missing = [...words, ...names, ...capabilities].filter(
    (word) => !quoted.has(word) && !intervals.test(word) && word !== '$schema',
  )
  expect([...new Set(missing)]).toEqual([])
})

test('the reference contains no key or word that the language lacks', () => {
  // An example defines a function of its own.
  const defined = [...reference.matchAll(/`(\w+)\([^)`]*\): /g)].map(([, name = '']) => name)
  for (const [, call = ''] of reference.matchAll(/`(\w+)\(/g))
    expect([...usage.keys(), ...defined]).toContain(call)
})
