import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import type { QueueView } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { isFrozen } from '#src/engine/rules/halts.ts'
import type { AccountReport } from '#src/venue/port.ts'
import { driftText } from '#src/engine/state/drift.ts'
import { receivedAt } from '#src/engine/state/prices.ts'
import { lastSignal } from '#src/engine/state/signals.ts'
import type { Order, Quote, RungState, State, StrategyState } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { ladderFields, orderOf } from '#src/operate/dashboard/strategy-fields.ts'
import { noOrders, strategyRow, type Counts } from './strategy-row.ts'
import { addHoldings, balanceRows } from './holding-rows.ts'
import type { CompiledByName } from '#src/operate/dashboard/strategy-cache.ts'
import type { Reasons } from '#src/operate/dashboard/reasons.ts'
import type { LadderRow, OrderRow, RungRow, Tables } from './tables.ts'

/** Data of the tables that is not in the state. */
export type TableContext = {
  pid: number
  version: string
  venueUrl: string
  real: boolean
  waiting: number
  contact: Connectivity
  dashboard: string | null
  /** By strategy. */
  files: ReadonlyMap<string, string>
  lanes: readonly QueueView[]
  trades: Tables['trades']
  /** What the venue reported at the last read of the account. */
  report?: AccountReport | undefined
}

type Rows<Row> = Record<string, Row>
type SlowTable = 'ladders' | 'rungs' | 'orders' | 'limits' | 'rules' | 'values' | 'exits'
type SlowTables = { [Name in SlowTable]: Rows<Tables[Name][string]> }

/**
 * Reasons take long to compute and are passed in, by strategy. With `before`, the tables of rungs and orders are reused:
 * only time and prices have changed since.
 */
export function tablesOf(
  state: State,
  known: CompiledByName,
  reasons: ReadonlyMap<string, Reasons>,
  about: TableContext,
  before?: Tables,
): Tables {
  const { ladders, rungs, orders, limits, rules, values, exits, counts } = before
    ? { ...before, counts: new Map(Object.entries(before.strategies)) }
    : ofOrders(state, known, reasons)
  const strategies: Rows<Tables['strategies'][string]> = {}
  const holdings: Rows<Tables['holdings'][string]> = {}
  const pairs: Rows<Tables['pairs'][string]> = {}
  const feeds: Rows<Tables['feeds'][string]> = {}
  for (const [name, own] of Object.entries(state.strategies)) {
    const compiled = known.get(name)
    strategies[name] = strategyRow(state, name, own, counts.get(name) ?? noOrders, about.files)
    addHoldings(state, name, own, { compiled, report: about.report }, { holdings, pairs })
    if (compiled) addFeeds(state, compiled, feeds)
  }
  return {
    bot: { '': botRow(state, about) },
    strategies,
    markets: Object.fromEntries(Object.entries(state.quotes).map(([of, quote]) => [of, marketRow(quote)])),
    ladders,
    rungs,
    orders,
    holdings,
    pairs,
    trades: about.trades,
    balances: balanceRows(state.account),
    limits,
    rules,
    values,
    exits,
    feeds,
    lanes: Object.fromEntries(about.lanes.map((lane) => [lane.lane, lane])),
  }
}

/** The tables that change with orders and reasons. */
function ofOrders(state: State, known: CompiledByName, reasons: ReadonlyMap<string, Reasons>) {
  const tables: SlowTables = {
    ladders: {},
    rungs: {},
    orders: {},
    limits: {},
    rules: {},
    values: {},
    exits: {},
  }
  const counts = addOrders(state, tables.orders)
  for (const [name, own] of Object.entries(state.strategies)) {
    const why = reasons.get(name)
    addLadders(state, { strategy: name, own, compiled: known.get(name), reasons: why }, tables)
    for (const limit of why?.limits ?? []) tables.limits[`${name}.${limit.limit}`] = limit
    for (const value of why?.values ?? []) tables.values[`${name}.${value.name}`] = value
    for (const exit of why?.exits ?? []) tables.exits[`${name}.${exit.ladder}.${exit.label}`] = exit
    for (const rule of why?.rules ?? []) tables.rules[`${name}.${rule.rule}`] = rule
  }
  return { ...tables, counts }
}

function botRow(state: State, about: TableContext): Tables['bot'][string] {
  const { at, stopped, account, venue, drift } = state
  const { pid, version, venueUrl, real, waiting, contact, dashboard } = about
  return {
    at,
    pid,
    version,
    venueUrl,
    speed: venue.speed,
    real,
    waiting,
    stopped,
    exits: isFrozen(state) ? 'frozen' : 'work',
    equity: account?.equity ?? null,
    ...contactFields(contact),
    drift: driftText(drift),
    capabilities: [...venue.capabilities, ...(venue.pending ?? []).map((each) => `${each}?`)].join(' '),
    dashboard,
  }
}

/** Distinguishes a venue that does not answer from a part of the account that the bot cannot read. */
function contactFields({ readAt, lost }: Connectivity) {
  const isUnreadable = lost?.unreadable === true
  return {
    readAt,
    lost: isUnreadable ? null : (lost?.reason ?? null),
    lostSince: lost?.since ?? null,
    unread: isUnreadable ? lost.reason : null,
  }
}

function marketRow({ bid, ask, last, at }: Quote): Tables['markets'][string] {
  return { bid: priceText(bid), ask: priceText(ask), last: priceText(last), at }
}

function priceText(price: number | null): string | null {
  return price === null ? null : new Decimal(price).toFixed()
}

/** Adds the open orders, and counts them by strategy. */
function addOrders({ orders }: State, rows: Rows<OrderRow>): Map<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const order of Object.values(orders)) {
    if (order.status === 'ended') continue
    rows[order.id] = orderRow(order, order.status)
    let count = counts.get(order.strategy)
    if (!count) counts.set(order.strategy, (count = { ...noOrders }))
    count[order.status] += 1
  }
  return counts
}

/** An unchanged row stays the same object, which saves memory and its comparison. */
const orderRows = new WeakMap<Order, OrderRow>()
const changing = ['filled', 'why', 'withdrawing', 'doubtfulSince', 'sentAt'] as const

function orderRow(order: Order, status: OrderRow['status']): OrderRow {
  const known = orderRows.get(order)
  if (known?.status === status && changing.every((field) => known[field] === order[field])) return known
  const { strategy, ladder, level, role, market, side, price, amount, filled, withdrawing, why } = order
  const { sentAt, doubtfulSince } = order
  const row = {
    strategy,
    ladder,
    label: level,
    role,
    market,
    side,
    price,
    amount,
    filled,
    status,
    withdrawing,
    why,
    sentAt,
    doubtfulSince,
  }
  orderRows.set(order, row)
  return row
}

type StrategyView = {
  strategy: string
  own: StrategyState
  compiled: Compiled | undefined
  reasons: Reasons | undefined
}

function addLadders(
  state: State,
  { strategy, own, compiled, reasons }: StrategyView,
  { ladders, rungs }: Pick<SlowTables, 'ladders' | 'rungs'>,
): void {
  for (const [ladder, mine] of Object.entries(own.ladders)) {
    const key = `${strategy}.${ladder}`
    const market = compiled?.ladders.find(({ name }) => name === ladder)?.symbol ?? ''
    const why = reasons?.rungs.get(ladder)
    const filled = new Set(mine.filled)
    const row: LadderRow = {
      strategy,
      ladder,
      market,
      ...ladderFields(state, mine),
      filled: mine.filled.length,
      position: mine.held.position,
      entry: mine.held.entry,
    }
    ladders[key] = row
    for (const rung of mine.rungs) {
      const order = orderOf(state, mine, rung.level)
      const known = rungRow(row, rung, order, filled, why?.get(rung.level))
      rungs[known.key] = known.row
    }
    if (mine.rungs.length > 0) continue
    // Without rungs, the reasons name those that the ladder would have.
    for (const [level, { side, price, amount, state: stands, order, why: reason }] of why ?? [])
      rungs[`${key}.${level}`] = {
        strategy,
        ladder,
        level,
        market,
        side,
        price,
        amount,
        state: stands,
        order,
        why: reason,
      }
  }
}

const states = { sending: 'sent', resting: 'resting', doubtful: 'doubtful' } as const
const rungRows = new WeakMap<RungState, { key: string; row: RungRow }>()

function rungRow(
  { strategy, ladder, market }: LadderRow,
  rung: RungState,
  alive: Order | undefined,
  filled: ReadonlySet<string>,
  reason: { why: string | null; state: RungRow['state'] } | undefined,
): { key: string; row: RungRow } {
  const { level, side, price, amount } = rung
  const standing = alive && alive.status !== 'ended' ? states[alive.status] : undefined
  const state = standing ?? (filled.has(level) ? 'filled' : 'missing')
  const order = alive?.id ?? rung.order
  // Reasons are computed from time to time: one of another state is stale.
  const why = reason?.state === state ? reason.why : null
  const known = rungRows.get(rung)
  if (known) {
    const { row } = known
    const isSame = row.state === state && row.order === order && row.why === why && row.market === market
    if (isSame && row.price === price && row.amount === amount) return known
  }
  const key = known?.key ?? `${strategy}.${ladder}.${level}`
  const row: RungRow = { strategy, ladder, level, market, side, price, amount, state, order, why }
  const found = { key, row }
  rungRows.set(rung, found)
  return found
}

function addFeeds(
  state: State,
  { name: strategy, feeds, signals, futures, depth, trades, ...compiled }: Compiled,
  rows: Rows<Tables['feeds'][string]>,
): void {
  const polled = [
    ...futures.map((each) => ({ ...each, interval: 'futures' })),
    ...depth.map((each) => ({ ...each, interval: 'depth' })),
    ...trades.map((each) => ({ ...each, interval: 'trades' })),
  ]
  for (const { name: feed, symbol: market, interval } of [...feeds, ...polled]) {
    const at = receivedAt(state, compiled.strategy, feed)
    rows[`${strategy}.${feed}`] = { strategy, feed, market, kind: interval ?? 'book', heardAt: at }
  }
  for (const { name: feed } of signals) {
    const { at = null, value = '' } = lastSignal(state.strategies[strategy] ?? {}, feed) ?? {}
    rows[`${strategy}.${feed}`] = { strategy, feed, market: '', kind: `signal ${value}`.trim(), heardAt: at }
  }
}
