import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml'
import type { z } from 'zod'
import { mistakesMax, type Mistake } from './mistake.ts'
import { mistakesOfSchema, respell } from './schema-mistakes.ts'

const depthMax = 16
const tooDeep = `nested deeper than ${depthMax} levels`
/** A lookup in a mapping compares all of its keys, so a file with thousands of keys would block the process. */
const keysMax = 500
/** Messages of the library quote the file, so they are cut. */
const messageLettersMax = 200
/** By the codes of the library. */
const fixes: ReadonlyMap<string, string> = new Map([
  ['BLOCK_AS_IMPLICIT_KEY', 'put a value with ": " in it in quotes, such as an expression a ? b : c'],
  ['BAD_SCALAR_START', 'put the value in quotes'],
  ['TAB_AS_INDENT', 'indent with spaces'],
  ['MULTIPLE_DOCS', 'remove --- and what follows it'],
  ['RESOURCE_EXHAUSTION', 'check the brackets'],
  ['TAG_RESOLVE_FAILED', 'put a value that starts with ! in quotes'],
])
/** These keys would change the prototype of the objects that the values are copied to. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** The content of a document: its value, or all of its mistakes. */
export type Examined<Value> = {
  /** The unvalidated content: texts, lists, mappings. */
  raw: unknown
  read: { value: Value } | { mistakes: Mistake[] }
}

/**
 * Parses a YAML text. Every scalar stays text (failsafe schema), so no amount ever passes through a float: schemas
 * convert the texts. A text with mistakes is not YAML of ours, and must not be read further.
 */
export function parseYamlDocument(text: string): {
  document: Document
  lines: LineCounter
  mistakes: Mistake[]
} {
  const lines = new LineCounter()
  const document: Document = parseDocument(text, {
    schema: 'failsafe',
    lineCounter: lines,
    merge: false,
    prettyErrors: false,
    resolveKnownTags: false,
    stringKeys: true,
    // The library compares each key with all others; `oddNodes` finds duplicates in one pass.
    uniqueKeys: false,
  })
  const odd = oddNodes(document)
  const broken = [...document.errors, ...document.warnings].map(({ code, pos: [offset], message }) => ({
    offset,
    text: code === 'RESOURCE_EXHAUSTION' ? tooDeep : message.slice(0, messageLettersMax),
    hint: fixes.get(code) ?? 'check the quotes, the brackets and the indentation here and in the line before',
  }))
  if (broken.length === 0) return { document, lines, mistakes: odd }
  // Unlimited nesting repeats every other mistake on each of its levels.
  const deep = [...odd, ...broken].find(({ text }) => text === tooDeep)
  return { document, lines, mistakes: deep ? [deep] : broken }
}

const nowhere: ReadonlyMap<string, string> = new Map()

/**
 * Validates a document with a schema. A misspelled key gets its right name in the document, so that the mistakes in its
 * value are found, too. A union can then mean another branch, so the depth of the file limits the rounds.
 */
export function examineYaml<Schema extends z.ZodType>(
  document: Document,
  schema: Schema,
  elsewhere = nowhere,
  rounds = depthMax,
): Examined<z.output<Schema>> {
  const raw: unknown = document.toJS({ maxAliasCount: 0 })
  const result = schema.safeParse(raw)
  if (result.success) return { raw, read: { value: result.data } }
  const file = { document, schema, content: raw, elsewhere }
  const misspelled = rounds > 0 ? respell(result.error, file) : []
  if (misspelled.length === 0) return { raw, read: { mistakes: mistakesOfSchema(result.error, file) } }
  const again = examineYaml(document, schema, elsewhere, rounds - 1)
  const others = 'mistakes' in again.read ? again.read.mistakes : []
  return { raw: again.raw, read: { mistakes: [...misspelled, ...others].slice(0, mistakesMax) } }
}

/**
 * YAML features that these files must not use: anchors, aliases, tags, keys that change prototypes, and unlimited
 * nesting.
 */
function oddNodes(document: Document): Mistake[] {
  const mistakes: Mistake[] = []
  walk(document.contents, 0)
  return mistakes

  function walk(node: unknown, depth: number): void {
    if (isAlias(node)) found(node, 'aliases are not allowed', 'write the value')
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return
    if (node.anchor !== undefined)
      found(node, 'anchors are not allowed', 'write the value where it is needed')
    if (isScalar(node)) return
    if (depth === depthMax) return found(node, tooDeep, 'check the brackets')
    if (isSeq(node)) return node.items.forEach((item) => walk(item, depth + 1))
    if (node.items.length > keysMax)
      return found(
        node,
        `this mapping has ${node.items.length} keys, more than ${keysMax}`,
        'check that it is the right file',
      )
    const keys = new Set<string>()
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : ''
      if (isScalar(key) && forbiddenKeys.has(name)) found(key, 'this key is not allowed', 'use another name')
      if (isScalar(key) && keys.has(name))
        found(key, `the key "${name}" occurs twice in this mapping`, 'keep one of them')
      keys.add(name)
      walk(key, depth + 1)
      walk(value, depth + 1)
    }
  }

  function found(node: Node, text: string, hint: string): void {
    if (mistakes.length < mistakesMax) mistakes.push({ offset: node.range?.[0] ?? 0, text, hint })
  }
}
