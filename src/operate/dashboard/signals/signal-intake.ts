import type { Clock } from '#src/core/time/clock.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { RunningBot } from '#src/runtime/loop/bot.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { deliveryOf } from '#src/strategy/signals/chart-alert.ts'
import { signalFault, type Signal } from '#src/strategy/signals/signal-values.ts'

type IntakeParts = {
  clock: Pick<Clock, 'monotonic'>
  /** The strategies that run. */
  strategies: () => readonly Strategy[]
  /** Undefined until the bot has started. */
  bot: () => Pick<RunningBot, 'signal'> | undefined
  say: LogEvent
}

/** The result of a delivery: the signals that it set, and why it or a part of it was refused. */
type TakenSignals = { set: Signal[]; refused: string | null; isStarting?: true }

/** Each value is a record of the journal and an evaluation. */
export const signalsPerSecond = 10
const secondMs = 1000
/** A sender repeats its mistake with every alert. */
const sameRefusalMs = 60_000

/** Takes signals from all their sources, with the same checks. */
export class SignalIntake {
  readonly #parts: IntakeParts
  #second = { since: -Infinity, count: 0 }
  #reported = { refused: '', at: -Infinity }

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  /** Counts a delivery; false if it is one too many in this second. */
  mayTake(): boolean {
    const now = this.#parts.clock.monotonic()
    if (now >= this.#second.since + secondMs) this.#second = { since: now, count: 0 }
    this.#second.count += 1
    return this.#second.count <= signalsPerSecond
  }

  /** Sets the signals of a body; they are durable when the promise resolves. `source` is for the log. */
  async take(source: string, body: Record<string, unknown> | string): Promise<TakenSignals> {
    const strategies = this.#parts.strategies()
    const { signals, faults } = deliveryOf(strategies, body)
    const bot = this.#parts.bot()
    if (bot === undefined)
      return { set: [], refused: 'the bot is still starting; fix: send it again', isStarting: true }
    const set: Signal[] = []
    for (const signal of signals) {
      const fault = signalFault(strategies, signal)
      if (fault) faults.push(fault)
      else set.push(signal)
    }
    for (const signal of set) await bot.signal(signal)
    const [first] = faults
    const refused = first ? `${first.what}; fix: ${first.fix}` : null
    if (refused !== null) this.#report(`${source}: ${refused}`)
    return { set, refused }
  }

  #report(refused: string): void {
    const at = this.#parts.clock.monotonic()
    if (refused === this.#reported.refused && at < this.#reported.at + sameRefusalMs) return
    this.#reported = { refused, at }
    this.#parts.say({ type: 'signal-refused', reason: refused })
  }
}
