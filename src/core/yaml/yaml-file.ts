import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import type { z } from 'zod'
import { BotError } from '#src/core/errors/bot-error.ts'
import { unreadable } from '#src/core/disk/unreadable.ts'
import { describeMistakes } from './mistake.ts'
import { examineYaml, parseYamlDocument } from './yaml-text.ts'

/** A larger file is not ours; parsing time grows with the size, so the size is checked first. */
export const yamlBytesMax = 128 * 1024

export type YamlOptions = {
  /** The file may contain a secret: mistakes state their place but never quote the line. */
  confidential?: boolean
}

/** Reads and validates a YAML file. The error names every mistake. */
export function readYaml<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  options: YamlOptions = {},
): z.output<Schema> {
  return parseYaml(textOf(path), path, schema, options)
}

/** Parses and validates a YAML text. The error names every mistake. */
export function parseYaml<Schema extends z.ZodType>(
  text: string,
  name: string,
  schema: Schema,
  options: YamlOptions = {},
): z.output<Schema> {
  const { document, lines, mistakes } = parseYamlDocument(text)
  const read = mistakes.length > 0 ? { mistakes } : examineYaml(document, schema).read
  if ('value' in read) return read.value
  throw new BotError('FILE_INVALID', {
    seen: describeMistakes(name, read.mistakes, lines, options.confidential === true ? undefined : text),
  })
}

/** Opened once and measured through the same handle, so that the file cannot be exchanged in between. */
function textOf(path: string): string {
  try {
    const handle = openSync(path, 'r')
    try {
      const file = fstatSync(handle)
      if (!file.isFile()) throw new BotError('FILE_UNREADABLE', { seen: `${path} is not a file` })
      if (file.size > yamlBytesMax) {
        throw new BotError('FILE_INVALID', {
          seen: `${path} has ${file.size} bytes, more than ${yamlBytesMax}`,
          fix: 'Split the file, or check that it is the right one',
        })
      }
      return readFileSync(handle, 'utf8')
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (error instanceof BotError) throw error
    throw unreadable(path, error)
  }
}
