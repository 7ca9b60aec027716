import { Decimal } from '#src/core/money/decimal.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import { followFill } from '#src/engine/ladder/follow-fills.ts'
import { mirrorLabel } from '#src/strategy/schema/exit-labels.ts'
import type { Operator } from '#src/engine/events.ts'
import { releaseLevels } from '#src/engine/exits/mirrors.ts'
import { aliveOf, allAlive, settleEntries } from '#src/engine/exits/exit-orders.ts'
import { leaveByHand } from '#src/engine/holdings/holdings.ts'
import { closedByOf } from '#src/engine/holdings/pair-matching.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

type WriteOff = Extract<Operator, { act: 'write-off' }>

/** Why the position cannot be written off, for people; undefined if it can. */
export function writeOffFault(
  state: State,
  { strategy, ladder, amount }: Omit<WriteOff, 'at' | 'kind' | 'reason'>,
): string | undefined {
  const own = state.strategies[strategy]?.ladders[ladder]
  if (!own) return `${strategy} has no ladder ${ladder}`
  const held = new Decimal(own.held.position).abs()
  if (held.isZero()) return `${strategy}.${ladder} holds no position`
  if (amount !== null && (held.lt(amount) || new Decimal(amount).isZero()))
    return `${strategy}.${ladder} holds ${held.toFixed()}, not ${amount}`
  const exits = allAlive(state, own).filter(
    ({ role, activation }) => role === 'exit' && activation === undefined,
  )
  const offered = exits.reduce((sum, order) => sum.plus(leftOf(order)), new Decimal(0))
  if (offered.plus(amount ?? held).lte(held)) return undefined
  return `${exits[0]?.id} may still close the position: wait until it ends, or cancel it`
}

/**
 * Others have closed the position of a ladder. The ladder books it at the price that the operator names, as if it had been sold
 * there, and offers nothing for it any more.
 */
export function writeOff({ state, known, notes }: StepContext, event: WriteOff): void {
  const { at, strategy, ladder, price, reason } = event
  const own = state.strategies[strategy]
  const mine = own?.ladders[ladder]
  const compiled = known.get(strategy)
  const file = compiled?.strategy.ladder[ladder]
  if (!own || !mine || !file || writeOffFault(state, event) !== undefined) return
  const held = new Decimal(mine.held.position)
  const amount = new Decimal(event.amount ?? held.abs())
  const left = amount.times(held.gt(0) ? -1 : 1).toFixed()
  leaveByHand(own, file.market, { ladder, amount: left, price, at, closedBy: closedByOf(file) })
  takeOff(state, mine, file, amount)
  followFill(compiled, own)
  if (mine.held.position === '0') settleEntries(state, mine)
  mine.writtenOff = `${amount.toFixed()} at ${price}: ${reason}`
  notes.push({
    type: 'alert',
    at,
    strategy,
    ladder,
    message: `written off by an operator: ${mine.writtenOff}`,
  })
}

/** The mirrors of the closed amount that have no order are removed; their levels may be placed again, as after a sale. */
function takeOff(state: State, own: LadderState, file: LadderFile, amount: Decimal): void {
  const { mirrors, carried } = own.exits
  // Coins that the ladder keeps have no mirror, and are gone first.
  let left = file.exit?.earn === 'base' ? Decimal.max(0, amount.minus(keptBefore(own, amount))) : amount
  for (const [level, mirror] of Object.entries(mirrors)) {
    const order = aliveOf(state, own, mirrorLabel(level))
    const gone = Decimal.min(left, new Decimal(mirror.amount).minus(order ? leftOf(order) : 0))
    left = left.minus(gone)
    mirror.amount = gone.neg().plus(mirror.amount).toFixed()
    if (mirror.amount !== '0') continue
    delete mirrors[level]
    releaseLevels(own, mirror.levels, file)
  }
  const rest = Decimal.max(0, new Decimal(carried.amount).abs().minus(left))
  if (carried.cost !== undefined && carried.amount !== '0')
    carried.cost = new Decimal(carried.cost).times(rest).div(carried.amount).toFixed()
  carried.amount = rest.times(carried.amount.startsWith('-') ? -1 : 1).toFixed()
  if (!rest.isZero()) return
  const { levels } = carried
  carried.levels = []
  releaseLevels(own, levels, file)
}

function keptBefore({ held, exits: { mirrors, carried } }: LadderState, writtenOff: Decimal): Decimal {
  const offered = Object.values(mirrors).reduce(
    (sum, { amount }) => sum.plus(amount),
    new Decimal(carried.amount),
  )
  return Decimal.max(0, writtenOff.plus(held.position).minus(offered))
}
