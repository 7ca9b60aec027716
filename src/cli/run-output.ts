import type { State } from '#src/engine/state.ts'
import { vocabulary, type BotEvent } from '#src/logs/events.ts'
import type { Log } from '#src/logs/log.ts'
import { systemClock } from '#src/time/clock.ts'
import { columnsOf, eventText } from './event-text.ts'
import { Tally } from './summary.ts'

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
    this.#print(events)
  }

  /** The last line. Programs get more of it than the log keeps. */
  summary(state: State, about: { tookMs: number; agrees: boolean; readAgeMs: number }): void {
    const summary = this.#tally.summary(state, about)
    const { strategies, orders: _, profit: __, ...event } = summary
    const logged = { ...event, strategies: strategies.map(({ strategy }) => strategy) }
    this.#log.write([logged])
    this.#print([this.#asJson ? summary : logged])
  }

  close(): void {
    this.#log.close()
  }

  /** What people see is made of a text without secrets, or a line that is cut could end with the half of one. */
  #print(events: readonly { type: BotEvent['type'] }[]): void {
    const lines = events.flatMap((event) => {
      const line = this.#log.hidden(JSON.stringify(event))
      if (this.#asJson) return [line]
      const { level } = vocabulary[event.type]
      const time = new Date(systemClock.now()).toISOString()
      return level === 'debug'
        ? []
        : [eventText({ ...JSON.parse(line), level, time }, columnsOf(process.stdout))]
    })
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
  }
}
