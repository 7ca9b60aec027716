import type { Command, Submit } from '#src/engine/commands.ts'
import type { Explanation } from '#src/engine/explain/explanation.ts'
import type { Event } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'
import { openJournal, type SqliteJournal } from '#src/journal/sqlite/journal.ts'
import type { Journal, JournaledEngine, StepOutcome } from '#src/journal/port.ts'
import type { Chance } from '../fuzz/chance.ts'

export const account = 'key paper-key at http://127.0.0.1'
export const engine = 'counting 1'
const ladders = ['low', 'high']

/**
 * An engine that is small enough to be seen through: each third quote sends an order on one of two ladders, which is explained
 * when it has left; an answer brings it to rest, or ends it. Like the real one it changes its state in place.
 */
export class CountingMachine implements JournaledEngine {
  readonly state: State

  constructor(state: State | null) {
    this.state = state ?? emptyState()
  }

  step(event: Event): StepOutcome {
    const { state } = this
    this.hear(event)
    if (event.kind === 'quote' && event.at % 3 === 0) return this.#send(event.at)
    if (event.kind !== 'carried') return { commands: [], decisions: [] }
    const orders = Object.values(state.orders).filter(({ sentAt }) => sentAt === event.at)
    return { commands: [], decisions: orders.map(({ id, ladder }) => decision(ladder, id, event.at)) }
  }

  recall(event: Event, commands: readonly Command[]): void {
    this.hear(event)
    for (const command of commands) if (command.kind === 'submit') this.#begin(command, event.at)
  }

  protected hear(event: Event): void {
    const { state } = this
    state.at = event.at
    if (event.kind === 'quote')
      state.quotes[event.market] = { at: event.at, bid: event.bid, ask: event.ask, last: event.last }
    if (event.kind !== 'answered') return
    const { ids = [] } = state.chunks[event.chunk] ?? {}
    delete state.chunks[event.chunk]
    for (const [n, id] of ids.entries()) {
      const order = state.orders[id]
      if (order) order.status = event.orders[n]?.kind === 'accepted' ? 'resting' : 'ended'
    }
    const ended = Object.values(state.orders).filter(({ status }) => status === 'ended')
    for (const { id } of ended.slice(0, -50)) delete state.orders[id]
  }

  #begin({ chunk, orders }: Submit, at: number): void {
    const { state } = this
    state.nextChunk = chunk + 1
    state.chunks[chunk] = { strategy: 'none', sentAt: at, ids: orders.map(({ id }) => id) }
    for (const draft of orders)
      state.orders[draft.id] = JSON.parse(
        JSON.stringify({ ...draft, status: 'sending', venueId: null, sentAt: at }),
      )
  }

  #send(at: number): StepOutcome {
    const chunk = this.state.nextChunk
    const ladder = ladders[chunk % 2] ?? ''
    const id = `grid.${ladder}.${chunk % 10}.${chunk}`
    const draft = {
      id,
      strategy: 'grid',
      ladder,
      level: String(chunk % 10),
      generation: chunk,
      role: 'entry',
      market: 'BTC_PERP',
      side: 'buy',
      positionSide: 'LONG',
      price: String(60_000 - chunk),
      amount: '0.001',
      postOnly: true,
      ioc: false,
      rpi: false,
    } as const
    const command = submit(chunk, [draft], at)
    this.#begin(command, at)
    return { commands: [command], decisions: [] }
  }
}

function submit(chunk: number, drafts: unknown[], at: number): Submit {
  const plain = {
    kind: 'submit',
    chunk,
    strategy: 'grid',
    orders: drafts,
    stopOnFail: true,
    dueAt: at + 10_000,
  }
  const command: Submit = JSON.parse(JSON.stringify({ ...plain, priority: 'entries' }))
  return command
}

function decision(ladder: string, order: string, at: number): Explanation {
  const price = String(60_000 - (at % 1000))
  const level = order.split('.')[2] ?? ''
  return {
    at,
    strategy: 'grid',
    ladder,
    goal: 'ensure',
    anchor: '60000',
    rules: [{ id: 'always', truth: 'true', fired: true, leaves: [{ text: 'close', value: price }] }],
    lets: [],
    writtenOff: null,
    rungs: [{ level, side: 'buy', price, amount: '0.001', order, state: 'sent', why: null, change: null }],
    seen: { close: price },
  }
}

/** As much of a state as the journal and this machine look at. */
function emptyState(): State {
  const strategies = { grid: { text: 'name: grid\n', ladders: { low: { rungs: [] }, high: { rungs: [] } } } }
  const state: State = JSON.parse(
    JSON.stringify({ at: 0, quotes: {}, strategies, orders: {}, chunks: {}, nextChunk: 1 }),
  )
  return state
}

/** The next event of a life drawn by chance: mostly quotes, and now and then the answer to an order. */
function nextEvent({ state }: JournaledEngine, chance: Chance): Event {
  const at = state.at + 1
  const waiting = Object.keys(state.chunks)
  if (waiting.length > 0 && chance.percent(40)) {
    const chunk = Number(chance.oneOf(waiting))
    const progress = { venueId: String(chunk), filled: '0', money: '0', fee: '0', ended: false }
    const refused = { kind: 'refused', code: 30, message: 'Müll ‑ "no"\n', alreadyUsed: false } as const
    return {
      kind: 'answered',
      at,
      chunk,
      orders: [chance.percent(2) ? { kind: 'accepted', ...progress } : refused],
    }
  }
  if (chance.percent(5)) return { kind: 'tick', at }
  const bid = 60_000 + chance.below(1000) / 8
  return { kind: 'quote', at, market: 'BTC_PERP', bid, ask: bid + 0.5, last: null }
}

export const begin = (state: State | null): CountingMachine => new CountingMachine(state)

/** Another version of the program: with the same events it sends nothing. */
export const otherEngine = 'counting 2'

export class IdleMachine extends CountingMachine {
  override step(event: Event): StepOutcome {
    this.hear(event)
    return { commands: [], decisions: [] }
  }
}

type JournalChanges = Partial<
  Pick<Parameters<typeof openJournal<CountingMachine>>[1], 'mostBytes' | 'engine' | 'begin'>
>

export function open(folder: string, more: JournalChanges = {}): SqliteJournal<CountingMachine> {
  return openJournal(folder, { account, engine, begin, ...more })
}

/** So many steps of that life, each taken down. */
export function live(
  journal: Pick<Journal<CountingMachine>, 'machine' | 'append'>,
  steps: number,
  chance: Chance,
): void {
  const { machine } = journal
  for (let step = 0; step < steps; step++) {
    const event = nextEvent(machine, chance)
    const outcome = machine.step(event)
    journal.append(event, outcome)
    if (outcome.commands.length === 0 || ++step === steps) continue
    const carried = { kind: 'carried', at: event.at } as const
    journal.append(carried, machine.step(carried))
  }
}

/** The last step of a life may have sent an order, which is explained only after it has left. */
export function explainLast(journal: Pick<Journal<CountingMachine>, 'machine' | 'append'>): void {
  const { machine } = journal
  const carried = { kind: 'carried', at: machine.state.at } as const
  journal.append(carried, machine.step(carried))
}
