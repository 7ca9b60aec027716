import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '#src/core/errors/system-errors.ts'
import { logFiles } from './log-files.ts'

/** A line as it stands in a file; not whole is one whose end never came. */
export type LogLine = { file: string; number: number; text: string; whole: boolean }

const chunkBytes = 256 * 1024
/** Nobody writes such lines: what follows is not read as text any more until the next one begins. */
const lineBytesMax = 1024 * 1024
const newline = 0x0a
const nothing = Buffer.alloc(0)

/** Reads the files of a log in their order, and goes on where it was when more has been written. */
export class LogReader {
  readonly #folder: string
  /** The file that is read, or the last one that was. */
  #name: string
  #file: { handle: number; offset: number; lines: number } | undefined
  /** The beginning of a line whose end has not come yet. */
  #begun: Buffer = nothing
  readonly #chunk = Buffer.alloc(chunkBytes)

  /** Begins with the first file whose name is not below this one. */
  constructor(folder: string, from = '') {
    this.#folder = folder
    this.#name = from
  }

  /** Some of the lines that were not read yet; none when all that is there was read. */
  read(): LogLine[] {
    for (;;) {
      // Whoever writes begins a file when done with the one before: if there was another, this look is the last one.
      const next = logFiles(this.#folder).find((name) =>
        this.#file ? name > this.#name : name >= this.#name,
      )
      const lines = this.#file ? this.#split(this.#more(this.#file)) : []
      if (lines === undefined) continue
      if (lines.length > 0) return lines
      if (next === undefined) return []
      const last = this.rest()
      this.#begin(next)
      if (last.length > 0) return last
    }
  }

  /** What stands behind the last whole line. */
  rest(): LogLine[] {
    if (this.#begun.length === 0) return []
    return [this.#line(this.#begun, false)]
  }

  close(): void {
    if (this.#file) closeSync(this.#file.handle)
    this.#file = undefined
  }

  #begin(name: string): void {
    this.close()
    this.#name = name
    try {
      this.#file = { handle: openSync(join(this.#folder, name), 'r'), offset: 0, lines: 0 }
    } catch (error) {
      // It was the oldest one, and has been deleted in between.
      if (systemCode(error) !== 'ENOENT') throw error
    }
  }

  #more(file: { handle: number; offset: number; lines: number }): Buffer {
    // Somebody has emptied it.
    if (fstatSync(file.handle).size < file.offset) {
      file.offset = 0
      file.lines = 0
      this.#begun = nothing
    }
    const length = readSync(file.handle, this.#chunk, 0, chunkBytes, file.offset)
    file.offset += length
    return this.#chunk.subarray(0, length)
  }

  /** Undefined when more has to be read before there is a line. */
  #split(bytes: Buffer): LogLine[] | undefined {
    const lines: LogLine[] = []
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      lines.push(this.#line(Buffer.concat([this.#begun, bytes.subarray(start, end)]), true))
      start = end + 1
    }
    this.#begun = Buffer.concat([this.#begun, bytes.subarray(start)]).subarray(0, lineBytesMax)
    return bytes.length > 0 && lines.length === 0 ? undefined : lines
  }

  #line(bytes: Buffer, whole: boolean): LogLine {
    const file = this.#file
    if (file) file.lines += 1
    this.#begun = nothing
    return { file: this.#name, number: file?.lines ?? 0, text: bytes.toString(), whole }
  }
}
