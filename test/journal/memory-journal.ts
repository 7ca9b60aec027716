import type { Submit } from '#src/engine/commands.ts'
import type { Answered, Event } from '#src/engine/events.ts'
import { wholeExplanations, type Explanation } from '#src/engine/explain/explanation.ts'
import type { State } from '#src/engine/state/state.ts'
import type { HashChain } from '#src/core/log/hash-chain.ts'
import type {
  History,
  Journal,
  JournaledEngine,
  RebuildOptions,
  Recovery,
  SentRequest,
  StepOutcome,
  StoredExplanation,
} from '#src/journal/port.ts'
import { rebuild, type StoredJournal, type StoredRecord } from '#src/journal/rebuild.ts'
import { bodiesOf, contentOf } from '#src/journal/record.ts'

/** A disk that is slow: it stores what it was given when `sync` is called, or refuses it when `refuse` is called. */
export class MemoryDisk implements StoredJournal {
  readonly stored: StoredRecord[] = []
  readonly #waiting: { store: () => void; reject: (error: Error) => void }[] = []

  states(): [] {
    return []
  }

  records(after: number): StoredRecord[] {
    return this.stored.slice(after)
  }

  write(records: readonly StoredRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const store = () => {
        this.stored.push(...records)
        resolve()
      }
      this.#waiting.push({ store, reject })
    })
  }

  sync(): void {
    for (const { store } of this.#waiting.splice(0)) store()
  }

  refuse(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

/** A journal whose commits are asynchronous. */
export class MemoryJournal<M extends JournaledEngine> implements Journal<M> {
  readonly machine: M
  readonly recovery: Recovery
  readonly disk: MemoryDisk
  readonly #chain: HashChain
  #pending: StoredRecord[] = []
  #abandoned = false

  constructor(disk: MemoryDisk, options: RebuildOptions<M>) {
    const { machine, recovery, chain } = rebuild(disk, options)
    this.disk = disk
    this.machine = machine
    this.recovery = recovery
    this.#chain = chain
  }

  append(event: Event, outcome: StepOutcome): void {
    if (this.#abandoned) throw new Error('a step after the end of the journal')
    const bodies = bodiesOf(JSON.stringify(event), outcome)
    const chain = this.#chain.add(contentOf(bodies))
    this.#pending.push({ ...bodies, seq: this.#chain.seq, chain })
  }

  commit(): Promise<void> {
    return this.disk.write(this.#pending.splice(0))
  }

  abandon(): void {
    this.#abandoned = true
    this.#pending = []
  }

  async close(): Promise<void> {
    if (!this.#abandoned) await this.commit()
  }
}

/** Finds everything by reading all records. */
export class MemoryHistory implements History {
  readonly #disk: MemoryDisk
  readonly #account: string

  constructor(disk: MemoryDisk, account: string) {
    this.#disk = disk
    this.#account = account
  }

  [Symbol.dispose](): void {}

  machine<M extends JournaledEngine>(engine: string, begin: (state: State | null) => M): M {
    return rebuild(this.#disk, { account: this.#account, engine, begin }).machine
  }

  decided(strategy: string, ladder: string): StoredExplanation | null {
    return this.#decisions(strategy, ladder).at(-1) ?? null
  }

  ladders(): string[] {
    const explained = this.#disk.stored.flatMap(decisionsOf)
    return [...new Set(explained.map(({ strategy, ladder }) => `${strategy}.${ladder}`))]
  }

  sendings(orderId: string): SentRequest[] {
    return this.#disk.stored.flatMap((record, index) => {
      const seq = index + 1
      const commands = record.commands.map((text): Submit => JSON.parse(text))
      return commands.flatMap((command) => {
        const order = command.kind === 'submit' && command.orders.find(({ id }) => id === orderId)
        if (!order) return []
        const isExplainedNext = eventAt(this.#disk.stored[index + 1])?.kind === 'carried'
        const until = isExplainedNext ? seq + 1 : seq
        const decided = this.#decisions(order.strategy, order.ladder).findLast((each) => each.seq <= until)
        const answer = this.#answer(command.chunk, seq)
        return [{ seq, event: JSON.parse(record.event), command, decided: decided ?? null, answer }]
      })
    })
  }

  #decisions(strategy: string, ladder: string): StoredExplanation[] {
    return this.#disk.stored.flatMap((record, index) =>
      decisionsOf(record)
        .filter((decision) => decision.strategy === strategy && decision.ladder === ladder)
        .map((decision) => ({ seq: index + 1, event: JSON.parse(record.event), decision })),
    )
  }

  #answer(chunk: number, after: number): Answered | null {
    const events = this.#disk.stored.slice(after).map((record): Event => JSON.parse(record.event))
    const isAnswer = (event: Event): event is Answered => event.kind === 'answered' && event.chunk === chunk
    return events.find(isAnswer) ?? null
  }
}

function decisionsOf({ decisions }: StoredRecord): Explanation[] {
  return wholeExplanations(decisions.map((text): Explanation => JSON.parse(text)))
}

function eventAt(record: StoredRecord | undefined): Event | undefined {
  return record && JSON.parse(record.event)
}
