import type { LimitRow, Tables } from '#src/operate/dashboard/tables/tables.ts'
import type { Sample } from './metric-families.ts'

const statuses = ['resting', 'sending', 'doubtful'] as const

/** Unknown values have no sample. */
export function gaugesOf(tables: Omit<Tables, 'limits'>, limits: readonly LimitRow[]): Sample[] {
  return [
    ...ofBot(tables),
    ...ofStrategies(tables),
    ...ofLimits(limits),
    ...ofHoldings(tables),
    ...ofLanes(tables),
  ]
}

function* ofBot({ bot }: Pick<Tables, 'bot'>): Iterable<Sample> {
  for (const { at, waiting, stopped, equity, readAt, lost, lostSince } of Object.values(bot)) {
    yield { name: 'rungs_events_waiting', labels: {}, value: waiting }
    yield { name: 'rungs_stopped', labels: {}, value: bit(stopped !== null) }
    const silent = lost === null || lostSince === null ? 0 : secondsSince(lostSince, at)
    yield { name: 'rungs_venue_silent_seconds', labels: {}, value: silent }
    if (equity !== null) yield { name: 'rungs_equity', labels: {}, value: equity }
    if (readAt === null) continue
    yield { name: 'rungs_account_age_seconds', labels: {}, value: secondsSince(readAt, at) }
  }
}

function* ofStrategies({ bot, strategies, orders, feeds }: Omit<Tables, 'limits'>): Iterable<Sample> {
  const at = bot['']?.at ?? 0
  for (const [strategy, row] of Object.entries(strategies)) {
    const labels = { strategy }
    yield { name: 'rungs_strategy_running', labels, value: bit(row.running) }
    yield { name: 'rungs_strategy_halted', labels, value: bit(row.halted !== null) }
    yield { name: 'rungs_strategy_paused', labels, value: bit(row.pauses !== null) }
    yield { name: 'rungs_result', labels, value: row.result }
    yield { name: 'rungs_result_today', labels, value: row.today }
    yield { name: 'rungs_drawdown', labels, value: row.drawdown }
    yield { name: 'rungs_max_drawdown', labels, value: row.maxDrawdown }
    yield { name: 'rungs_fees', labels, value: row.fees }
    yield { name: 'rungs_grid_profit', labels, value: row.gridProfit }
    yield { name: 'rungs_floating', labels, value: row.floating }
    yield { name: 'rungs_pairs', labels, value: row.pairs }
    for (const status of statuses)
      yield { name: 'rungs_orders', labels: { strategy, status }, value: row[status] }
    const since = Object.values(orders)
      .filter((order) => order.strategy === strategy)
      .map(({ doubtfulSince }) => doubtfulSince ?? at)
    const oldest = Math.min(at, ...since)
    yield { name: 'rungs_doubt_age_seconds', labels, value: secondsSince(oldest, at) }
  }
  for (const { strategy, feed, heardAt } of Object.values(feeds)) {
    if (heardAt === null) continue
    yield { name: 'rungs_feed_age_seconds', labels: { strategy, feed }, value: secondsSince(heardAt, at) }
  }
}

function* ofLimits(limits: readonly LimitRow[]): Iterable<Sample> {
  for (const { strategy, limit, used, most } of limits) {
    if (most !== null) yield { name: 'rungs_limit_most', labels: { strategy, limit }, value: most }
    if (used !== null) yield { name: 'rungs_limit_used', labels: { strategy, limit }, value: used }
  }
}

function* ofHoldings({ holdings }: Pick<Tables, 'holdings'>): Iterable<Sample> {
  for (const { strategy, name: market, position, worth } of Object.values(holdings)) {
    yield { name: 'rungs_position', labels: { strategy, market }, value: position }
    if (worth !== null) yield { name: 'rungs_exposure', labels: { strategy, market }, value: worth }
  }
}

function* ofLanes({ lanes }: Pick<Tables, 'lanes'>): Iterable<Sample> {
  for (const { lane, waiting, used, most } of Object.values(lanes)) {
    if (used === null || most === null) {
      yield { name: 'rungs_lane_waiting', labels: { lane }, value: waiting }
      continue
    }
    yield { name: 'rungs_rate_used', labels: { path: lane }, value: used }
    yield { name: 'rungs_rate_most', labels: { path: lane }, value: most }
  }
}

/** Data may be newer than the time of the last step. */
function secondsSince(then: number, at: number): number {
  return Math.max(0, at - then) / 1000
}

function bit(is: boolean): number {
  return is ? 1 : 0
}
