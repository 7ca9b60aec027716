import { test } from 'vitest'
import { authentication } from './spec/authentication.ts'
import { bulkOrders } from './spec/bulk-orders.ts'
import { walk } from './spec/clause.ts'
import { conventions } from './spec/conventions.ts'
import { errors } from './spec/errors.ts'
import { events } from './spec/events.ts'
import { flexLists } from './spec/flex-lists.ts'
import { funds } from './spec/funds.ts'
import { investments } from './spec/investments.ts'
import { limits } from './spec/limits.ts'
import { mining } from './spec/mining.ts'
import { resourceClauses } from './spec/resource-clauses.ts'
import { states } from './spec/states.ts'
import { tradingReads } from './spec/trading-reads.ts'
import { worlds } from './spec/worlds.ts'

const clauses = [
  ...conventions,
  ...resourceClauses,
  ...states,
  ...flexLists,
  ...investments,
  ...bulkOrders,
  ...funds,
  ...tradingReads,
  ...mining,
  ...authentication,
  ...events,
  ...errors,
  ...limits,
  ...worlds,
]
const counts = new Map<string, number>()
for (const each of clauses) {
  const count = (counts.get(each.section) ?? 0) + 1
  counts.set(each.section, count)
  test(`§${each.section} #${count} ${each.sentence}`, () => walk(each))
}
