import type { Command } from '#src/engine/commands.ts'
import type { Event, QuoteEvent } from '#src/engine/events.ts'
import type { JournalWriter } from '#src/journal/port.ts'
import type { VenueClock } from './venue-clock.ts'

/** Each of some things, without the time that is added to it later. */
export type Untimed<Some> = Some extends { at: number } ? Omit<Some, 'at'> : never
/** What somebody has to tell the engine; its time is that of its turn. */
export type NewEvent = Untimed<Event>

export type EngineStep = { commands: readonly Command[] }

export type DriverParts<Taken extends EngineStep> = {
  venueClock: VenueClock
  engine: { step(event: Event): Taken }
  journal: JournalWriter<Taken>
  /** Told of each step once it is made, before it is durable. */
  onStep: (event: Event, step: Taken) => void
  /** Carries a command out; what comes of it is told as an event, some time later. */
  carry: (command: Command, decidedAt: number) => void
  /** What cannot happen has happened: nothing more is taken, and the process must end. */
  onBroken: (error: unknown) => void
  /** Does it a moment later, when more may have been told: with the next turn of the event loop, unless said otherwise. */
  defer?: (act: () => void) => void
}

/** So many events are taken before the commands among them leave: a crowd of prices must not hold orders up. */
const batchMax = 500

/**
 * The one place where anything is decided: events in a row, each a step of the engine and a record of the journal, and
 * no command is carried out before the journal has it on disk. Its reasons may come after it.
 */
export class Driver<Taken extends EngineStep> {
  readonly #parts: DriverParts<Taken>
  readonly #queue: NewEvent[] = []
  /** By market the latest one that waits: of two prices only the newer means something. */
  readonly #quotes = new Map<string, Untimed<QuoteEvent>>()
  /** When something was wanted whose reasons are still to be told. */
  #untold: number | undefined
  #scheduled = false
  #undurable = false
  #held = false
  #broken = false
  #closed = false

  constructor(parts: DriverParts<Taken>) {
    this.#parts = parts
  }

  tell(event: NewEvent): void {
    if (this.#closed) return
    if (event.kind === 'quote' && this.waiting === 0 && !this.#mustWait) {
      // The first price of a turn waits for nobody; those behind it in the same turn wait for its end.
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

  /** The last step is made: what is told from here on comes too late, and the next start will find it out. */
  close(): void {
    this.flush()
    this.#closed = true
  }

  /** Events that wait for their turn. */
  get waiting(): number {
    return this.#queue.length + this.#quotes.size
  }

  /** All that was told so far is a part of the state, and durable. */
  flush(): void {
    while (this.waiting > 0 && !this.#broken) this.#take(this.#next())
    this.#guarded(() => this.#explain())
    if (this.#undurable) this.#guarded(() => this.#commit())
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
      const wanted: { command: Command; at: number }[] = []
      for (const told of events) {
        this.#explain()
        const at = this.#parts.venueClock.now()
        const commands = this.#step({ ...told, at })
        for (const command of commands) wanted.push({ command, at })
        if (commands.length > 0) this.#untold = at
      }
      if (wanted.length === 0) return
      this.#commit()
      // Where one strategy enters and another one leaves a position, the exit takes its place in the queue first.
      const entries = wanted.filter(({ command }) => isEntry(command))
      for (const { command, at } of wanted) if (!isEntry(command)) this.#parts.carry(command, at)
      for (const { command, at } of entries) this.#parts.carry(command, at)
    })
  }

  /** Before anything changes what is to be told of. A venue answers soon, and a tick comes every second. */
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

  #commit(): void {
    this.#parts.journal.commit()
    this.#undurable = false
  }

  /** A step that was half made, or a record that was refused: whatever followed would rest on it. */
  #guarded(act: () => void): void {
    if (this.#broken) return
    try {
      act()
    } catch (error) {
      this.#broken = true
      this.#parts.journal.abandon(error)
      this.#parts.onBroken(error)
    }
  }
}

function isEntry(command: Command): boolean {
  return command.kind === 'submit' && command.priority === 'entries'
}
