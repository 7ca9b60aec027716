import { createHash, type Hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { BotError } from '#src/errors/bot-error.ts'

const chunkBytes = 64 * 1024
const lineCharactersMax = 4096

/** The lines of a file from the first to the last, however large it is; `print` becomes the hash of its bytes. */
export class FileLines {
  readonly path: string
  /** The number of the line given last, as editors count. */
  number = 0
  readonly #hash: Hash = createHash('sha256')

  constructor(path: string) {
    this.path = path
  }

  get print(): string {
    return this.#hash.copy().digest('hex')
  }

  *[Symbol.iterator](): Generator<string> {
    let rest = ''
    for (const text of this.#chunks()) {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield this.#next(line)
      if (rest.length > lineCharactersMax) this.#next(rest)
    }
    if (rest !== '') yield this.#next(rest)
  }

  /** A complaint about the line given last. */
  complaint(what: string, fix: string): BotError {
    return new BotError('FILE_INVALID', { seen: `${this.path}:${this.number} ${what}`, fix })
  }

  #next(line: string): string {
    this.number += 1
    if (line.length > lineCharactersMax) {
      throw this.complaint(`is longer than ${lineCharactersMax} characters`, 'Check that it is a CSV file')
    }
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }

  *#chunks(): Generator<string> {
    const decoder = new StringDecoder('utf8')
    const handle = this.#open()
    try {
      const bytes = Buffer.alloc(chunkBytes)
      for (let first = true; ; first = false) {
        const chunk = bytes.subarray(0, readSync(handle, bytes))
        if (chunk.length === 0) return
        if (first && chunk[0] === 0x1f && chunk[1] === 0x8b) {
          throw new BotError('FILE_INVALID', {
            seen: `${this.path} is compressed`,
            fix: 'Unpack it first, with gunzip',
          })
        }
        this.#hash.update(chunk)
        const text = decoder.write(chunk)
        yield first && text.startsWith('\uFEFF') ? text.slice(1) : text
      }
    } finally {
      closeSync(handle)
    }
  }

  #open(): number {
    try {
      const handle = openSync(this.path, 'r')
      if (fstatSync(handle).isFile()) return handle
      closeSync(handle)
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
      throw new BotError('FILE_UNREADABLE', { seen: `${this.path}${reason}`, cause: error })
    }
    throw new BotError('FILE_UNREADABLE', { seen: `${this.path} is not a file` })
  }
}
