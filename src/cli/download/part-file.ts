import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { renameDurably } from '#src/core/disk/atomic-write.ts'
import { makeFolder } from '#src/core/disk/folder.ts'
import { unwritable } from '#src/market/data/market-file-error.ts'
import { usage } from '#src/cli/words/usage.ts'

/** The file of a download that is not complete. After a kill, the next download continues it. */
export class PartFile implements Disposable {
  readonly path: string
  rows: number
  /** The time of the last row, in the unit of the file. */
  readonly last: number | undefined
  #file: number | undefined

  private constructor(path: string, file: number, known: readonly string[]) {
    this.path = path
    this.#file = file
    this.rows = known.length
    const last = known.at(-1)?.split(',', 1)[0]
    this.last = last === undefined ? undefined : Number(last)
  }

  /** `about` are the first lines. A file that begins with other lines belongs to another download. */
  static open(path: string, about: readonly string[]): PartFile {
    makeFolder(dirname(path))
    const begin = `${about.join('\n')}\n`
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    // A row without its line break was cut by the end of the process.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    if (whole !== '' && !whole.startsWith(begin) && !begin.startsWith(whole))
      throw usage(
        `${path} belongs to a download with other flags`,
        'Repeat the flags of that download, or delete the file',
      )
    const kept = whole.startsWith(begin) ? whole : ''
    const rows = kept.slice(begin.length).split('\n').slice(0, -1)
    const damaged = rows.find((row) => !/^\d+,/.test(row))
    if (damaged !== undefined)
      throw usage(
        `${path} is damaged: it has the line "${damaged.slice(0, 40)}"`,
        'Delete the file, and download again',
      )
    try {
      const file = openSync(path, 'a')
      ftruncateSync(file, Buffer.byteLength(kept))
      if (kept === '') writeFileSync(file, begin)
      return new PartFile(path, file, rows)
    } catch (error) {
      throw unwritable(path, error)
    }
  }

  append(rows: readonly string[]): void {
    if (rows.length === 0 || this.#file === undefined) return
    try {
      writeFileSync(this.#file, rows.map((row) => `${row}\n`).join(''))
      fsyncSync(this.#file)
    } catch (error) {
      throw unwritable(this.path, error)
    }
    this.rows += rows.length
  }

  /** The file is complete and gets its name. */
  finish(path: string): void {
    this.#close()
    renameDurably(this.path, path)
  }

  /** A file without rows is removed: there is nothing to continue. */
  [Symbol.dispose](): void {
    if (this.#file === undefined) return
    this.#close()
    if (this.rows === 0) rmSync(this.path)
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}
