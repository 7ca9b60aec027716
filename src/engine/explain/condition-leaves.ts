import { truthOf, type Condition, type Past, type Views } from '#src/strategy/expressions/condition.ts'
import { answer, type Program } from '#src/strategy/expressions/expression.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'

/** One comparison of a rule, and its result with the values that it reads. */
export type Leaf = { text: string; value: string }

type Seeing = { views: Views; lets: Programs['lets'] }

/** Every comparison of a rule, as written in the file. */
export function leavesOf(condition: Condition | undefined, seeing: Seeing): Leaf[] {
  if (condition === undefined) return []
  switch (condition.kind) {
    case 'is':
      return [{ text: condition.program.text, value: withNames(condition.program, seeing) }]
    case 'all':
    case 'any':
      return condition.of.flatMap((part) => leavesOf(part, seeing))
    case 'not':
      return leavesOf(condition.of, seeing)
    case 'crosses_above':
    case 'crosses_below': {
      const [one, other] = condition.of
      const [left, right] = [twice(one, seeing, condition.past), twice(other, seeing, condition.past)]
      const value = `${truthOf(condition, seeing.views)}: ${left}; ${right}`
      return [{ text: `${condition.kind} ${one.text}, ${other.text}`, value }]
    }
    case 'rises':
    case 'falls': {
      const value = `${truthOf(condition, seeing.views)}: ${twice(condition.of, seeing, condition.past)}`
      return [{ text: `${condition.kind} ${condition.of.text}`, value }]
    }
  }
}

/** The first comparison that keeps a rule from being true. */
export function blockingLeaf(condition: Condition, seeing: Seeing, wanted = true): Leaf | undefined {
  const found = truthOf(condition, seeing.views)
  if (found === (wanted ? 'true' : 'false')) return undefined
  if (condition.kind === 'all' || condition.kind === 'any') {
    for (const part of condition.of) {
      const leaf = blockingLeaf(part, seeing, wanted)
      if (leaf) return leaf
    }
  }
  if (condition.kind === 'not') return blockingLeaf(condition.of, seeing, !wanted)
  return leavesOf(condition, seeing)[0]
}

/** The text of an expression, with the text of each `let` in it. */
function withNames(program: Program, { views, lets }: Seeing): string {
  const { names } = reads([program], [])
  const named = lets.filter(({ name }) => names.has(name))
  const values = named.map((one) => `${one.name} ${said(one.program, views.now)}`)
  return [said(program, views.now), ...values].join('; ')
}

/** A number of the file has no past. */
function twice(program: Program, { views }: Seeing, past: Past): string {
  const now = said(program, views.now)
  const { names, calls } = reads([program], [])
  if (names.size === 0 && calls.length === 0) return `limit ${now}`
  return `${program.text} was ${said(program, views.ago(past))}, is ${now}`
}

export function said(program: Program, context: Views['now']): string {
  const found = answer(program, context)
  return 'unknown' in found ? `unknown: ${found.unknown}` : String(found.value)
}
