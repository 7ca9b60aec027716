import type { ASTNode } from '@marcbachmann/cel-js'
import { childrenOf } from './reads.ts'

/**
 * A function that a strategy file defines: its calls are replaced by its text before anything else reads an expression. Without a
 * text the function has a mistake, and its calls are not reported.
 */
export type NamedFunction = {
  parameters: readonly string[]
  written: { text: string; ast: ASTNode } | undefined
}
export type NamedFunctions = ReadonlyMap<string, NamedFunction>

export type FoundCall = { start: number; name: string; function: NamedFunction }

/** The calls of named functions, from the outside. */
export function callsIn(node: ASTNode, functions: NamedFunctions): FoundCall[] {
  const inside = childrenOf(node).flatMap((child) => callsIn(child, functions))
  const called = node.op === 'call' ? functions.get(node.args[0]) : undefined
  return called && node.op === 'call'
    ? [{ start: node.start, name: node.args[0], function: called }, ...inside]
    : inside
}

/** Functions of functions can become very long. */
const lettersMax = 20_000
export class TooLong extends Error {}

/** The text of an expression in which each call of a named function is replaced, and each of these names by its text. */
export function withoutCalls(
  text: string,
  ast: ASTNode,
  functions: NamedFunctions,
  values: ReadonlyMap<string, string> = new Map(),
): string {
  const textOf = (node: ASTNode): string => {
    const { start, end } = node.range
    if (node.op === 'id') return values.get(node.args) ?? text.slice(start, end)
    const called = node.op === 'call' ? functions.get(node.args[0]) : undefined
    const parts = childrenOf(node)
    if (called?.written) {
      const { parameters, written } = called
      const given = parameters.map(
        (name, index) => [name, `(${parts[index] ? textOf(parts[index]) : ''})`] as const,
      )
      return `(${withoutCalls(written.text, written.ast, functions, new Map(given))})`
    }
    let [copied, at] = ['', start]
    for (const part of parts.toSorted((one, other) => one.range.start - other.range.start)) {
      copied += text.slice(at, part.range.start) + textOf(part)
      at = part.range.end
    }
    if (copied.length > lettersMax) throw new TooLong()
    return copied + text.slice(at, end)
  }
  return text.slice(0, ast.range.start) + textOf(ast) + text.slice(ast.range.end)
}
