import { valueAt } from '#src/core/objects/objects.ts'
import { exampleAt } from '#src/core/yaml/schema-keys.ts'
import { narrowed } from '#src/core/yaml/schema-mistakes.ts'
import { strategySchema, type Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { namedSections } from './base-files.ts'
import type { KeyPath } from './strategy-fault.ts'
import { withDefaults } from './with-defaults.ts'

type Issue = Parameters<typeof narrowed>[0]

/** An example can contradict other values: then the next round replaces what is around it. */
const roundsMax = 5

/**
 * A file with mistakes of form as a strategy: without its unknown keys, and with examples in place of missing and wrong
 * values. `places` are the places of the examples and of the unknown keys. Undefined if there is no example.
 */
export function withExamples(raw: unknown): { strategy: Strategy; places: KeyPath[] } | undefined {
  const file: unknown = structuredClone(raw)
  const places: KeyPath[] = []
  for (let round = 0; round < roundsMax; round++) {
    const { data, error } = strategySchema.safeParse(file)
    if (data) return { strategy: withDefaults(data), places }
    const before = new Set(places.map((place) => JSON.stringify(place)))
    for (const issue of error.issues.flatMap(narrowed)) {
      let { path } = issue
      while (before.has(JSON.stringify(path))) path = path.slice(0, -1)
      const replaced = replace(file, { ...issue, path })
      if (!replaced) return undefined
      places.push(...replaced)
    }
  }
  return undefined
}

function replace(file: unknown, issue: Issue): KeyPath[] | undefined {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    const parent = valueAt(file, path)
    for (const key of issue.keys) Reflect.deleteProperty(Object(parent), key)
    return issue.keys.map((key) => [...path, key])
  }
  const key = path.at(-1)
  const parent = valueAt(file, path.slice(0, -1))
  if (key === undefined || typeof parent !== 'object' || parent === null) return undefined
  const isSection = path.length === 1 && namedSections.has(String(key))
  // Names of an example would be taken for names of the file.
  const example = isSection ? {} : exampleAt(strategySchema, path, file)
  if (example !== undefined && issue.code !== 'invalid_key')
    Reflect.set(parent, key, structuredClone(example))
  else if (!Array.isArray(parent)) Reflect.deleteProperty(parent, key)
  else return undefined
  return [path]
}
