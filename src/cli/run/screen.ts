import { readFileSync, write, writeSync } from 'node:fs'
import type { ReadStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import { cellsOf, type TextLine, type Size } from '#src/operate/terminal/line.ts'
import { colored } from '#src/cli/words/colors.ts'

/** The alternate screen, so that the earlier content comes back; no cursor, and no line wrap. */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l'
const leave = '\u001b[?2026l\u001b[?7h\u001b[?25h\u001b[?1049l'
/** Terminals that know these sequences show everything between them at once. */
const [together, done] = ['\u001b[?2026h', '\u001b[?2026l']
/** After this many frames everything is redrawn, so that foreign output disappears within seconds. */
const wholeEvery = 20
const againMs = 50
const givenUpMs = 1000

type Terminal = typeof process.stdout
type Handlers = { key: (key: string) => void; broken: () => void; resized: () => void }

/** The terminal of the live view. Drawing never waits: the caller first asks whether the terminal is free. */
export class Screen {
  readonly #out: Terminal
  readonly #keyboard: ReadStream | undefined
  readonly #on: Handlers
  #rows: string[] = []
  #frames = 0
  #isOpen = false
  #writing: Promise<void> | undefined

  constructor(out: Terminal, keyboard: ReadStream | undefined, on: Handlers) {
    this.#out = out
    this.#keyboard = keyboard
    this.#on = on
  }

  open(): void {
    this.#isOpen = true
    // However the process ends: Node reports an exception here first, and prints its trace afterwards.
    process.on('exit', this.#restore).on('SIGCONT', this.#again)
    this.#out.on('resize', this.#again)
    this.#listen()
    this.#write(enter)
  }

  get size(): Size {
    const { columns, rows } = this.#out
    // A terminal that does not know its size reports 0.
    return { columns: columns || 80, rows: rows || 24 }
  }

  get isFree(): boolean {
    return this.#isOpen && this.#writing === undefined
  }

  /** Draws the changed rows from the top. */
  show(lines: readonly TextLine[]): void {
    const { columns } = this.size
    const rows = lines.map((line) => colored(line, columns))
    if (this.#frames % wholeEvery === 0) this.#rows = []
    const changed = rows.flatMap((row, index) => {
      if (row === this.#rows[index]) return []
      // Behind the last cell, only that cell needs erasing.
      const rest = cellsOf(stripVTControlCharacters(row)) < columns ? '\u001b[K' : ''
      return [`\u001b[${index + 1};1H${row}${rest}`]
    })
    if (changed.length === 0) return
    this.#frames += 1
    this.#rows = rows
    this.#write(together + changed.join('') + done)
  }

  /** Restores the earlier content; false if the terminal accepts no more output. */
  async close(): Promise<boolean> {
    if (!this.#isOpen) return true
    const late = new Promise<'late'>((resolve) => void setTimeout(resolve, givenUpMs, 'late').unref())
    const isAlive = (await Promise.race([this.#writing, late])) !== 'late'
    if (isAlive) this.#restore()
    else this.#letGo()
    return isAlive
  }

  readonly #restore = (): void => {
    if (!this.#isOpen) return
    this.#letGo()
    try {
      this.#keyboard?.setRawMode(false)
      writeSync(this.#out.fd, leave)
    } catch {
      // The terminal was closed.
    }
  }

  #letGo(): void {
    this.#isOpen = false
    process.off('exit', this.#restore).off('SIGCONT', this.#again)
    this.#out.off('resize', this.#again)
    this.#keyboard?.off('data', this.#on.key).pause().unref()
  }

  /** The terminal may show something else now. */
  readonly #again = (): void => {
    this.#frames = 0
    this.#listen()
    this.#on.resized()
  }

  #listen(): void {
    this.#keyboard?.setRawMode(true).setEncoding('utf8').off('data', this.#on.key).on('data', this.#on.key)
  }

  /** Node itself would wait until a terminal accepts all output, and the bot with it. */
  #write(text: string): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#writing = promise
    const finish = (): void => {
      this.#writing = undefined
      resolve()
    }
    const put = (rest: Buffer): void => {
      write(this.#out.fd, rest, (error, written) => {
        if (error?.code === 'EAGAIN') setTimeout(put, againMs, rest).unref()
        else if (error) {
          finish()
          this.#on.broken()
        } else if (written < rest.length) put(rest.subarray(written))
        else finish()
      })
    }
    put(Buffer.from(text))
  }
}

/** A process in the background would be suspended if it read the keyboard. Only Linux reports it. */
export function isInForeground(): boolean {
  try {
    const [, , group, , , foreground] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return group === foreground
  } catch {
    return true
  }
}
