/** How a log writes to its disk. */
export type GroupWriter = {
  begin?: () => void
  /** Makes all that was written since `begin` durable. */
  end: () => void
  /** Turns what the disk has thrown into the error of the log. */
  errorOf: (cause: unknown) => unknown
  /** Schedules the end of a group and returns a function that cancels it; the next turn of the event loop unless given. */
  later?: (act: () => void) => () => void
}

function nextTurn(act: () => void): () => void {
  const turn = setImmediate(act)
  return () => clearImmediate(turn)
}

/**
 * Groups the writes of a log into commits. The first write begins a group and schedules its end; `commit` ends it at once.
 * After an error, every call throws this error and nothing is written: earlier commits of such a disk are uncertain, too.
 */
export class GroupCommit {
  readonly #log: GroupWriter
  /** Undefined while no group is open. */
  #cancelEnd: (() => void) | undefined
  /** Of the callers that wait for the end of the group. */
  #durable: PromiseWithResolvers<void> | undefined
  #failure: { error: unknown; isReported: boolean } | undefined

  constructor(log: GroupWriter) {
    this.#log = log
  }

  /** Whether a caller knows that the log has failed. */
  get hasReported(): boolean {
    return this.#failure?.isReported === true
  }

  write(act: () => void): void {
    this.#attempt(() => {
      this.open()
      act()
    })
  }

  /** Begins a group, unless one is open. */
  open(): void {
    if (this.#cancelEnd !== undefined || this.#failure !== undefined) return
    this.#log.begin?.()
    const { later = nextTurn } = this.#log
    this.#cancelEnd = later(() => {
      const isReported = this.hasReported || this.#durable !== undefined
      try {
        this.commit()
      } catch (error) {
        // Without a caller that waits, the next call reports it.
        this.#failure = { error, isReported }
      }
    })
  }

  /** When this returns, everything written so far is durable. */
  commit(): void {
    const durable = this.#durable
    this.#durable = undefined
    try {
      this.#attempt(() => this.#end())
      durable?.resolve()
    } catch (error) {
      durable?.reject(error)
      throw error
    }
  }

  /** When this resolves, everything written so far is durable. */
  async committed(): Promise<void> {
    this.#refuseFailed()
    if (this.#cancelEnd === undefined) return
    await (this.#durable ??= Promise.withResolvers<void>()).promise
  }

  /** Ends the log: nothing more is written, and a group that is open is lost. */
  fail(error: unknown): void {
    this.#failure ??= { error, isReported: true }
  }

  /** Cancels the scheduled end of an open group. */
  cancel(): void {
    this.#cancelEnd?.()
  }

  #end(): void {
    if (this.#cancelEnd === undefined) return
    this.#cancelEnd()
    this.#cancelEnd = undefined
    this.#log.end()
  }

  #attempt(act: () => void): void {
    this.#refuseFailed()
    try {
      act()
    } catch (cause) {
      this.fail(this.#log.errorOf(cause))
      this.#refuseFailed()
    }
  }

  #refuseFailed(): void {
    if (this.#failure === undefined) return
    this.#failure.isReported = true
    throw this.#failure.error
  }
}
