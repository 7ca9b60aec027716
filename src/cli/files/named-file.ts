import { readFileSync } from 'node:fs'
import { unreadable } from '#src/core/disk/unreadable.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'

/** The content of a file that the command line names. */
export function bytesOf(path: string): Buffer {
  return onDisk(path, () => readFileSync(path), unreadable)
}

export function textIn(path: string): string {
  return onDisk(path, () => readFileSync(path, 'utf8'), unreadable)
}

/** Reads or writes a file. An error of the disk is thrown as the error that names the file. */
export function onDisk<Result>(
  path: string,
  act: () => Result,
  errorOf: (path: string, cause: unknown) => BotError,
): Result {
  try {
    return act()
  } catch (cause) {
    throw errorOf(path, cause)
  }
}

export function notWritten(path: string, cause: unknown): BotError {
  return new BotError('FILE_NOT_WRITTEN', { seen: `${path}${codeBehind(cause)}`, cause })
}
