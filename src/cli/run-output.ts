import type { State } from '#src/engine/state.ts'
import type { BotEvent } from '#src/logs/events.ts'
import type { Log } from '#src/logs/log.ts'
import { Tally } from './summary.ts'

const lineOf = (event: BotEvent) => JSON.stringify(event)

/** All that a run says: to the log, and to whoever started it. */
export class RunOutput {
  readonly #log: Log
  readonly #asJson: boolean
  readonly #tally = new Tally()

  constructor(log: Log, asJson: boolean) {
    this.#log = log
    this.#asJson = asJson
  }

  take(events: readonly BotEvent[]): void {
    if (events.length === 0) return
    this.#log.write(events)
    for (const event of events) this.#tally.take(event)
    const lines = events.map((event) => (this.#asJson ? JSON.stringify(event) : lineOf(event)))
    process.stdout.write(`${lines.join('\n')}\n`)
  }

  /** The last line. Programs get more of it than the log keeps. */
  summary(state: State, about: { tookMs: number; agrees: boolean }): void {
    const summary = this.#tally.summary(state, about)
    const { strategies, orders: _, profit: __, ...event } = summary
    const logged = { ...event, strategies: strategies.map(({ strategy }) => strategy) }
    this.#log.write([logged])
    process.stdout.write(`${this.#asJson ? JSON.stringify(summary) : lineOf(logged)}\n`)
  }

  close(): void {
    this.#log.close()
  }
}
