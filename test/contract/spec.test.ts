import { test } from 'vitest'
import { bulkOrders } from './spec/bulk-orders.ts'
import { walk } from './spec/clause.ts'
import { conventions } from './spec/conventions.ts'
import { flexLists } from './spec/flex-lists.ts'
import { investments } from './spec/investments.ts'
import { resourceClauses } from './spec/resource-clauses.ts'
import { states } from './spec/states.ts'
import { worlds } from './spec/worlds.ts'

const clauses = [...conventions, ...resourceClauses, ...states, ...flexLists, ...investments, ...bulkOrders, ...worlds]
const counts = new Map<string, number>()
for (const each of clauses) {
  const count = (counts.get(each.section) ?? 0) + 1
  counts.set(each.section, count)
  test(`§${each.section} #${count} ${each.sentence}`, () => walk(each))
}
