import type { Command, Submit } from '#src/engine/commands.ts'
import { placeOf } from '#src/engine/ladder/rung-places.ts'
import { beginOrder, moveAside, setStatus } from '#src/engine/state/open-orders.ts'
import { newOrder } from './new-order.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** The pause between two requests to cancel an order: doubled after each refusal, up to `most`. */
export const cancelAgainMs = { first: 5000, doublingsMost: 4, most: 60_000 }

/** Adds a command to the step and applies its effects to the state. False if the commands of the step come from a record. */
export function applyCommand(context: StepContext, command: Command): boolean {
  if (context.recordedBy !== null) return false
  applyRecordedCommand(context.state, command)
  context.commands.push(command)
  return true
}

/** The effects of a command on the state, from the moment at which it is in the journal. */
export function applyRecordedCommand(state: State, command: Command): void {
  switch (command.kind) {
    case 'submit':
      return beginSubmit(state, command)
    case 'cancel':
      for (const { id } of command.orders) {
        const order = state.orders[id]
        if (order) withdraw(state, order)
      }
      return
    case 'look':
      state.looking = state.at
      return
    case 'invest': {
      const own = state.strategies[command.strategy]
      if (!own) return
      const { id, ticker, amount: money } = command
      own.investments++
      own.investing = { id, at: state.at, ticker, money, isDoubtful: false }
    }
  }
}

/** A request that ends it is in flight. */
function withdraw({ at }: State, order: Order): void {
  order.withdrawing = true
  order.withdrawAfter = at + cancelAgainMs.first
}

function beginSubmit(state: State, { chunk, strategy, orders }: Submit): void {
  const { at } = state
  const own = state.strategies[strategy]
  state.nextChunk = Math.max(state.nextChunk, chunk + 1)
  state.chunks[chunk] = { strategy, sentAt: at, ids: orders.map(({ id }) => id) }
  own?.sends.push({ at, orders: orders.length, chunk })
  for (const draft of orders) {
    const known = state.orders[draft.id]
    const attempts = (known?.attempts ?? 0) + 1
    if (known && known.status !== 'ended') {
      setStatus(state, known, 'sending')
      known.attempts = attempts
      // Proofs about earlier requests do not cover this one.
      delete known.search
      continue
    }
    const order = newOrder(draft, state)
    order.attempts = attempts
    const ladder = own?.ladders[order.ladder]
    const replaced = state.orders[draft.amends?.id ?? '']
    if (replaced) withdraw(state, replaced)
    if (replaced && ladder) moveAside(state, ladder, replaced)
    beginOrder(state, ladder, order)
    if (!ladder) continue
    ladder.generations[order.level] = order.generation
    if (order.role !== 'entry') continue
    const rung = ladder.rungs[placeOf(ladder.rungs, order.level) ?? -1]
    if (!rung) continue
    rung.order = order.id
    // A delete takes time even if there is nothing to delete.
    if (rung.crossed) delete rung.crossed
    if (rung.wait.bound) delete rung.wait.bound
  }
}
