import type { AccountRecords, DealRecord, AccountOrder, Units } from './account-records.ts'
import { units } from './account-records.ts'
import type { DashboardTables } from './bot-view.ts'
import type { SeenCall } from './fault-proxy.ts'

/** What the bot may have on the account at most. */
export type JudgedLimits = { orders: number; money: Record<string, Units> }

const sum = (values: Iterable<Units>) => Iterator.from(values).reduce((all, value) => all + value, 0n)

/** What must never be, whatever happens on the network. It is judged by the records of the exchange alone. */
export function violations({ orders, deals }: AccountRecords, limits: JudgedLimits): string[] {
  return [
    ...twiceExecuted(orders),
    ...twiceAlive(orders),
    ...pastLimits(orders, deals, limits),
    ...wrongFees(orders, deals),
  ]
}

/** Ended orders whose fee is not that of their deals, which are read after the orders. */
function wrongFees(orders: readonly AccountOrder[], deals: readonly DealRecord[]): string[] {
  const byOrder = Map.groupBy(deals, ({ clientId }) => clientId)
  return orders.flatMap(({ clientId, fee, to }) => {
    const ofDeals = sum((byOrder.get(clientId) ?? []).map((deal) => deal.fee))
    return to === Infinity || fee === ofDeals ? [] : [`${clientId} has cost ${fee}, its deals ${ofDeals}`]
  })
}

/** An id that the exchange has taken twice, which this exchange allows after the first one has ended. */
function twiceExecuted(orders: readonly AccountOrder[]): string[] {
  const byId = Map.groupBy(orders, ({ clientId }) => clientId)
  return [...byId].flatMap(([id, found]) =>
    found.length > 1 ? [`${id} was placed ${found.length} times`] : [],
  )
}

/** Two orders of one rung or exit that were open at the same time. */
function twiceAlive(orders: readonly AccountOrder[]): string[] {
  const byLabel = Map.groupBy(orders, ({ clientId }) => clientId.replace(/\.[^.]+$/, ''))
  return [...byLabel.values()].flatMap((found) => {
    const inTime = found.toSorted((a, b) => a.from - b.from || a.id - b.id)
    return inTime.flatMap((order, index) => {
      const before = inTime[index - 1]
      return before && before.to > order.from
        ? [`${before.clientId} and ${order.clientId} were open at once`]
        : []
    })
  })
}

/** At one moment, orders end before others begin; one that fills at once begins, fills and ends. */
type Change = { at: number; rank: number; make: () => void; market: string; what: string }

/** The number of open orders, and the money at stake if all orders of the worse side fill, at each moment. */
function pastLimits(
  orders: readonly AccountOrder[],
  deals: readonly DealRecord[],
  limits: JudgedLimits,
): string[] {
  const byId = new Map(orders.map((order) => [order.clientId, order]))
  const left = new Map<AccountOrder, Units>()
  const held = new Map<string, { amount: Units; cost: Units }>()
  const changes: Change[] = orders.flatMap((order) => [
    {
      at: order.from,
      rank: 1,
      make: () => left.set(order, order.amount),
      market: order.market,
      what: order.clientId,
    },
    {
      at: order.to,
      rank: order.to === order.from ? 3 : 0,
      make: () => left.delete(order),
      market: order.market,
      what: order.clientId,
    },
  ])
  for (const deal of deals) {
    const order = byId.get(deal.clientId)
    if (order === undefined) continue
    const make = () => {
      const open = left.get(order)
      if (open !== undefined) left.set(order, open - deal.amount)
      const before = held.get(order.market) ?? { amount: 0n, cost: 0n }
      held.set(order.market, after(before, order.buys ? deal.amount : -deal.amount, deal.price))
    }
    changes.push({ at: deal.time, rank: 2, make, market: order.market, what: deal.clientId })
  }
  const found: string[] = []
  for (const { make, market, what, rank } of changes.toSorted((a, b) => a.at - b.at || a.rank - b.rank)) {
    make()
    if (rank !== 1) continue
    if (left.size > limits.orders) found.push(`${left.size} orders were open with ${what}`)
    const open = { buys: 0n, sells: 0n }
    for (const [order, amount] of left)
      if (order.market === market) open[order.buys ? 'buys' : 'sells'] += (amount * order.price) / 10n ** 18n
    const { amount, cost } = held.get(market) ?? { amount: 0n, cost: 0n }
    const [long, short] = amount >= 0n ? [cost, 0n] : [0n, cost]
    const [up, down] = [long + open.buys - short, short + open.sells - long]
    const most = limits.money[market] ?? 0n
    if (up > most || down > most)
      found.push(`${up > down ? up : down} units of money at stake in ${market} with ${what}`)
  }
  return found
}

/** A position and what it has cost, after a deal. */
function after(before: { amount: Units; cost: Units }, change: Units, price: Units) {
  const amount = before.amount + change
  const worth = (of: Units) => (abs(of) * price) / 10n ** 18n
  if (before.amount === 0n || before.amount > 0n === change > 0n)
    return { amount, cost: before.cost + worth(change) }
  if (amount === 0n || amount > 0n !== before.amount > 0n) return { amount, cost: worth(amount) }
  return { amount, cost: (before.cost * abs(amount)) / abs(before.amount) }
}

function abs(value: Units): Units {
  return value < 0n ? -value : value
}

/** What all deals in a market have cost after the first so many of all deals, and after each later one. */
function feesAfter(deals: readonly DealRecord[], market: string, count: number): Units[] {
  const inMarket = (from: number, to?: number) =>
    deals.slice(from, to).filter((deal) => deal.market === market)
  const sums = [sum(inMarket(0, count).map(({ fee }) => fee))]
  for (const { fee } of inMarket(count)) sums.push((sums.at(-1) ?? 0n) + fee)
  return sums
}

/**
 * Where the bot does not say what the exchange says, or is not sure: by order, market or other subject. Fills go on
 * while both are read: the bot must know `dealsBefore`, and may know those that were read after its view.
 */
export function disagreements(
  { orders, deals, positions }: AccountRecords,
  bot: DashboardTables,
  dealsBefore: number,
): Map<string, string> {
  const found = new Map<string, string>()
  if (bot.lost !== null) found.set('contact', `the bot does not reach the venue: ${bot.lost}`)
  if (bot.drift !== null) found.set('drift', `the bot reports a drift: ${bot.drift}`)
  const open = new Map(orders.filter(({ to }) => to === Infinity).map((order) => [order.clientId, order]))
  for (const [id, { status, filled }] of Object.entries(bot.orders)) {
    const there = open.get(id)
    if (status !== 'resting') found.set(id, `${id} is ${status}`)
    else if (there === undefined) found.set(id, `${id} is open for the bot alone`)
    else if (there.filled !== units(filled)) found.set(id, `${id} has filled ${filled} for the bot`)
  }
  for (const id of open.keys())
    if (bot.orders[id] === undefined) found.set(id, `${id} is open for the exchange alone`)
  const held = Object.values(bot.holdings)
  for (const market of new Set([...Object.keys(positions), ...held.map((row) => row.market)])) {
    const ours = sum(held.flatMap((row) => (row.market === market ? [units(row.position)] : [])))
    const theirs = positions[market] ?? 0n
    if (ours !== theirs) found.set(market, `the bot holds ${ours} of ${market}, the exchange has ${theirs}`)
  }
  for (const market of new Set(deals.map((deal) => deal.market))) {
    const ours = sum(held.flatMap((row) => (row.market === market ? [units(row.fees)] : [])))
    const theirs = feesAfter(deals, market, dealsBefore)
    if (!theirs.includes(ours))
      found.set(`fees of ${market}`, `the bot has paid ${ours} in ${market}, not one of ${theirs.join(', ')}`)
  }
  return found
}

/**
 * A nonce that the bot has used twice, or nonces that do not rise. The proxy sees calls arrive, not leave: a call on
 * a new connection, which the bot has given up, can arrive after the next call. So the order counts of answered calls.
 */
export function repeatedCalls(calls: readonly SeenCall[]): string[] {
  const found: string[] = []
  const seen = new Set<number>()
  let last = 0
  for (const { path, body, answered } of calls) {
    const nonce = Number(/"nonce":"(\d+)"/.exec(body)?.[1] ?? Infinity)
    if (nonce === Infinity) continue
    if (seen.has(nonce)) found.push(`${path} with nonce ${nonce} for the second time`)
    seen.add(nonce)
    if (!answered) continue
    if (nonce < last) found.push(`${path} with nonce ${nonce} after ${last}`)
    last = Math.max(last, nonce)
  }
  return found
}
