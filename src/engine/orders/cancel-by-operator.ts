import type { Operator } from '#src/engine/events.ts'
import type { Reason } from '#src/engine/ladder/reason.ts'
import type { LadderState, Order, State } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'
import { holderOf } from './order-ids.ts'

/** The open order with this id, or of this rung: STRATEGY.LADDER.LEVEL. */
function openOrder({ orders, strategies }: State, name: string): Order | undefined {
  const [strategy = '', ladder = '', level = '', ...more] = name.split('.')
  const ladders = Object.hasOwn(strategies, strategy) ? strategies[strategy]?.ladders : undefined
  const open = ladders !== undefined && Object.hasOwn(ladders, ladder) ? ladders[ladder]?.open : undefined
  // The id of an earlier order must not lead to the order that its rung has now.
  const isRung = more.length === 0 && open !== undefined && Object.hasOwn(open, level)
  const id = isRung ? open[level] : undefined
  const order = Object.hasOwn(orders, name) ? orders[name] : orders[id ?? '']
  return order?.status === 'ended' ? undefined : order
}

/** Why the order cannot be cancelled, for people; undefined if it can. */
export function cancelFault(state: State, name: string): string | undefined {
  const order = openOrder(state, name)
  if (order === undefined) {
    const holder = holderOf(state, name)
    const fix = holder
      ? `; fix: at the venue, ${holder.id} has this client order id: rungs cancel ${holder.id}`
      : ''
    return `there is no open order ${name}${fix}`
  }
  const { id, strategy, role, status } = order
  if (!state.venue.capabilities.includes('cancel')) return `${id}: the venue cannot cancel orders`
  if (role === 'exit')
    return (
      `${id} is an exit, and the bot would place it again: rungs stop ${strategy} --freeze freezes exits, ` +
      `rungs flatten ${strategy} closes the position`
    )
  if (status === 'sending') return `${id} has no answer of the venue yet: run the command again`
  if (status === 'doubtful') return `the outcome of ${id} is unknown: the bot searches for it first`
  return undefined
}

/** The rung gets no order until an operator resumes the strategy; cancelling the order is then up to `cancelOrders`. */
export function cancelByOperator(
  { state }: Pick<StepContext, 'state'>,
  { order: name, reason }: Extract<Operator, { act: 'cancel' }>,
): void {
  if (cancelFault(state, name) !== undefined) return
  const order = openOrder(state, name)
  const own = order && state.strategies[order.strategy]?.ladders[order.ladder]
  if (order && own) own.omitted = { ...own.omitted, [order.level]: reason }
}

/** Why a rung stays empty after its order was cancelled by an operator. */
export function omission(strategy: string, { omitted }: LadderState, level: string): Reason | null {
  const reason = omitted?.[level]
  if (reason === undefined) return null
  const why = `an operator has cancelled its order: ${reason}`
  return { kind: 'omitted', why, change: `rungs resume ${strategy} places it again` }
}
