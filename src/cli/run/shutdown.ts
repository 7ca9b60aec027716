import { BotError } from '#src/core/errors/bot-error.ts'
import { reportError } from '#src/cli/program/error-text.ts'

/** From when it is told until the process has ended, whatever holds it. */
const endMsMax = 8500

/** Why and when a process that stays shall end: told by a signal, by its time, or by what went wrong. */
export class Shutdown {
  readonly #told = Promise.withResolvers<void>()
  #failure: { error: unknown } | undefined
  #isTold = false
  #last: NodeJS.Timeout | undefined

  constructor() {
    // A terminal and the launcher may both pass one Ctrl-C on, and impatient people more: all of them find the first at work.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.end())
  }

  end(): void {
    if (this.#isTold) return
    this.#isTold = true
    this.#told.resolve()
    this.#hurry()
  }

  /** What needs nobody else may take as long as it takes. */
  async unhurried(work: Promise<void>): Promise<void> {
    clearTimeout(this.#last)
    try {
      await work
    } finally {
      if (this.#isTold) this.#hurry()
    }
  }

  /** What cannot happen has happened: nothing goes on, and the process ends with this. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.end()
  }

  get told(): Promise<void> {
    return this.#told.promise
  }

  #hurry(): void {
    // By then all that can be put away is; a call that nobody answers must not hold the process any longer.
    this.#last = setTimeout(() => process.exit(this.#exitCode()), endMsMax).unref()
  }

  #exitCode(): number {
    const seen = `shutdown took longer than ${endMsMax / 1000} s`
    return reportError(
      this.#failure === undefined ? new BotError('CUT_SHORT', { seen }) : this.#failure.error,
    )
  }

  /** To be called once everything is put away. */
  rethrow(): void {
    if (this.#failure) throw this.#failure.error
  }
}
