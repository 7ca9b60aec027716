import { chmodSync, closeSync, constants, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '#src/core/disk/folder.ts'
import { writeAll } from '#src/core/disk/atomic-write.ts'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import type { Clock } from '#src/core/time/clock.ts'

/** Names sort as their files were written: by day (in UTC), and by number within the day. */
const namePattern = /^rungs-(\d{4}-\d\d-\d\d)-(\d{4})\.ndjson$/
const newline = 0x0a

/** To read the end of what is there, and to follow no link; Windows has no such links. */
const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)

/** Of all that outlives a process the log has a folder of its own. */
export function logFolder(stateDir: string): string {
  return join(stateDir, 'logs')
}

/** The log files of a folder, the oldest first; none where there is no folder. */
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
  /** None of them reaches the disk. */
  secrets: readonly Secret[]
  /** A file that would grow beyond it is followed by another. */
  bytesMax: number
  /** The oldest ones are deleted. */
  filesMax: number
}

/**
 * Where lines go: into files that only we may read, at once, so that what was flushed outlives the process however it
 * ends. Lines are collected until then: one look for secrets and one write for all that one step has to say.
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
   * Writes all whole lines. The rest waits for its end, since half of a secret cannot be found. Gives the code of the error
   * if they could not be written: they are lost then, and a disk that is full stops nobody from trading.
   */
  flush(): string | undefined {
    const end = this.#pending.lastIndexOf('\n') + 1
    if (end === 0) return undefined
    const lines = this.hidden(this.#pending.slice(0, end))
    this.#pending = this.#pending.slice(end)
    try {
      this.#append(Buffer.from(lines))
      return undefined
    } catch (error) {
      // It may hold a part of a line now: opened again, it is looked at.
      this.close()
      return systemCode(error) ?? 'UNKNOWN'
    }
  }

  /** A text without our secrets. */
  hidden(text: string): string {
    return this.#parts.secrets.reduce((rest, secret) => secret.hiddenIn(rest), text)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.handle)
    this.#file = undefined
  }

  #append(bytes: Buffer): void {
    const file = this.#fileFor(bytes.length)
    file.bytes += writeAll(file.handle, bytes)
  }

  #fileFor(bytes: number) {
    const { bytesMax, clock } = this.#parts
    const file = (this.#file ??= this.#newest())
    const today = new Date(clock.now()).toISOString().slice(0, 10)
    // A clock that steps back over midnight changes no order.
    const day = today > file.day ? today : file.day
    const full = file.bytes > 0 && file.bytes + bytes > bytesMax
    if (day === file.day && !full) return file
    const next = this.#open(day, day === file.day ? file.number + 1 : 0)
    this.close()
    this.#file = next
    return next
  }

  /** The one that a former process wrote last, to go on there. */
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
    // Whoever wrote it was cut off in the middle of a line: ours begins a new one.
    if (size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== newline)
      size += writeAll(handle, Buffer.of(newline))
    for (const old of logFiles(folder).slice(0, -filesMax)) rmSync(join(folder, old), { force: true })
    return { handle, day, number, bytes: size }
  }
}
