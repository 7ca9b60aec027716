import { closeSync, createReadStream, createWriteStream, existsSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { isConfined, renameDurably, systemDisk, writeAll } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import { GroupCommit } from '#src/core/log/group-commit.ts'
import { HashChain } from '#src/core/log/hash-chain.ts'
import { withoutBearers } from './bearer-tokens.ts'
import { chainedLine, tapeChain } from './tape-chain.ts'
import { tapeVersion, venueOnTape, type TapeBegin, type TapeEvent, type TapeLine } from './tape.ts'

export type TapeWriterParts = {
  path: string
  begin: Omit<TapeBegin, 'kind' | 'version' | 'venue'> & { venue: string }
  /** A tape that contains one of them does not get its name. */
  secrets: readonly Secret[]
  /** Called once, when the tape cannot be continued: the bot continues without it. */
  onTrouble: (error: BotError) => void
}

/**
 * Writes a tape to NAME.partial while the bot runs. Only a complete tape without secrets gets its name. After a crash or on a
 * full disk the partial file stays readable.
 */
export class TapeWriter {
  readonly #parts: TapeWriterParts
  readonly #partial: string
  readonly #file: number
  readonly #chain = new HashChain(tapeChain)
  /** One write for each turn of the event loop: a busy market has thousands of lines a second. */
  readonly #group: GroupCommit
  #waiting = ''
  #trouble: BotError | undefined

  /** Throws if the file cannot be created: the run has not started yet. */
  constructor(parts: TapeWriterParts) {
    this.#parts = parts
    this.#partial = `${parts.path}.partial`
    refuseExisting(parts.path, '')
    this.#file = opened(this.#partial)
    this.#group = new GroupCommit({
      end: () => this.#flush(),
      errorOf: (cause) =>
        this.#stop(notWritten(cause, this.#partial, `; it ends before line ${this.#chain.seq}`)),
    })
    const { begin } = parts
    this.#add({ kind: 'tape', version: tapeVersion, ...begin, venue: venueOnTape(begin.venue) })
  }

  write(event: TapeEvent): void {
    this.#add(event)
  }

  /** Ends the tape, searches it for secrets, packs it and gives it its name. Rejects if one of these fails. */
  async close(at: number): Promise<void> {
    this.#add({ kind: 'end', at })
    this.#commit()
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
    try {
      this.#waiting += chainedLine(this.#chain, withoutBearers(line))
      this.#group.open()
    } catch (cause) {
      this.#commit()
      const seen = `${this.#partial} cannot hold a deeply nested answer of the venue`
      this.#stop(new BotError('TAPE_NOT_WRITTEN', { seen, cause, fix: 'The lines before can be read' }))
    }
  }

  #commit(): void {
    try {
      this.#group.commit()
    } catch {
      // The first error was reported by `onTrouble`.
    }
  }

  /** Ends the tape before its end line. */
  #stop(trouble: BotError): BotError {
    if (this.#trouble === undefined) {
      this.#trouble = trouble
      this.#parts.onTrouble(trouble)
    }
    return this.#trouble
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting)
    this.#waiting = ''
    writeAll(this.#file, bytes)
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
      // A process was killed during compression.
      await rm(packed, { force: true })
      await pipeline(
        createReadStream(this.#partial),
        packer,
        createWriteStream(packed, { fd: systemDisk.create(packed, 0o600), flush: !isConfined }),
      )
      refuseExisting(path, this.#kept)
      renameDurably(packed, path)
    } catch (error) {
      await rm(packed, { force: true })
      throw error
    }
    await rm(this.#partial)
  }
}

function refuseExisting(path: string, more: string): void {
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
  // During the run another name would not help.
  const about = more === '' ? {} : { fix: 'Check the disk; the lines before can be read' }
  return new BotError('TAPE_NOT_WRITTEN', { seen, cause, ...about })
}
