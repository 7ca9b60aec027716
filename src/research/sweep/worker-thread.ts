import { Worker } from 'node:worker_threads'
import type { VariantOutcome } from './ranking.ts'
import type { BacktestTask, Report, ThreadMessage, WorkerSetting } from './worker.ts'

/** A thread that runs backtests, one at a time. It compiles the program once, so it is worth keeping. */
export class WorkerThread implements AsyncDisposable {
  readonly #worker = new Worker(new URL(import.meta.resolve('#src/research/sweep/worker.ts')))
  #setting: WorkerSetting | undefined
  #answer: PromiseWithResolvers<VariantOutcome> | undefined
  #end: Error | undefined

  constructor() {
    this.#worker.on('message', (report: Report) => {
      if ('broken' in report) this.#answer?.reject(new Error(report.broken))
      else this.#answer?.resolve(report.outcome)
    })
    this.#worker.once('error', (cause) =>
      this.#endWith(new Error(`the thread of the backtest failed: ${String(cause)}`, { cause })),
    )
    this.#worker.once('exit', () => this.#endWith(new Error('the thread of the backtest has ended')))
  }

  /** Whether the thread can run no further task. */
  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  async run(setting: WorkerSetting, task: BacktestTask): Promise<VariantOutcome> {
    if (this.#end !== undefined) throw this.#end
    if (setting !== this.#setting) this.#send({ setting })
    this.#setting = setting
    this.#answer = Promise.withResolvers()
    this.#send({ task })
    return this.#answer.promise
  }

  /** Ends a task that runs with an error. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }

  #endWith(error: Error): void {
    this.#end ??= error
    this.#answer?.reject(error)
  }

  #send(message: ThreadMessage): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin, windows do
    this.#worker.postMessage(message)
  }
}
