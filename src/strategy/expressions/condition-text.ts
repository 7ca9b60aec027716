import type { Condition } from './condition.ts'

/** A condition as one sentence, for people. */
export function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case 'is':
      return condition.program.text
    case 'all':
      return condition.of.map((each) => apart(each, condition.of.length)).join(' and ')
    case 'any':
      return condition.of.map((each) => apart(each, condition.of.length)).join(' or ')
    case 'not':
      return `not ${apart(condition.of, 2)}`
    case 'crosses_above':
    case 'crosses_below': {
      const [one, other] = condition.of
      return `${one.text} ${condition.kind.replace('_', ' ')} ${other.text}`
    }
    case 'rises':
    case 'falls': {
      const over = condition.past.candles === 1 ? '' : ` over ${condition.past.candles} candles`
      return `${condition.of.text} ${condition.kind}${over}`
    }
  }
}

const joining: ReadonlySet<string> = new Set(['&&', '||', '?:'])

/** In brackets, if the grouping would be unclear. */
function apart(condition: Condition, siblings: number): string {
  const text = conditionText(condition)
  const isMixed =
    condition.kind === 'is'
      ? joining.has(condition.program.ast.op)
      : condition.kind === 'all' || condition.kind === 'any'
  return isMixed && siblings > 1 ? `(${text})` : text
}
