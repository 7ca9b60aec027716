import { BotError } from '#src/core/errors/bot-error.ts'
import { reportError } from '#src/cli/program/error-text.ts'

/** The limit from the request to the exit of the process, whatever still runs. */
const endMsMax = 8500

/** Why and when a long-running process ends: a signal, the end of its time, or an error. */
export class Shutdown {
  readonly #request = new AbortController()
  /** Aborted when the end is requested. */
  readonly signal: AbortSignal = this.#request.signal
  readonly requested = new Promise<void>((resolve) => {
    this.signal.addEventListener('abort', () => resolve())
  })
  #failure: { error: unknown } | undefined
  #deadline: NodeJS.Timeout | undefined

  constructor() {
    // Terminal and launcher may both forward one Ctrl-C, and people press it again: only the first counts.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.end())
  }

  end(): void {
    if (this.signal.aborted) return
    this.#request.abort()
    this.#setDeadline()
  }

  /** Work that waits for no other process, such as closing a tape, may take as long as it needs. */
  async withoutDeadline<Result>(work: Promise<Result>): Promise<Result> {
    clearTimeout(this.#deadline)
    try {
      return await work
    } finally {
      if (this.signal.aborted) this.#setDeadline()
    }
  }

  /** After an internal error: the process ends with it. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.end()
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  #setDeadline(): void {
    // Everything that can be closed is closed; a call without an answer must not keep the process alive.
    this.#deadline = setTimeout(() => process.exit(this.#exitCode()), endMsMax).unref()
  }

  #exitCode(): number {
    const seen = `shutdown took longer than ${endMsMax / 1000} s`
    return reportError(
      this.#failure === undefined ? new BotError('CUT_SHORT', { seen }) : this.#failure.error,
    )
  }

  /** Called once everything is closed. */
  rethrow(): void {
    if (this.#failure) throw this.#failure.error
  }
}
