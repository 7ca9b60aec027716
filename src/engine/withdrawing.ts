import type { Compiled } from './compiled.ts'
import { standingsOf } from './standing.ts'
import type { LadderState, Order, StrategyState } from './state.ts'
import type { Turn } from './turn.ts'

/** After a request to take an order back that failed. */
const againMs = 5000

/** Takes back what should not rest any more, where the venue can. */
export function withdraw(turn: Turn, compiled: Compiled, own: StrategyState, exits: readonly string[]): void {
  const { state, commands } = turn
  if (!compiled.canCancel) return
  const orders: Order[] = exits.flatMap((id) => state.orders[id] ?? [])
  for (const ladder of compiled.ladders) {
    const mine = own.ladders[ladder.name]
    if (!mine || Object.keys(mine.open).length === 0) continue
    const isWanted = own.halted === null && (mine.goal === 'ensure' || mine.goal === 'freeze')
    const staying = new Set<string>()
    if (isWanted)
      for (const { order, fits, isFar } of standingsOf(state, compiled, ladder, mine))
        if (order && fits && !isFar) staying.add(order.id)
    orders.push(...entriesOf(turn, mine).filter(({ id }) => !staying.has(id)))
  }
  // What the file knows no more.
  for (const [name, mine] of Object.entries(own.ladders))
    if (!compiled.ladders.some((ladder) => ladder.name === name)) orders.push(...entriesOf(turn, mine))
  const ready = orders.filter(
    ({ status, withdrawing, withdrawAfter }) =>
      status === 'resting' && !withdrawing && withdrawAfter <= state.at,
  )
  if (ready.length === 0) return
  for (const order of ready) {
    order.withdrawing = true
    order.withdrawAfter = state.at + againMs
  }
  const wanted = ready.map(({ id, market, venueId }) => ({ id, market, venueId }))
  commands.push({ kind: 'cancel', strategy: compiled.name, orders: wanted })
}

function entriesOf({ state }: Turn, { open }: LadderState): Order[] {
  return Object.values(open).flatMap((id) => {
    const order = state.orders[id]
    return order?.role === 'entry' ? [order] : []
  })
}
