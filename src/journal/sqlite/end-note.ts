import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'

const digits = 16

/**
 * How far the journal has come, noted beside it after every commit. SQLite takes a log that is damaged in its middle for
 * one that ends there, and an older copy of the file looks as good as the newest one: this is what tells. Nobody waits for
 * it to reach the disk: after a power cut it may lag behind, which forbids nothing.
 */
export class EndNote implements Disposable {
  readonly #file: number

  constructor(folder: string) {
    const path = pathIn(folder)
    // Replaces the file: the new one has no hard links, and its 17 bytes are allocated on the disk.
    writeEnd(folder, notedEnd(folder))
    this.#file = openSync(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0))
  }

  write(seq: number): void {
    const text = textOf(seq)
    const written = writeSync(this.#file, text, 0)
    // A part of a number would be another number.
    if (written !== text.length) throw new Error(`journal.end took ${written} of ${text.length} bytes`)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** In a file of its own, which is no link to another one. */
export function writeEnd(folder: string, seq: number): void {
  writeWholeFile(pathIn(folder), textOf(seq))
}

/** A record that the journal holds for certain, and all before it. */
export function notedEnd(folder: string): number {
  const path = pathIn(folder)
  const text = existsSync(path) ? readFileSync(path, 'latin1') : ''
  return /^\d{16}\n$/.test(text) ? Number(text) : 0
}

function textOf(seq: number): string {
  return `${String(seq).padStart(digits, '0')}\n`
}

function pathIn(folder: string): string {
  return join(folder, 'journal.end')
}
