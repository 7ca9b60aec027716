import { chmodSync, closeSync, constants, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '#src/core/disk/folder.ts'
import { writeAll } from '#src/core/disk/atomic-write.ts'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import type { Clock } from '#src/core/time/clock.ts'

/** Names sort in the order of writing: by UTC day, then by number. */
const namePattern = /^rungs-(\d{4}-\d\d-\d\d)-(\d{4})\.ndjson$/
const newline = 0x0a

/** Readable, to check the end of an existing file. O_NOFOLLOW is missing on Windows. */
const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)

export function logFolder(stateDir: string): string {
  return join(stateDir, 'logs')
}

/** The log files of a folder, the oldest first; empty if the folder is missing. */
export function logFiles(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => namePattern.test(name))
    .sort()
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  }
}

export type LogFilesParts = {
  folder: string
  clock: Clock
  /** Hidden in all lines. */
  secrets: readonly Secret[]
  /** Size at which the next file begins. */
  bytesMax: number
  /** Older files are deleted. */
  filesMax: number
}

/**
 * Writes log lines to files that only the owner can read. Lines are collected until `flush`, so that all lines of a step
 * cost one search for secrets and one write. Flushed lines survive a crash of the process.
 */
export class LogFiles {
  readonly #parts: LogFilesParts
  #pending = ''
  #file: { handle: number; day: string; number: number; bytes: number } | undefined

  constructor(parts: LogFilesParts) {
    this.#parts = parts
  }

  write(text: string): void {
    this.#pending += text
  }

  /**
   * Writes all complete lines; half of a secret could not be found in an incomplete one. Returns the error code if writing
   * failed: the lines are lost then, because a full disk must not stop trading.
   */
  flush(): string | undefined {
    const end = this.#pending.lastIndexOf('\n') + 1
    if (end === 0) return undefined
    const lines = this.hidden(this.#pending.slice(0, end))
    this.#pending = this.#pending.slice(end)
    try {
      const bytes = Buffer.from(lines)
      const file = this.#fileFor(bytes.length)
      file.bytes += writeAll(file.handle, bytes)
      return undefined
    } catch (error) {
      // The file may end with a part of a line now, which opening it again repairs.
      this.close()
      return systemCode(error) ?? 'UNKNOWN'
    }
  }

  /** Replaces secrets in a text. */
  hidden(text: string): string {
    return this.#parts.secrets.reduce((rest, secret) => secret.hiddenIn(rest), text)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.handle)
    this.#file = undefined
  }

  #fileFor(bytes: number) {
    const { bytesMax, clock } = this.#parts
    const file = (this.#file ??= this.#newest())
    const today = new Date(clock.now()).toISOString().slice(0, 10)
    // A clock that steps back over midnight must not change the order of files.
    const day = today > file.day ? today : file.day
    const full = file.bytes > 0 && file.bytes + bytes > bytesMax
    if (day === file.day && !full) return file
    const next = this.#open(day, day === file.day ? file.number + 1 : 0)
    this.close()
    this.#file = next
    return next
  }

  /** Continues the last file of a former process. */
  #newest() {
    const { folder, clock } = this.#parts
    makeFolder(folder)
    const today = new Date(clock.now()).toISOString().slice(0, 10)
    const [, day = today, number = '0'] = namePattern.exec(logFiles(folder).at(-1) ?? '') ?? []
    return this.#open(day, Number(number))
  }

  #open(day: string, number: number) {
    const { folder, filesMax } = this.#parts
    const name = `rungs-${day}-${String(number).padStart(4, '0')}.ndjson`
    const handle = openSync(join(folder, name), flags, 0o600)
    let { size, mode } = fstatSync(handle)
    if ((mode & 0o777) !== 0o600) chmodSync(join(folder, name), 0o600)
    const last = Buffer.alloc(1)
    // The last process crashed in the middle of a line: end that line.
    if (size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== newline)
      size += writeAll(handle, Buffer.of(newline))
    for (const old of logFiles(folder).slice(0, -filesMax)) rmSync(join(folder, old), { force: true })
    return { handle, day, number, bytes: size }
  }
}
