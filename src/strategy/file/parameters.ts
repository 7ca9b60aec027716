import { isMap, isScalar, visit, type Document, type Scalar } from 'yaml'
import { z } from 'zod'
import type { Mistake } from '#src/core/yaml/mistake.ts'
import { keyOffset } from '#src/core/yaml/schema-mistakes.ts'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { examineYaml } from '#src/core/yaml/yaml-text.ts'
import { parametersSchema, type Parameter } from '#src/strategy/schema/parameter-schema.ts'

export type NamedParameter = Parameter & {
  name: string
  /** Whether a value of the file refers to it. */
  isUsed: boolean
}

type Substituted = { document: Document; parameters: NamedParameter[]; mistakes: Mistake[] }

const section = 'parameters'
const schema = z.looseObject({ [section]: parametersSchema })
/** Keys that are read before parameters have values, or that name the strategy in its orders. */
const fixed = new Set(['version', 'name', section])
const reference = /\$([a-z][a-z0-9_]*)/g

/**
 * Writes the default of each parameter where values refer to it, and removes the section. A document without the section stays as
 * it is, and a `$` in it has no meaning. Variables of loops stay.
 */
export function withParameters(source: Document, variables: ReadonlySet<string>): Substituted {
  if (!isMap(source.contents) || !source.has(section))
    return { document: source, parameters: [], mistakes: [] }
  const { read } = examineYaml(source, schema)
  if ('mistakes' in read) return { document: source, parameters: [], mistakes: read.mistakes }
  const known = new Map(Object.entries(read.value[section]))
  const used = new Set<string>()
  const mistakes: Mistake[] = []
  for (const name of known.keys()) if (variables.has(name)) mistakes.push(taken(source, name))
  const document = source.clone()
  document.delete(section)
  visit(document, {
    Pair: (_, { key }, path) =>
      path.length === 2 && isScalar(key) && fixed.has(String(key.value)) ? visit.SKIP : undefined,
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string') return
      node.value = node.value.replaceAll(reference, (whole, name: string, at: number) => {
        if (variables.has(name)) return whole
        const parameter = known.get(name)
        used.add(name)
        if (!parameter) mistakes.push(unknown(node, { name, at }, [...known.keys()]))
        return parameter?.default ?? whole
      })
    },
  })
  const parameters = [...known].map(([name, each]) => {
    return { name, default: each.default, values: each.values, isUsed: used.has(name) }
  })
  return { document, parameters, mistakes }
}

function taken(source: Document, name: string): Mistake {
  const text = `the name "${name}" is already used: it is a variable of for_each`
  return { offset: keyOffset(source, [section, name]), text, hint: 'use another name' }
}

function unknown(
  { range, type }: Scalar,
  { name, at }: { name: string; at: number },
  known: string[],
): Mistake {
  return {
    offset: (range?.[0] ?? 0) + (type?.startsWith('QUOTE') === true ? 1 : 0) + at,
    text: `there is no parameter "${name}"`,
    hint: hintOf(name, known) ?? `add ${name} to parameters, or use one of ${known.join(', ')}`,
  }
}
