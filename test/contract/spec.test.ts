import { test } from 'vitest'
import { walk } from './spec/clause.ts'
import { conventions } from './spec/conventions.ts'

const clauses = [...conventions]
const counts = new Map<string, number>()
for (const each of clauses) {
  const count = (counts.get(each.section) ?? 0) + 1
  counts.set(each.section, count)
  test(`§${each.section} #${count} ${each.sentence}`, () => walk(each))
}
