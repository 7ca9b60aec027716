import { closeSync, createReadStream, createWriteStream, existsSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { isConfined, renameDurably, systemDisk, writeAll } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import { withoutBearers } from './bearer-tokens.ts'
import { Chain } from './hash-chain.ts'
import { tapeVersion, venueOnTape, type TapeBegin, type TapeEvent, type TapeLine } from './tape.ts'

export type TapeWriterParts = {
  path: string
  begin: Omit<TapeBegin, 'kind' | 'version' | 'venue'> & { venue: string }
  /** None of them is on a tape that gets its name. */
  secrets: readonly Secret[]
  /** Called once when the tape cannot be written any further: the bot continues without it. */
  onTrouble: (error: BotError) => void
}

/**
 * Writes a tape while it happens, into a file beside the one that is asked for. Only a tape that was ended well and holds no
 * secret gets its name. What a crash leaves, or a full disk, is under the other one, and can be read as far as it goes.
 */
export class TapeWriter {
  readonly #parts: TapeWriterParts
  readonly #partial: string
  readonly #file: number
  readonly #chain = new Chain()
  #waiting = ''
  #lines = 0
  #trouble: BotError | undefined

  /** Throws when there can be no such file: at its beginning a run has nothing to lose yet. */
  constructor(parts: TapeWriterParts) {
    this.#parts = parts
    this.#partial = `${parts.path}.partial`
    refuseTaken(parts.path, '')
    this.#file = opened(this.#partial)
    const { begin } = parts
    this.#add({ kind: 'tape', version: tapeVersion, ...begin, venue: venueOnTape(begin.venue) })
  }

  write(event: TapeEvent): void {
    this.#add(event)
  }

  /** Ends the tape, looks for secrets in it, packs it and gives it its name. Rejects if it did not come to that. */
  async close(at: number): Promise<void> {
    this.#add({ kind: 'end', at })
    this.#flush()
    closeSync(this.#file)
    if (this.#trouble !== undefined) throw this.#trouble
    await this.#search()
    try {
      await this.#pack()
    } catch (cause) {
      throw notWritten(cause, this.#parts.path, this.#kept)
    }
  }

  #add(line: TapeLine): void {
    if (this.#trouble !== undefined) return
    let text: string
    try {
      text = this.#chain.line(withoutBearers(line))
    } catch (cause) {
      const seen = `${this.#partial} cannot hold a deeply nested answer of the venue`
      this.#end(new BotError('TAPE_NOT_WRITTEN', { seen, cause, fix: 'The lines before can be read' }))
      return
    }
    // One write a turn of the loop: a busy market has thousands of lines a second.
    if (this.#waiting === '') setImmediate(() => this.#flush())
    this.#waiting += text
    this.#lines += 1
  }

  /** Nothing more is taken down; what waits still is. */
  #end(trouble: BotError): void {
    this.#flush()
    if (this.#trouble !== undefined) return
    this.#trouble = trouble
    this.#parts.onTrouble(trouble)
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting)
    this.#waiting = ''
    if (this.#trouble !== undefined) return
    try {
      writeAll(this.#file, bytes)
    } catch (cause) {
      this.#end(notWritten(cause, this.#partial, `; it ends before line ${this.#lines}`))
    }
  }

  async #search(): Promise<void> {
    const { secrets } = this.#parts
    let [number, rest] = [0, '']
    for await (const piece of createReadStream(this.#partial, 'utf8')) {
      const lines = `${rest}${String(piece)}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        number += 1
        if (secrets.every((secret) => secret.hiddenIn(line) === line)) continue
        throw new BotError('TAPE_HOLDS_SECRET', { seen: `${this.#partial}:${number}` })
      }
    }
  }

  get #kept(): string {
    return `; all lines are in ${this.#partial}`
  }

  async #pack(): Promise<void> {
    const { path } = this.#parts
    const packed = `${path}.packing`
    const packer = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    try {
      // Of a process that was killed while it packed.
      await rm(packed, { force: true })
      await pipeline(
        createReadStream(this.#partial),
        packer,
        createWriteStream(packed, { fd: systemDisk.create(packed, 0o600), flush: !isConfined }),
      )
      refuseTaken(path, this.#kept)
      renameDurably(packed, path)
    } catch (error) {
      await rm(packed, { force: true })
      throw error
    }
    await rm(this.#partial)
  }
}

function refuseTaken(path: string, more: string): void {
  if (existsSync(path)) throw new BotError('TAPE_NOT_WRITTEN', { seen: `${path} exists${more}` })
}

function opened(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (cause) {
    throw notWritten(cause, path, '')
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'exists: another run writes it, or was killed',
  ENOENT: 'has no folder',
  ENOTDIR: 'has no folder',
  EACCES: 'is not writable',
  EPERM: 'is not writable',
  EROFS: 'is on a read-only disk',
  ENOSPC: 'is on a full disk',
  EDQUOT: 'is on a full disk',
}

function notWritten(cause: unknown, path: string, more: string): BotError {
  if (cause instanceof BotError) return cause
  const code = systemCode(cause) ?? 'UNKNOWN'
  const seen = `${path} ${reasons[code] ?? `failed (${code})`}${more}`
  // Once it was begun, another name would not help.
  const about = more === '' ? {} : { fix: 'Check the disk; the lines before can be read' }
  return new BotError('TAPE_NOT_WRITTEN', { seen, cause, ...about })
}
