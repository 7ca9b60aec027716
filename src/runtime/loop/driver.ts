import type { Command } from '#src/engine/commands.ts'
import type { Event, QuoteEvent } from '#src/engine/events.ts'
import type { JournalWriter } from '#src/journal/port.ts'
import type { VenueClock } from './venue-clock.ts'

/** Each type of a union, without the time that the driver adds. */
export type Untimed<Some> = Some extends { at: number } ? Omit<Some, 'at'> : never
/** An event for the engine. Its time is the time of its step. */
export type NewEvent = Untimed<Event>

export type EngineStep = { commands: readonly Command[] }

export type DriverParts<Taken extends EngineStep> = {
  venueClock: VenueClock
  engine: { step(event: Event): Taken }
  journal: JournalWriter<Taken>
  /** Called after each step, before it is durable. */
  onStep: (event: Event, step: Taken) => void
  /** Executes a command that leaves at this time of the venue; its result is an event, some time later. */
  carry: (command: Command, at: number) => void
  /** The engine or the journal failed: no more events are processed, and the process must end. */
  onBroken: (error: unknown) => void
  /** Runs an act later, when more events may have arrived; with the next turn of the event loop by default. */
  defer?: (act: () => void) => void
}

/** The most events in a batch: commands leave after it, and many prices must not delay orders. */
const batchMax = 500

/** A command, and when the engine decided it. */
type Wanted = { command: Command; at: number }

/**
 * Processes events one after the other. Each is a step of the engine and a record of the journal, and no command leaves
 * before the journal has it on disk. The explanation of a command may follow it.
 */
export class Driver<Taken extends EngineStep> {
  readonly #parts: DriverParts<Taken>
  readonly #queue: NewEvent[] = []
  /** The latest queued price of each market. */
  readonly #quotes = new Map<string, Untimed<QuoteEvent>>()
  /** When the last commands were decided, if they are not explained yet. */
  #untold: number | undefined
  #scheduled = false
  #undurable = false
  /** Pending commits of an asynchronous journal. */
  #committing: Promise<void> | undefined
  #held = false
  #broken = false
  #closed = false

  constructor(parts: DriverParts<Taken>) {
    this.#parts = parts
  }

  enqueue(event: NewEvent): void {
    if (this.#closed) return
    if (event.kind === 'quote' && this.waiting === 0 && !this.#mustWait) {
      // The first price of a turn is processed at once; the next ones wait for the end of the turn.
      this.#scheduled = true
      this.#take([event])
      this.#defer()
      return
    }
    if (event.kind === 'quote') this.#quotes.set(event.market, event)
    else this.#queue.push(event)
    this.#schedule()
  }

  /** Until it is released, events wait. */
  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#schedule()
  }

  /** Processes the queued events and ignores later ones: the next start finds out what they were. */
  close(): void | Promise<void> {
    const durable = this.flush()
    this.#closed = true
    return durable
  }

  /** Number of queued events. */
  get waiting(): number {
    return this.#queue.length + this.#quotes.size
  }

  /** Adds all queued events to the state. They are durable when this returns, or when its promise resolves. */
  flush(): void | Promise<void> {
    while (this.waiting > 0 && !this.#broken) this.#take(this.#next())
    this.#guarded(() => this.#explain())
    if (this.#undurable) this.#guarded(() => this.#commit([]))
    return this.#committing
  }

  get #mustWait(): boolean {
    return this.#scheduled || this.#held || this.#broken
  }

  #schedule(): void {
    if (this.#mustWait) return
    this.#scheduled = true
    this.#defer()
  }

  #defer(): void {
    const { defer = setImmediate } = this.#parts
    defer(() => {
      if (!this.#held && this.waiting > 0) this.#take(this.#next())
      this.#scheduled = false
      if (this.waiting > 0) this.#schedule()
    })
  }

  #next(): NewEvent[] {
    const events: NewEvent[] = this.#queue.splice(0, batchMax)
    events.push(...this.#quotes.values())
    this.#quotes.clear()
    return events
  }

  #take(events: readonly NewEvent[]): void {
    this.#guarded(() => {
      const wanted: Wanted[] = []
      for (const told of events) {
        this.#explain()
        const at = this.#parts.venueClock.now()
        const commands = this.#step({ ...told, at })
        for (const command of commands) wanted.push({ command, at })
        if (commands.length > 0) this.#untold = at
      }
      if (wanted.length > 0) this.#commit(wanted)
    })
  }

  /** Explains the last commands before another event changes the state. A tick comes every second. */
  #explain(): void {
    const at = this.#untold
    if (at === undefined) return
    this.#untold = undefined
    this.#step({ kind: 'carried', at })
  }

  #step(event: Event): readonly Command[] {
    const step = this.#parts.engine.step(event)
    this.#parts.journal.append(event, step)
    this.#undurable = true
    this.#parts.onStep(event, step)
    return step.commands
  }

  /** Makes the appended steps durable, then lets these commands leave. */
  #commit(wanted: readonly Wanted[]): void {
    const { journal, venueClock } = this.#parts
    this.#undurable = false
    const committed = this.#committing ? this.#committing.then(() => this.#commitNext()) : journal.commit()
    if (committed === undefined) {
      this.#carry(wanted, 0)
      return
    }
    const began = venueClock.now()
    const leaving: Promise<void> = committed
      .then(
        () => this.#guarded(() => this.#carry(wanted, Math.max(0, venueClock.now() - began))),
        (error: unknown) => this.#fail(error),
      )
      .finally(() => {
        if (this.#committing === leaving) this.#committing = undefined
      })
    this.#committing = leaving
  }

  /** Commits are made one at a time. */
  #commitNext(): void | Promise<void> {
    return this.#broken ? undefined : this.#parts.journal.commit()
  }

  #carry(wanted: readonly Wanted[], waitedMs: number): void {
    // If one strategy enters a position and another one exits, the exit is queued first.
    const entries = wanted.filter(({ command }) => isEntry(command))
    for (const { command, at } of wanted) if (!isEntry(command)) this.#parts.carry(command, at + waitedMs)
    for (const { command, at } of entries) this.#parts.carry(command, at + waitedMs)
  }

  /** Ends the driver after an error: the next steps would rest on half a step, or on a record that is not on disk. */
  #guarded(act: () => void): void {
    if (this.#broken) return
    try {
      act()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (this.#broken) return
    this.#broken = true
    this.#parts.journal.abandon(error)
    this.#parts.onBroken(error)
  }
}

function isEntry(command: Command): boolean {
  return command.kind === 'submit' && command.priority === 'entries'
}
