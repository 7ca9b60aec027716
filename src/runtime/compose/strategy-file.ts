import { closeSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemCode, systemWords } from '#src/core/errors/system-errors.ts'
import { fixIfPackaged } from '#src/core/disk/unreadable.ts'
import { readStrategy, type FurtherFaults, type Read } from '#src/strategy/file/read-strategy.ts'
import { strategyBytesMax, type Problem } from '#src/strategy/file/base-files.ts'

/** A file with a problem. */
export type SourceFile = { path: string; text: string }

/** Reads a strategy file and those that it extends. */
export function openStrategy(
  path: string,
  further?: FurtherFaults,
): {
  read: Read | Problem[]
  /** The file and those that it extends, found or not. */
  paths: string[]
  sourceOf: (problem: Problem) => SourceFile
} {
  const texts = new Map<string, string>()
  const paths = [path]
  const bytes = bytesOf(path)
  const keep = (name: string, found: Uint8Array | Problem) => {
    if (!(found instanceof Uint8Array)) return undefined
    texts.set(name, new TextDecoder().decode(found))
    return found
  }
  const pathOf = (name: string) => join(dirname(path), name)
  const beside = (name: string) => {
    paths.push(pathOf(name))
    return keep(name, bytesOf(pathOf(name)))
  }
  keep('', bytes)
  return {
    read: bytes instanceof Uint8Array ? readStrategy(bytes, beside, further) : [bytes],
    paths,
    sourceOf: ({ file }) => ({
      path: file === undefined ? path : pathOf(file),
      text: texts.get(file ?? '') ?? '',
    }),
  }
}

/** An unreadable file is a problem like any other, so `check` reports it in the same way. */
function bytesOf(path: string): Uint8Array | Problem {
  try {
    const handle = openSync(path, 'r')
    try {
      const buffer = Buffer.alloc(strategyBytesMax + 1)
      let length = 0
      for (let read = -1; read !== 0 && length < buffer.length; length += read) {
        read = readSync(handle, buffer, length, buffer.length - length, null)
      }
      return buffer.subarray(0, length)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    const code = systemCode(error)
    const reason = code === undefined ? 'unknown reason' : systemWords(code)
    return {
      line: 1,
      column: 1,
      message: `the file cannot be read: ${reason}`,
      hint: fixIfPackaged(path, error) ?? 'check the path and its permissions',
      isUnreadable: true,
    }
  }
}
