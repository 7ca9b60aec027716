import { pino } from 'pino'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { vocabulary, type BotEvent, type Level } from '#src/core/log-events/vocabulary.ts'
import { LogFiles, logFolder } from './log-files.ts'

/** 16 files of 32 MiB: some two million lines. */
const bytesMax = 32 * 1024 * 1024
const filesMax = 16

export type LogParts = {
  stateDir: string
  clock: Clock
  /** Hidden in all lines: the key as well as the secret. */
  secrets: readonly Secret[]
  /** Called once when lines cannot be written, with the error code. */
  onLost: (code: string) => void
  bytesMax?: number
}

/**
 * The log of a process. The operating system has the lines when `write` returns, so they survive a crash of the process, but
 * not a loss of power. All events of a step cost one write.
 */
export class Log {
  readonly #files: LogFiles
  readonly #lines: Record<Level, (event: BotEvent) => void>
  readonly #onLost: LogParts['onLost']
  readonly #clock: Clock
  #time = ''
  #lost = 0

  constructor({ stateDir, clock, secrets, onLost, bytesMax: most = bytesMax }: LogParts) {
    this.#files = new LogFiles({ folder: logFolder(stateDir), clock, secrets, bytesMax: most, filesMax })
    this.#onLost = onLost
    this.#clock = clock
    this.#lines = pino(
      {
        level: 'debug',
        base: null,
        timestamp: () => this.#time,
        formatters: { level: (level) => ({ level }) },
      },
      this.#files,
    )
  }

  write(events: readonly BotEvent[]): void {
    if (events.length === 0) return
    this.#time = `,"time":"${new Date(this.#clock.now()).toISOString()}"`
    if (this.#lost > 0) this.#reportLost(events[0]?.at ?? 0)
    for (const event of events) this.#lines[vocabulary[event.type].level](event)
    const code = this.#files.flush()
    if (code === undefined) this.#lost = 0
    else {
      if (this.#lost === 0) this.#onLost(code)
      this.#lost += events.length
    }
  }

  hidden(text: string): string {
    return this.#files.hidden(text)
  }

  close(): void {
    this.#files.close()
  }

  #reportLost(at: number): void {
    const message = `${this.#lost} log lines could not be written`
    this.#lines.error({ type: 'error', at, kind: 'Log', code: null, message })
  }
}
