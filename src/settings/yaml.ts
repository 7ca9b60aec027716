import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml'
import type { z } from 'zod'
import { BotError } from '#src/errors/bot-error.ts'
import { mistakesOfSchema } from './schema-mistakes.ts'
import { describeMistakes, type Mistake } from './mistake.ts'

/** A file larger than this is not ours; parsing time grows with the size, so it is looked at first. */
export const yamlBytesMax = 128 * 1024
const depthMax = 16
/** They would reach into the objects that the values are copied to. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

export type YamlOptions = {
  /** The file may hold a secret: mistakes name their place but never show the line. */
  confidential?: boolean
}

/** Reads a YAML file and checks it, or names every mistake in it at once. */
export function readYaml<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  options: YamlOptions = {},
): z.output<Schema> {
  return parseYaml(textOf(path), path, schema, options)
}

/**
 * The value of a YAML text. Every scalar arrives as the text that stands in the file (failsafe schema), so no
 * amount ever passes through a float: schemas take strings and turn them into what they mean.
 */
export function parseYaml<Schema extends z.ZodType>(
  text: string,
  name: string,
  schema: Schema,
  options: YamlOptions = {},
): z.output<Schema> {
  const lines = new LineCounter()
  const complain = (mistakes: readonly Mistake[]) =>
    new BotError('FILE_INVALID', {
      seen: describeMistakes(name, mistakes, lines, options.confidential === true ? undefined : text),
    })
  const document = parseDocument(text, {
    schema: 'failsafe',
    lineCounter: lines,
    merge: false,
    prettyErrors: false,
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys: true,
  })
  const broken = [...document.errors, ...document.warnings].map((error) => ({
    offset: error.pos[0],
    text: error.message,
  }))
  if (broken.length > 0) throw complain(broken)
  const odd = oddNodes(document)
  if (odd.length > 0) throw complain(odd)
  const result = schema.safeParse(document.toJS({ maxAliasCount: 0 }))
  if (!result.success) throw complain(mistakesOfSchema(result.error, schema, document))
  return result.data
}

/** Opened once and measured through the same handle, so that the file cannot be another one in between. */
function textOf(path: string): string {
  try {
    const handle = openSync(path, 'r')
    try {
      const file = fstatSync(handle)
      if (!file.isFile()) throw new BotError('FILE_UNREADABLE', { seen: `${path} is not a file` })
      if (file.size > yamlBytesMax) {
        throw new BotError('FILE_INVALID', {
          seen: `${path} has ${file.size} bytes, more than ${yamlBytesMax}`,
          fix: 'Split it, or check that it is the file you meant',
        })
      }
      return readFileSync(handle, 'utf8')
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (error instanceof BotError) throw error
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new BotError('FILE_UNREADABLE', { seen: `${path}${reason}`, cause: error })
  }
}

/** What YAML allows and we do not: anchors, aliases, tags, keys that reach prototypes, and bottomless nesting. */
function oddNodes(document: Document): Mistake[] {
  const mistakes: Mistake[] = []
  walk(document.contents, 0)
  return mistakes

  function walk(node: unknown, depth: number): void {
    if (isAlias(node)) found(node, 'aliases are not allowed, write the value out')
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return
    if (node.anchor !== undefined)
      found(node, 'anchors are not allowed, write the value out where it is needed')
    if (isScalar(node)) return
    if (depth === depthMax) return found(node, `nested deeper than ${depthMax} levels`)
    if (isSeq(node)) return node.items.forEach((item) => walk(item, depth + 1))
    for (const { key, value } of node.items) {
      if (isScalar(key) && forbiddenKeys.has(String(key.value))) found(key, 'this key is not allowed')
      walk(value, depth + 1)
    }
  }

  function found(node: Node, text: string): void {
    mistakes.push({ offset: node.range?.[0] ?? 0, text })
  }
}
