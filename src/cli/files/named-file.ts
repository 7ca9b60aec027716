import { readFileSync } from 'node:fs'
import { unreadable } from '#src/core/disk/unreadable.ts'

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
    throw unreadable(path, cause)
  }
}
