import { readFileSync } from 'node:fs'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'

/** The content of a file that the command line names. */
export function bytesOf(path: string): Buffer {
  return orUnreadable(path, () => readFileSync(path))
}

export function textIn(path: string): string {
  return orUnreadable(path, () => readFileSync(path, 'utf8'))
}

function orUnreadable<Content>(path: string, read: () => Content): Content {
  try {
    return read()
  } catch (cause) {
    throw new BotError('FILE_UNREADABLE', { seen: `${path}${codeBehind(cause)}`, cause })
  }
}
