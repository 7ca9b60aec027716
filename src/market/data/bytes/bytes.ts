import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { BotError } from '#src/core/errors/bot-error.ts'
import { unreadable } from '#src/core/disk/unreadable.ts'

/** A source of bytes, read piece by piece. */
export type Bytes = {
  /** Writes the next bytes from `start` on and returns their number; 0 at the end. */
  read(into: Uint8Array, start: number): number
  close(): void
}

/** The first byte that is neither space nor byte-order mark, and the bytes from the start again. */
export function firstByteOf(bytes: Bytes): { first: number; again: Bytes } {
  const start = new Uint8Array(beginBytes)
  let [filled, got] = [0, 1]
  const firstWord = () => start.subarray(0, filled).find((byte) => byte > 32 && !orderMark.has(byte))
  while (got > 0 && filled < beginBytes && firstWord() === undefined) {
    got = bytes.read(start, filled)
    filled += got
  }
  let given = 0
  function read(into: Uint8Array, place: number): number {
    if (given === filled) return bytes.read(into, place)
    const part = start.subarray(given, Math.min(filled, given + into.length - place))
    into.set(part, place)
    given += part.length
    return part.length
  }
  return { first: firstWord() ?? 0, again: { read, close: () => bytes.close() } }
}

const beginBytes = 4096
const orderMark = new Set([0xef, 0xbb, 0xbf])

const printedBytes = 1024 * 1024

/** Opening a pipe would block until another process writes to it. Windows knows neither. */
const withoutWaiting = constants.O_NONBLOCK ?? 0

/** Opens a path that must be a regular file. */
export function openFile(path: string): { handle: number; size: number } {
  let handle: number
  try {
    handle = openSync(path, constants.O_RDONLY | withoutWaiting)
    const stat = fstatSync(handle)
    if (stat.isFile()) return { handle, size: stat.size }
  } catch (error) {
    throw unreadable(path, error)
  }
  closeSync(handle)
  throw new BotError('FILE_UNREADABLE', { seen: `${path} is not a file` })
}

/** The mark at the start of a binary market file; the last character is the version. */
export const binaryMark = Buffer.from('RUNGSMK1')

export function isBinary(path: string): boolean {
  return beginsWith(firstBytesOf(path), binaryMark.subarray(0, -1))
}

/** The first bytes of the file, or fewer if it is shorter. */
export function firstBytesOf(path: string): Uint8Array {
  const { handle } = openFile(path)
  try {
    const start = Buffer.alloc(binaryMark.length)
    return start.subarray(0, readSync(handle, start))
  } finally {
    closeSync(handle)
  }
}

export function beginsWith(start: Uint8Array, mark: Uint8Array): boolean {
  return mark.every((byte, place) => start[place] === byte)
}

/** A fingerprint of a file that does not need all of it: a hash of its size, its first and its last mebibyte. */
export function fingerprintOf(path: string): string {
  const { handle, size } = openFile(path)
  try {
    const hash = createHash('sha256').update(`${size}\n`)
    const bytes = Buffer.alloc(Math.min(size, printedBytes))
    for (const place of [0, size - bytes.length]) {
      const length = readSync(handle, bytes, 0, bytes.length, place)
      hash.update(bytes.subarray(0, length))
    }
    return hash.digest('hex')
  } finally {
    closeSync(handle)
  }
}

/** The fingerprint of a market in several files. */
export function fingerprintOfAll(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(`${fingerprintOf(path)}\n`)
  return hash.digest('hex')
}
