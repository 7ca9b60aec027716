import { test } from 'vitest'
import { walk } from './spec/clause.ts'
import { conventions } from './spec/conventions.ts'
import { flexLists } from './spec/flex-lists.ts'
import { investments } from './spec/investments.ts'
import { resourceClauses } from './spec/resource-clauses.ts'
import { states } from './spec/states.ts'

const clauses = [...conventions, ...resourceClauses, ...states, ...flexLists, ...investments]
const counts = new Map<string, number>()
for (const each of clauses) {
  const count = (counts.get(each.section) ?? 0) + 1
  counts.set(each.section, count)
  test(`§${each.section} #${count} ${each.sentence}`, () => walk(each))
}
