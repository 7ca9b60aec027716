/** Why and when a process that stays shall end: told by a signal, by its time, or by what went wrong. */
export class Ending {
  readonly #told = Promise.withResolvers<void>()
  #failure: { error: unknown } | undefined

  constructor() {
    // A terminal and the launcher may both pass one Ctrl-C on, and impatient people more: all of them find the first at work.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.end())
  }

  end(): void {
    this.#told.resolve()
  }

  /** What cannot happen has happened: nothing goes on, and the process ends with this. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#told.resolve()
  }

  get told(): Promise<void> {
    return this.#told.promise
  }

  /** To be called once everything is put away. */
  rethrow(): void {
    if (this.#failure) throw this.#failure.error
  }
}
