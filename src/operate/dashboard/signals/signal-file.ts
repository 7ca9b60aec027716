import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { codeBehind, systemCode } from '#src/core/errors/system-errors.ts'
import { unreadable } from '#src/core/disk/unreadable.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import { signalOfLine } from '#src/strategy/signals/signal-line.ts'
import type { SignalIntake } from './signal-intake.ts'

const lineBytesMax = 4096
const chunkBytes = 64 * 1024
const newline = 10

/**
 * Follows a file of signals, or a pipe. Lines that a file has at the start are not read: a value of yesterday would look young.
 * A file that became shorter, or was replaced, is read from its begin.
 */
export class SignalFile implements Disposable {
  readonly #path: string
  #handle: number
  #isPipe = false
  #file = 0
  /** How much of the file has been read. */
  #offset = 0
  /** The begin of a line. */
  #rest = Buffer.alloc(0)
  readonly #lines: string[] = []
  /** The last failure, which is logged once. */
  #failure: string | undefined

  constructor(path: string) {
    this.#path = path
    try {
      this.#handle = open(path)
    } catch (error) {
      throw unreadable(path, error)
    }
    this.#offset = this.#look().size
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle)
  }

  /** Takes the new lines, as many as the rate of signals allows; the others wait. */
  async poll(intake: SignalIntake, say: LogEvent): Promise<void> {
    try {
      if (this.#lines.length === 0) this.#read(say)
      this.#failure = undefined
    } catch (error) {
      const failure = `${this.#path} cannot be read${codeBehind(error)}: no signal comes from it until it can be read again`
      if (systemCode(error) === undefined) throw error
      if (failure !== this.#failure) say({ type: 'alert', message: failure })
      this.#failure = failure
    }
    while (this.#lines.length > 0 && intake.mayTake())
      await this.#take(intake, say, this.#lines.shift() ?? '')
  }

  async #take(intake: SignalIntake, say: LogEvent, line: string): Promise<void> {
    const read = signalOfLine(line)
    if (read === null) return
    if (read) await intake.take(this.#path, { name: read.name, value: read.value })
    else
      say({
        type: 'signal-refused',
        reason: `${this.#path}: the line "${line.slice(0, 40)}" is no signal; fix: write NAME VALUE, or time,name,value`,
      })
  }

  #read(say: LogEvent): void {
    if (!this.#isPipe) this.#followPath()
    const chunk = Buffer.alloc(chunkBytes)
    const count = this.#readInto(chunk)
    if (count === undefined) return
    // The writer of a pipe has closed it: its last line may have no end.
    const isEnd = count === 0 && this.#isPipe
    const bytes = Buffer.concat([
      this.#rest,
      chunk.subarray(0, count),
      ...(isEnd ? [Buffer.of(newline)] : []),
    ])
    const end = bytes.lastIndexOf(newline)
    this.#rest = bytes.subarray(end + 1)
    if (end !== -1)
      this.#lines.push(
        ...bytes
          .toString('utf8', 0, end)
          .split('\n')
          .filter((line) => line !== ''),
      )
    if (this.#rest.length <= lineBytesMax) return
    this.#rest = Buffer.alloc(0)
    const fix = `write lines of at most ${lineBytesMax} bytes`
    say({ type: 'signal-refused', reason: `${this.#path}: a line is too long; fix: ${fix}` })
  }

  /** Undefined if an open pipe has nothing new. */
  #readInto(chunk: Buffer): number | undefined {
    try {
      const count = readSync(this.#handle, chunk, 0, chunk.length, this.#isPipe ? null : this.#offset)
      this.#offset += count
      return count
    } catch (error) {
      if (systemCode(error) === 'EAGAIN') return undefined
      throw error
    }
  }

  #followPath(): void {
    const { ino, size } = statSync(this.#path)
    if (ino !== this.#file) {
      const handle = open(this.#path)
      closeSync(this.#handle)
      this.#handle = handle
      this.#look()
    } else if (size >= this.#offset) return
    this.#offset = 0
    this.#rest = Buffer.alloc(0)
  }

  #look() {
    const found = fstatSync(this.#handle)
    this.#isPipe = !found.isFile()
    this.#file = found.ino
    return found
  }
}

/** A pipe without a writer must not hold the process. */
function open(path: string): number {
  return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
}
