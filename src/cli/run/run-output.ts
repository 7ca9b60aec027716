import type { State } from '#src/engine/state/state.ts'
import { RepeatedBlocks } from '#src/operate/logs/repeated-blocks.ts'
import { vocabulary, type BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Log } from '#src/operate/logs/log.ts'
import { errorEvent } from '#src/operate/logs/log-errors.ts'
import { systemClock, type Clock } from '#src/core/time/clock.ts'
import { columnsOf, eventText } from '#src/cli/words/event-text.ts'
import { RunTally, type Summary } from './run-tally.ts'
import { ShownEvents } from './shown-events.ts'

/** Receives each event, with a line of JSON without secrets; must return quickly. */
type Listener = (events: readonly BotEvent[], lines: readonly string[]) => void

type Printed = readonly Pick<BotEvent, 'type' | 'at'>[]

/** On stdout: objects for programs, lines for people, or nothing if the live view is shown. */
export type Manner = 'json' | 'lines' | 'nothing'

/** The output of a run: to the log, to stdout, and to subscribers. */
export class RunOutput {
  readonly #log: Log
  readonly #manner: Manner
  readonly #tally = new RunTally()
  readonly #shown: ShownEvents
  readonly #listeners: Listener[] = []
  readonly #blockRepeats = new RepeatedBlocks()
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>

  constructor(
    log: Log,
    { manner, isVerbose = false }: { manner: Manner; isVerbose?: boolean },
    clock: Pick<Clock, 'now' | 'monotonic'> = systemClock,
  ) {
    this.#log = log
    this.#manner = manner
    this.#shown = new ShownEvents(isVerbose)
    this.#clock = clock
  }

  take(all: readonly BotEvent[]): void {
    const now = this.#clock.monotonic()
    const events = all.filter((event) => !this.#blockRepeats.isRepeat(event, now))
    const [first] = events
    if (first === undefined) return
    this.#log.write(events)
    for (const event of events) this.#tally.take(event)
    const lines = this.#linesOf(events)
    this.#print(events, lines)
    for (const listener of this.#listeners) {
      try {
        listener(events, lines)
      } catch (error) {
        // An error of a subscriber does not end the bot.
        this.#log.write([errorEvent(error, first.at)])
      }
    }
  }

  /** From here on, until the run ends. */
  listen(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** The last line. stdout gets more of it than the log. */
  summary(state: State, about: Parameters<RunTally['summary']>[1]): Summary {
    const summary = this.#tally.summary(state, about)
    const { strategies, orders: _, profit: __, gridProfit: _grid, floating: _floating, ...event } = summary
    const logged = { ...event, strategies: strategies.map(({ strategy }) => strategy) }
    this.#log.write([logged])
    const printed = [this.#manner === 'json' ? summary : logged]
    this.#print(printed, this.#linesOf(printed))
    return summary
  }

  get lastOrder(): string | undefined {
    return this.#tally.lastOrder
  }

  close(): void {
    this.#log.close()
  }

  #linesOf(events: readonly object[]): string[] {
    return events.map((event) => this.#log.hidden(JSON.stringify(event)))
  }

  /** Lines are cut after secrets are removed, or a cut line could end with half of a secret. */
  #print(events: Printed, lines: readonly string[]): void {
    if (this.#manner === 'nothing') return
    const printed = this.#manner === 'json' ? lines : this.#textsOf(events, lines)
    if (printed.length > 0) process.stdout.write(`${printed.join('\n')}\n`)
  }

  #textsOf(events: Printed, lines: readonly string[]): string[] {
    const time = new Date(this.#clock.now()).toISOString()
    return events.flatMap((event, index) => {
      const repeats = this.#shown.take(event, this.#clock.monotonic())
      if (repeats === undefined) return []
      const { level } = vocabulary[event.type]
      const text = eventText({ ...JSON.parse(lines[index] ?? ''), level, time }, columnsOf(process.stdout))
      return [repeats === 0 ? text : `${text} (${repeats} more like this since the last one)`]
    })
  }
}
