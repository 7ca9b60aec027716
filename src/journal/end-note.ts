import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const digits = 16

/**
 * How far the journal has come, noted beside it after every commit. SQLite takes a log that is damaged in its middle for
 * one that ends there, and an older copy of the file looks as good as the newest one: this is what tells. Nobody waits for
 * it to reach the disk: after a power cut it may lag behind, which forbids nothing.
 */
export class EndNote implements Disposable {
  readonly #file: number

  constructor(folder: string) {
    this.#file = openSync(pathIn(folder), constants.O_WRONLY | constants.O_CREAT, 0o600)
  }

  write(seq: number): void {
    writeSync(this.#file, `${String(seq).padStart(digits, '0')}\n`, 0)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** A record that the journal holds for certain, and all before it. */
export function notedEnd(folder: string): number {
  const path = pathIn(folder)
  const text = existsSync(path) ? readFileSync(path, 'latin1') : ''
  return /^\d{16}\n$/.test(text) ? Number(text) : 0
}

function pathIn(folder: string): string {
  return join(folder, 'journal.end')
}
