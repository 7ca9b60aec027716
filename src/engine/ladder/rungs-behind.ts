import type { CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { Order, RungState } from '#src/engine/state/state.ts'
import type { RungDistances } from './rung-distances.ts'
import type { ReasonKind, RungStatus } from './reason.ts'

type Test = (status: RungStatus) => boolean

/** The reasons of a rung that also hold for those behind it with `stopOnFail`. */
const headKinds: ReadonlySet<ReasonKind | undefined> = new Set(['refused', 'waits', 'former order', 'stays'])

/** Whether other rungs may wait for this one. */
export const isHead: Test = ({ reason }) => headKinds.has(reason?.kind)
/** Orders of the same money differ by the steps of the amount. */
const nearlyAll = 0.9

/** Whether the venue has refused a rung for lack of money or for the price band, and the bot has not sent it again. */
export function hasBound(statuses: readonly RungStatus[]): boolean {
  return statuses.some(({ rung }) => rung.wait.bound !== undefined)
}

/**
 * With `stopOnFail` all rungs behind a refused rung wait for it. Without it, rungs of the same side wait if the venue would
 * refuse them for the same reason: for lack of money those that need as much, outside the price band those farther away.
 */
export function keepBehind(
  { stopsOnFail }: CompiledLadder,
  statuses: readonly RungStatus[],
  distances: RungDistances,
): void {
  if (stopsOnFail) keepBack(statuses, distances, isHead)
  const bounded = statuses.filter(
    ({ rung, reason }) => rung.wait.bound !== undefined && reason?.kind === 'waits',
  )
  for (const side of new Set(bounded.map(({ rung }) => rung.side))) {
    const isOfSide: Test = ({ rung }) => rung.side === side
    const [poor, far] = [new Set<RungStatus>(), new Set<RungStatus>()]
    for (const status of bounded.filter(isOfSide))
      (status.rung.wait.bound?.of === 'money' ? poor : far).add(status)
    keepBack(statuses, distances, (status) => far.has(status), isOfSide)
    keepExpensive([...poor], statuses.filter(isOfSide))
  }
}

/** The sizes count on the end of this order: with another one beside it, the ladder could hold more than it wants. */
export function keepUntilEnded(order: Order | undefined, statuses: readonly RungStatus[]): void {
  if (order === undefined) return
  const why = `it waits for the end of ${order.id}, an order from before the last fill`
  for (const status of statuses)
    if (isFree(status))
      status.reason = { kind: 'behind', why, change: 'the bot places it when that order has ended' }
}

function keepBack(
  statuses: readonly RungStatus[],
  distances: RungDistances,
  isFirst: Test,
  isMeant: Test = () => true,
): void {
  let first: number | undefined
  for (const [index, status] of statuses.entries())
    if (isFirst(status) && (first === undefined || distances.compare(index, first) < 0)) first = index
  const head = first === undefined ? undefined : statuses[first]
  if (first === undefined || head === undefined) return
  for (const [index, status] of statuses.entries())
    if (isMeant(status) && distances.compare(first, index) < 0) keep(status, head, 'before it')
}

/** `poor`: rungs that the venue has refused for lack of money. */
function keepExpensive(poor: readonly RungStatus[], statuses: readonly RungStatus[]): void {
  const [first, ...others] = poor
  if (first === undefined) return
  const head = others.reduce(
    (least, status) => (moneyOf(status.rung) < moneyOf(least.rung) ? status : least),
    first,
  )
  const least = nearlyAll * moneyOf(head.rung)
  for (const status of statuses)
    if (isFree(status) && moneyOf(status.rung) >= least) keep(status, head, 'of its side')
}

const isFree: Test = ({ order, reason }) => order === null && reason === null

function keep(status: RungStatus, { rung, reason }: RungStatus, where: string): void {
  if (!isFree(status) || reason === null) return
  const { why, change } = reason
  status.reason = { kind: 'behind', why: `it waits for level ${rung.level} ${where}: ${why}`, change }
}

/** Approximately, to compare orders: no price or amount that leaves depends on it. */
function moneyOf({ price, amount }: RungState): number {
  return Number(price) * Number(amount)
}
