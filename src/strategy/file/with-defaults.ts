import type { Capability, Strategy, WrittenStrategy } from '#src/strategy/schema/strategy-schema.ts'
import { usesOf } from './capabilities.ts'

/** Every strategy places ladders, looks up ended orders and reads its balance. */
const alwaysNeeded: readonly Capability[] = ['bulk', 'history', 'balance']
/** An entry and the parts of its exit can be open at the same time. */
const openOrdersPerRung = 4

/** The values of keys that a file may omit, where they follow from the rest of the file. */
export function withDefaults(file: WrittenStrategy): Strategy {
  const feeds: Strategy['feeds'] = {}
  const signals: Strategy['signals'] = {}
  const futures: Strategy['futures'] = {}
  const depth: Strategy['depth'] = {}
  const trades: Strategy['trades'] = {}
  for (const [name, feed] of Object.entries(file.feeds)) {
    if (feed.source === 'signal') signals[name] = feed
    else if (feed.source === 'futures') futures[name] = feed
    else if (feed.source === 'depth') depth[name] = feed
    else if (feed.source === 'trades') trades[name] = feed
    else feeds[name] = feed
  }
  const uses = usesOf({ ...file, futures, depth, trades })
  const { needs = [...new Set([...alwaysNeeded, ...uses.map(({ capability }) => capability)])] } = file
  const rungs = Object.values(file.ladder).reduce(
    (sum, { levels, side, spacing }) => sum + levels * (side === 'both' && spacing.kind !== 'range' ? 2 : 1),
    0,
  )
  const { max_open_orders: openOrders = openOrdersPerRung * rungs } = file.risk
  return {
    ...file,
    feeds,
    signals,
    futures,
    depth,
    trades,
    needs,
    risk: { ...file.risk, max_open_orders: openOrders },
  }
}
