import { vocabulary, type BotEvent } from '#src/core/log-events/vocabulary.ts'

const linesMax = 500
const fillsMax = 500

/** The last lines of the log as in its files, and the last fills before them, which charts show. */
export class LogTail {
  #lines: { line: string; isFill: boolean }[] = []
  #fills: string[] = []

  /** `before` are lines of earlier processes. */
  constructor(before: readonly string[]) {
    for (const line of before) this.#lines.push({ line, isFill: line.includes('"type":"fill"') })
    this.#trim()
  }

  /** Returns the lines as they are kept. */
  add(events: readonly BotEvent[], lines: readonly string[], time: string): string[] {
    const added = events.map(({ type }, index) => {
      const { level } = vocabulary[type]
      const line = `{"level":"${level}","time":"${time}",${lines[index]?.slice(1) ?? '}'}`
      this.#lines.push({ line, isFill: type === 'fill' })
      return line
    })
    this.#trim()
    return added
  }

  /** The oldest first. */
  all(): string[] {
    return [...this.#fills, ...this.#lines.map(({ line }) => line)]
  }

  #trim(): void {
    for (const { line, isFill } of this.#lines.splice(0, Math.max(0, this.#lines.length - linesMax)))
      if (isFill) this.#fills.push(line)
    this.#fills.splice(0, Math.max(0, this.#fills.length - fillsMax))
  }
}
