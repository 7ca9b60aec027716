import type { ASTNode } from '@marcbachmann/cel-js'
import { childrenOf } from '#src/strategy/expressions/reads.ts'

/** The range in which all comparisons of one value so far are true. */
type Range = { least: number; isAboveLeast: boolean; most: number; isBelowMost: boolean }

type Comparison = { of: string; sign: '<' | '<=' | '>' | '>=' | '=='; number: number }

/** For conditions that must all be true: the first part that contradicts the parts before it. */
export function neverTrue(conditions: readonly ASTNode[]): ASTNode | undefined {
  const ranges = new Map<string, Range>()
  for (const part of conditions.flatMap(partsOf)) {
    if (part.op === 'value' && part.args === false) return part
    for (const comparison of comparisonsIn(part)) {
      const before = ranges.get(comparison.of)
      const range = narrowed(before ?? anything, comparison)
      if (isEmpty(range)) return part
      ranges.set(comparison.of, range)
    }
  }
  return undefined
}

const anything: Range = { least: -Infinity, isAboveLeast: false, most: Infinity, isBelowMost: false }

/** The parts that must all be true. */
export function partsOf(node: ASTNode): ASTNode[] {
  return node.op === '&&' ? node.args.flatMap(partsOf) : [node]
}

function comparisonsIn(node: ASTNode): Comparison[] {
  if (node.op === 'call') {
    const [name, [value, low, high]] = node.args
    if (name !== 'between' || !value || !low || !high) return []
    return [compared(value, '>=', low), compared(value, '<=', high)].flat()
  }
  switch (node.op) {
    case '<':
    case '<=':
    case '>':
    case '>=':
    case '==':
      return compared(node.args[0], node.op, node.args[1])
    default:
      return []
  }
}

const turned = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==' } as const

function compared(one: ASTNode, sign: Comparison['sign'], other: ASTNode): Comparison[] {
  const [left, right] = [numberIn(one), numberIn(other)]
  if (right !== undefined) {
    const of = meaningOf(one)
    return [
      ...(left === undefined ? [] : [{ of, sign: '==' as const, number: left }]),
      { of, sign, number: right },
    ]
  }
  return left === undefined ? [] : [{ of: meaningOf(other), sign: turned[sign], number: left }]
}

function narrowed(range: Range, { sign, number }: Comparison): Range {
  let { least, isAboveLeast, most, isBelowMost } = range
  if (sign !== '<' && sign !== '<=' && number >= least) {
    isAboveLeast = sign === '>' || (number === least && isAboveLeast)
    least = number
  }
  if (sign !== '>' && sign !== '>=' && number <= most) {
    isBelowMost = sign === '<' || (number === most && isBelowMost)
    most = number
  }
  return { least, isAboveLeast, most, isBelowMost }
}

function isEmpty({ least, isAboveLeast, most, isBelowMost }: Range): boolean {
  return least > most || (least === most && (isAboveLeast || isBelowMost))
}

/** The value of a literal number, with its sign. */
export function numberIn(node: ASTNode): number | undefined {
  if (node.op === '-_') {
    const number = numberIn(node.args)
    return number === undefined ? undefined : -number
  }
  if (node.op !== 'value') return undefined
  return typeof node.args === 'number' || typeof node.args === 'bigint' ? Number(node.args) : undefined
}

/** The same text for equal expressions. */
function meaningOf(node: ASTNode): string {
  return `${node.op} ${nameIn(node)}(${childrenOf(node).map(meaningOf).join()})`
}

function nameIn(node: ASTNode): string {
  if (node.op === 'call') return node.args[0]
  return node.op === 'id' || node.op === 'value' ? String(node.args) : ''
}
