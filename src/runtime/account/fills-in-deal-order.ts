import type { SeenOrder } from '#src/engine/events.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import { openOrdersOf } from '#src/engine/state/open-orders.ts'
import { formatAtoms, parseAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import type { AccountReads, DealPage, ListedOrder } from '#src/venue/port.ts'

type Step = { seen: SeenOrder; at: number; deal: number }

const unknownAt = Number.MAX_SAFE_INTEGER

/**
 * Progress of these orders for the engine. The result of several fills depends on their order, so each deal is a separate
 * step with its time. Without a list of deals, the end times of the orders count.
 */
export async function inDealOrder(
  account: Pick<AccountReads, 'deals'>,
  state: State,
  listed: readonly ListedOrder[],
): Promise<SeenOrder[]> {
  const seen = listed.map(({ id, progress }) => Object.assign({ id }, progress))
  const contested = contestedMarkets(state, seen)
  if (contested.size === 0) return seen
  const pages = new Map<string, DealPage>()
  for (const market of contested) {
    const answer = await account.deals(market)
    // Without one of them, the order of the others is not known.
    if (answer.kind === 'read' && answer.unread === undefined) pages.set(market, answer.value)
  }
  // No await from here on: the state must be of one moment.
  const rows = new Map(listed.map((each) => [each.venueId, each]))
  const isContested = ({ id }: SeenOrder) => contested.has(state.orders[id]?.market ?? '')
  const steps = seen.filter(isContested).flatMap((each) => {
    const [order, row] = [state.orders[each.id], rows.get(each.venueId)]
    return order && row ? stepsOf(order, each, row, pages.get(row.market)) : []
  })
  steps.sort((a, b) => a.at - b.at || a.deal - b.deal)
  return [...seen.filter((each) => !isContested(each)), ...steps.map((step) => step.seen)]
}

/**
 * Markets in which the order of the new fills affects the result: a strategy has bought and sold there recently, closes a
 * position, or has orders of both sides. The bot may read a fill of the other side before or after these.
 */
export function contestedMarkets(state: State, seen: readonly SeenOrder[]): ReadonlySet<string> {
  const contested = new Set<string>()
  const filled = seen.flatMap(({ id, filled: now }) => {
    const order = state.orders[id]
    return order && order.filled !== now ? [order] : []
  })
  for (const order of filled) {
    if (contested.has(order.market)) continue
    const meets = (other: Order) =>
      other.side !== order.side && other.market === order.market && other.strategy === order.strategy
    if (isAgainst(state, order) || filled.some(meets) || openOrdersOf(state).values().some(meets))
      contested.add(order.market)
  }
  return contested
}

/** Whether the order closes a position of the strategy, or follows a recent fill of the other side. */
function isAgainst({ strategies }: State, { strategy, side }: Order): boolean {
  const isOther = (amount: string) => amount !== '0' && (side === 'buy') === amount.startsWith('-')
  return Object.values(strategies[strategy]?.holdings ?? {}).some(
    ({ position, tail = [] }) => isOther(position) || tail.some(({ amount }) => isOther(amount)),
  )
}

/** The steps from the known fills of an order to the listed ones: one per deal, or a single one if the deals are unknown. */
function stepsOf(order: Order, seen: SeenOrder, row: ListedOrder, page: DealPage | undefined): Step[] {
  const { endedAt } = row
  const whole = [
    { seen: endedAt === null ? seen : { ...seen, dealtAt: endedAt }, at: endedAt ?? unknownAt, deal: 0 },
  ]
  if (page === undefined) return whole
  const deals = page.deals
    .filter(({ venueId }) => venueId === seen.venueId)
    .sort((a, b) => a.at - b.at || a.id - b.id)
  const oldest = page.deals.at(-1)?.at ?? 0
  const isComplete = page.isAll || oldest < row.placedAt
  if (!isComplete && !seen.ended) return whole
  const [known, last] = [parseAtoms(order.filled), parseAtoms(seen.filled)]
  // The page has all later deals of an ended order, so the first deal follows the missing ones.
  const missing = (all: string, field: 'amount' | 'money' | 'fee') =>
    deals.reduce((left, deal) => left - parseSignedAtoms(deal[field]), parseSignedAtoms(all))
  let [filled, spent, paid] = isComplete
    ? [0n, 0n, 0n]
    : [missing(seen.filled, 'amount'), missing(seen.money, 'money'), missing(seen.fee, 'fee')]
  if (filled < 0n || filled > known) return whole
  const steps: Step[] = []
  for (const { id, at, amount, money, fee } of deals) {
    filled += parseAtoms(amount)
    spent += parseAtoms(money)
    paid += parseSignedAtoms(fee)
    if (filled <= known) continue
    const dealt = { ...seen, dealtAt: at, deal: id }
    if (filled === last) return [...steps, { seen: dealt, at, deal: id }]
    if (filled > last) return whole
    const way = { filled: formatAtoms(filled), money: formatAtoms(spent), fee: formatAtoms(paid) }
    steps.push({ seen: { ...dealt, ...way, ended: false, passing: true }, at, deal: id })
  }
  return whole
}
