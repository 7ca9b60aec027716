import { spawn } from '@lydell/node-pty'
import headless from '@xterm/headless'
import { onTestFailed } from 'vitest'
import { environment } from '#test/cli/support/process.ts'
import type { TextRun } from './svg.ts'

export type OnTerminal = {
  /** The visible rows. */
  rows(): string[]
  /** The visible rows with colours. */
  runs(): TextRun[][]
  /** Settles when the rows, joined by line breaks, match. */
  shows(pattern: RegExp): Promise<string>
  /** The raw output. */
  written(): string
  /** Whether the alternate screen is shown. */
  isAlternate(): boolean
  press(keys: string): void
  resize(columns: number, rows: number): void
  /** Stops and resumes reading. */
  freeze(): void
  thaw(): void
  kill(signal: NodeJS.Signals): void
  ended: Promise<{ exitCode: number; signal?: number }>
  [Symbol.asyncDispose](): Promise<void>
}

/** A program on a pseudo-terminal with an emulator. */
export function onTerminal(
  [program, ...words]: readonly [string, ...string[]],
  { columns, rows, ...more }: { columns: number; rows: number; env?: NodeJS.ProcessEnv },
): OnTerminal {
  const own = { ...environment({}), TERM: 'xterm-256color', ...more.env }
  // Do not inherit the terminal settings of this process.
  const env = Object.fromEntries(
    Object.entries(own).filter(([name]) => name !== 'CI' && (name !== 'NO_COLOR' || more.env)),
  )
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true })
  const child = spawn(program, words, { cols: columns, rows, env })
  let written = ''
  const looks = new Set<() => void>()
  const { promise, resolve } = Promise.withResolvers<{ exitCode: number; signal?: number }>()
  child.onData((text) => {
    written += text
    terminal.write(text, () => {
      for (const look of looks) look()
    })
  })
  child.onExit((end) => terminal.write('', () => resolve(end)))
  const seen = () => {
    const { active } = terminal.buffer
    return Array.from({ length: terminal.rows }, (_, row) => {
      const line = active.getLine(active.baseY + row)
      return line?.translateToString(true, 0, terminal.cols).trimEnd() ?? ''
    })
  }
  const runsOf = (row: number): TextRun[] => {
    const line = terminal.buffer.active.getLine(terminal.buffer.active.baseY + row)
    const runs: TextRun[] = []
    for (let column = 0; column < terminal.cols; column += 1) {
      const cell = line?.getCell(column)
      if (cell === undefined) continue
      const color = cell.isFgPalette() ? cell.getFgColor() : undefined
      const [bold, dim, text] = [cell.isBold() !== 0, cell.isDim() !== 0, cell.getChars() || ' ']
      const last = runs.at(-1)
      if (last && last.color === color && last.bold === bold && last.dim === dim) last.text += text
      else runs.push({ column, text, color, bold, dim })
    }
    return runs.filter(({ text }) => text.trim() !== '')
  }
  return {
    rows: seen,
    runs: () => Array.from({ length: terminal.rows }, (_, row) => runsOf(row)),
    shows: (pattern) =>
      new Promise((found, failed) => {
        const look = () => {
          // Synchronized output: a partial update is not shown.
          if (terminal.modes.synchronizedOutputMode) return
          const text = seen().join('\n')
          if (!pattern.test(text)) return
          looks.delete(look)
          found(text)
        }
        looks.add(look)
        onTestFailed(() => {
          if (!looks.has(look)) return
          process.stderr.write(`the terminal does not show ${pattern}:\n${seen().join('\n')}\n`)
        })
        look()
        void promise.then(() =>
          failed(new Error(`it ended and never showed ${pattern}:\n${seen().join('\n')}`)),
        )
      }),
    written: () => written,
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    press: (keys) => child.write(keys),
    resize(columns, rows) {
      terminal.resize(columns, rows)
      child.resize(columns, rows)
    },
    freeze: () => child.pause(),
    thaw: () => child.resume(),
    kill: (signal) => process.kill(child.pid, signal),
    ended: promise,
    async [Symbol.asyncDispose]() {
      try {
        process.kill(child.pid, 'SIGKILL')
      } catch {
        // The program has ended.
      }
      await promise
      terminal.dispose()
    },
  }
}
