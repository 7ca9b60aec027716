import type { ASTNode } from '@marcbachmann/cel-js'
import type { Condition } from '#src/strategy/expressions/condition.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import { childrenOf } from '#src/strategy/expressions/reads.ts'
import type { KeyPath, StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

/** A comparison that is true if the first value is above the second. */
type Comparison = { above: ASTNode; below: ASTNode; path: KeyPath; start?: number }

/** Warns of a price of the last candle beyond an extreme of candles of which this candle is the last. */
export function extremeWarnings({ rules }: Strategy, { lets, conditions }: Programs): StrategyFault[] {
  const comparisons = [
    ...lets.flatMap(({ name, program }) => comparisonsIn(program.ast, ['let', name])),
    ...rules.flatMap(({ id }, index) => comparisonsOf(conditions.get(id), ['rules', index, 'when'])),
  ]
  const resolved = (node: ASTNode): ASTNode => {
    const used = node.op === 'id' ? lets.find(({ name }) => name === node.args) : undefined
    return used ? resolved(used.program.ast) : node
  }
  return comparisons.flatMap(({ above, below, ...place }) => {
    const [one, other] = [readOf(resolved(above)), readOf(resolved(below))]
    return [
      ...warningOf(one, other, { extreme: 'highest', side: 'above', trend: 'rises', of: 'high' }),
      ...warningOf(other, one, { extreme: 'lowest', side: 'below', trend: 'falls', of: 'low' }),
    ].map((warning) => Object.assign(warning, place))
  })
}

function comparisonsOf(condition: Condition | undefined, path: KeyPath): Comparison[] {
  switch (condition?.kind) {
    case 'is':
      return comparisonsIn(condition.program.ast, path)
    case 'all':
    case 'any':
      return condition.of.flatMap((part, index) => comparisonsOf(part, [...path, condition.kind, index]))
    case 'not':
      return comparisonsOf(condition.of, [...path, 'not'])
    case 'crosses_above':
    case 'crosses_below': {
      const [{ ast: one }, { ast: other }] = condition.of
      const [above, below] = condition.kind === 'crosses_above' ? [one, other] : [other, one]
      return [{ above, below, path: [...path, condition.kind] }]
    }
    default:
      return []
  }
}

function comparisonsIn(node: ASTNode, path: KeyPath): Comparison[] {
  const inner = childrenOf(node).flatMap((child) => comparisonsIn(child, path))
  if (node.op !== '>' && node.op !== '<') return inner
  const [one, other] = node.args
  const [above, below] = node.op === '>' ? [one, other] : [other, one]
  return [{ above, below, path, start: node.start }, ...inner]
}

/** The call of a function that reads a feed. */
type Read = { name: string; feed: string; candles: unknown }

function readOf(node: ASTNode): Read | undefined {
  if (node.op !== 'call') return undefined
  const [name, [feed, candles]] = node.args
  return feed?.op === 'id' ? { name, feed: feed.args, candles: candles?.args } : undefined
}

type Extreme = Record<'extreme' | 'side' | 'trend' | 'of', string>

function warningOf(
  price: Read | undefined,
  limit: Read | undefined,
  { extreme, side, trend, of }: Extreme,
): Pick<StrategyFault, 'message' | 'hint'>[] {
  if (!price || limit?.name !== extreme || price.feed !== limit.feed || !prices.has(price.name)) return []
  const { feed, candles } = limit
  const [value, limitText] = [`${price.name}(${feed})`, `${extreme}(${feed}, ${String(candles)})`]
  const message = `${value} is never ${side} ${limitText}, which includes the last closed candle`
  const hint = `write { ${trend}: "${limitText}" }: the ${of} of the last candle is ${side} the ${String(candles)} before it`
  return [{ message, hint }]
}

/** The prices of the last candle, which are between its high and its low. */
const prices = new Set(['open', 'high', 'low', 'last'])
