import type { Contact } from '#src/bot/contact.ts'
import type { Compiled } from '#src/engine/compiled.ts'
import { heardAt, priceOf } from '#src/engine/prices.ts'
import type { Order, Quote, RungState, State, StrategyState } from '#src/engine/state.ts'
import { Decimal } from '#src/money/decimal.ts'
import type { Known } from './known.ts'
import type { Reasons } from './reasons.ts'
import type { LadderRow, LaneRow, OrderRow, RungRow, Table, Tables } from './tables.ts'

/** What the state does not know. */
export type About = {
  pid: number
  version: string
  venueUrl: string
  real: boolean
  waiting: number
  contact: Contact
  dashboard: string | null
  /** By name of the strategy. */
  files: ReadonlyMap<string, string>
  lanes: Table<LaneRow>
}

type Rows<Row> = Record<string, Row>
type Filling = { [Name in keyof Tables]: Rows<Tables[Name][string]> }

/** What can be seen now. What takes long to count out is handed in, by strategy. */
export function tablesOf(
  state: State,
  known: Known,
  reasons: ReadonlyMap<string, Reasons>,
  about: About,
): Tables {
  const tables: Filling = {
    bot: { '': botRow(state, about) },
    strategies: {},
    markets: {},
    ladders: {},
    rungs: {},
    orders: {},
    holdings: {},
    limits: {},
    rules: {},
    feeds: {},
    lanes: { ...about.lanes },
  }
  for (const [symbol, quote] of Object.entries(state.quotes)) tables.markets[symbol] = marketRow(quote)
  const counts = addOrders(state, tables.orders)
  for (const [name, own] of Object.entries(state.strategies)) {
    const compiled = known.get(name)
    const why = reasons.get(name)
    tables.strategies[name] = strategyRow(state, name, own, counts.get(name) ?? nothing, about)
    addLadders(state, name, own, compiled, why, tables)
    addHoldings(state, name, own, compiled, tables.holdings)
    if (compiled) addFeeds(state, compiled, tables.feeds)
    for (const limit of why?.limits ?? []) tables.limits[`${name}.${limit.limit}`] = limit
    for (const rule of why?.rules ?? []) tables.rules[`${name}.${rule.rule}`] = rule
  }
  return tables
}

function botRow(state: State, about: About): Tables['bot'][string] {
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
    equity: account?.equity ?? null,
    readAt: contact.readAt,
    lost: contact.lost?.reason ?? null,
    lostSince: contact.lost?.since ?? null,
    drift: drift.suspect?.text ?? (drift.foreign ? 'others trade on this account' : null),
    capabilities: venue.capabilities.join(' '),
    dashboard,
  }
}

function marketRow({ bid, ask, last, at }: Quote): Tables['markets'][string] {
  return { bid: priceText(bid), ask: priceText(ask), last: priceText(last), at }
}

function priceText(price: number | null): string | null {
  return price === null ? null : new Decimal(price).toFixed()
}

type Counts = { resting: number; sending: number; doubtful: number }
const nothing: Counts = { resting: 0, sending: 0, doubtful: 0 }

/** Those that may be alive, and how many there are of each strategy. */
function addOrders({ orders }: State, rows: Rows<OrderRow>): Map<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const order of Object.values(orders)) {
    if (order.status === 'ended') continue
    rows[order.id] = orderRow(order, order.status)
    let count = counts.get(order.strategy)
    if (!count) counts.set(order.strategy, (count = { ...nothing }))
    count[order.status] += 1
  }
  return counts
}

function orderRow(order: Order, status: OrderRow['status']): OrderRow {
  const { strategy, ladder, level, role, market, side, price, amount, filled, withdrawing, why } = order
  const { sentAt, doubtfulSince } = order
  return {
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
}

function strategyRow(
  { running }: State,
  name: string,
  { halted, pauses, worth, holdings }: StrategyState,
  counts: Counts,
  { files }: About,
): Tables['strategies'][string] {
  const fees = Object.values(holdings).reduce((sum, each) => sum.plus(each.fees), new Decimal(0))
  const reasons = Object.entries(pauses).map(([by, why]) => `${by}: ${why}`)
  return {
    running: running.includes(name),
    halted,
    pauses: reasons.length === 0 ? null : reasons.join('\n'),
    result: worth.result,
    peak: worth.peak,
    today: new Decimal(worth.result).minus(worth.dayBegan).toFixed(),
    fees: fees.toFixed(),
    ...counts,
    file: files.get(name) ?? null,
  }
}

function addLadders(
  state: State,
  strategy: string,
  own: StrategyState,
  compiled: Compiled | undefined,
  reasons: Reasons | undefined,
  { ladders, rungs }: Pick<Filling, 'ladders' | 'rungs'>,
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
      goal: mine.goal,
      episode: mine.episode,
      anchor: mine.anchor,
      rungs: mine.rungs.length,
      resting: 0,
      filled: mine.filled.length,
      missing: mine.missing ?? mine.frozen,
      writtenOff: mine.writtenOff,
      position: mine.held.position,
      entry: mine.held.entry,
    }
    ladders[key] = row
    for (const rung of mine.rungs) {
      const id = mine.open[rung.level]
      const order = id === undefined ? undefined : state.orders[id]
      if (order?.status === 'resting') row.resting += 1
      const reason = why?.get(rung.level)
      rungs[`${key}.${rung.level}`] = rungRow(row, rung, order, filled, reason)
    }
    if (mine.rungs.length > 0) continue
    // Where it would stand.
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

function rungRow(
  { strategy, ladder, market }: LadderRow,
  { level, side, price, amount, order: last }: RungState,
  order: Order | undefined,
  filled: ReadonlySet<string>,
  reason: { why: string | null; state: RungRow['state'] } | undefined,
): RungRow {
  const alive = order && order.status !== 'ended' ? states[order.status] : undefined
  const state = alive ?? (filled.has(level) ? 'filled' : 'missing')
  // Reasons are counted out from time to time: one of another state is of yesterday.
  const why = reason?.state === state ? reason.why : null
  return { strategy, ladder, level, market, side, price, amount, state, order: order?.id ?? last, why }
}

function addHoldings(
  state: State,
  strategy: string,
  { holdings }: StrategyState,
  compiled: Compiled | undefined,
  rows: Filling['holdings'],
): void {
  for (const [name, { position, entry, realized, fees }] of Object.entries(holdings)) {
    const market = compiled?.strategy.markets[name]?.symbol ?? name
    const price = compiled && priceOf(state, compiled.strategy, market)?.price
    const worth = position === '0' ? '0' : (price?.times(position).toFixed() ?? null)
    rows[`${strategy}.${name}`] = { strategy, name, market, position, entry, realized, fees, worth }
  }
}

function addFeeds(
  state: State,
  { name: strategy, feeds, ...compiled }: Compiled,
  rows: Filling['feeds'],
): void {
  for (const { name: feed, symbol: market, interval } of feeds) {
    const kind = interval ?? 'book'
    const heard = heardAt(state, compiled.strategy, feed)
    rows[`${strategy}.${feed}`] = { strategy, feed, market, kind, heardAt: heard }
  }
}
