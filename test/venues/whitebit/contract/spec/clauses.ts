import { authentication } from './authentication.ts'
import { bulkOrders } from './bulk-orders.ts'
import type { Clause } from './clause.ts'
import { conventions } from './conventions.ts'
import { endpoints } from './endpoints.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { flexLists } from './flex-lists.ts'
import { funds } from './funds.ts'
import { investments } from './investments.ts'
import { limits } from './limits.ts'
import { mining } from './mining.ts'
import { resourceClauses } from '#test/venues/whitebit/contract/spec/resources/resource-clauses.ts'
import { states } from './states.ts'
import { tradingReads } from './trading-reads.ts'
import { worlds } from './worlds.ts'

const chapters: readonly (readonly Clause[])[] = [
  conventions,
  resourceClauses,
  states,
  endpoints,
  flexLists,
  investments,
  bulkOrders,
  funds,
  tradingReads,
  mining,
  authentication,
  events,
  errors,
  limits,
  worlds,
]

/** Every clause in the order of the specification, numbered within its section. */
export const clauses = numbered(chapters.flat())

function numbered(all: readonly Clause[]): { name: string; told: Clause }[] {
  const counts = new Map<string, number>()
  return all
    .toSorted((a, b) => compareSections(a.section, b.section))
    .map((told) => {
      const count = (counts.get(told.section) ?? 0) + 1
      counts.set(told.section, count)
      return { name: `§${told.section} #${count} ${told.sentence}`, told }
    })
}

/** As a table of contents has them: 4.2 before 4.10. */
function compareSections(a: string, b: string): number {
  const [chapterA = 0, partA = 0] = a.split('.').map(Number)
  const [chapterB = 0, partB = 0] = b.split('.').map(Number)
  return chapterA - chapterB || partA - partB
}
