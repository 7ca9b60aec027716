import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '#src/core/errors/system-errors.ts'
import { logFiles } from './log-files.ts'

/** A line of a log file; not `whole` if its newline is missing. */
export type LogLine = { file: string; number: number; text: string; whole: boolean }

const chunkBytes = 256 * 1024
/** The rest of a longer line is skipped. */
const lineBytesMax = 1024 * 1024
const newline = 0x0a
const nothing = Buffer.alloc(0)

/** Reads the files of a log in their order, and continues when more has been written. */
export class LogReader {
  readonly #folder: string
  /** The current file, or the last one. */
  #name: string
  #file: { handle: number; offset: number; lines: number } | undefined
  /** The beginning of an incomplete line. */
  #begun: Buffer = nothing
  readonly #chunk = Buffer.alloc(chunkBytes)

  /** Begins with the first file whose name is not below `from`. */
  constructor(folder: string, from = '') {
    this.#folder = folder
    this.#name = from
  }

  /** Returns some further lines; none at the end of the log. */
  read(): LogLine[] {
    for (;;) {
      // The writer begins a file after completing the one before: with a next file, this read reaches the end.
      const next = logFiles(this.#folder).find((name) =>
        this.#file ? name > this.#name : name >= this.#name,
      )
      const lines = this.#file ? this.#split(this.#more(this.#file)) : []
      if (lines === undefined) continue
      if (lines.length > 0) return lines
      if (next === undefined) return []
      const last = this.unfinishedLine()
      this.#begin(next)
      if (last.length > 0) return last
    }
  }

  /** The text after the last complete line. */
  unfinishedLine(): LogLine[] {
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
      // The oldest file was deleted in between.
      if (systemCode(error) !== 'ENOENT') throw error
    }
  }

  #more(file: { handle: number; offset: number; lines: number }): Buffer {
    // The file was truncated.
    if (fstatSync(file.handle).size < file.offset) {
      file.offset = 0
      file.lines = 0
      this.#begun = nothing
    }
    const length = readSync(file.handle, this.#chunk, 0, chunkBytes, file.offset)
    file.offset += length
    return this.#chunk.subarray(0, length)
  }

  /** Undefined if no line is complete yet. */
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
