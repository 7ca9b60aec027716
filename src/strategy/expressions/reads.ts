import type { ASTNode } from '@marcbachmann/cel-js'

/** A function call in an expression, with the first name among its arguments, and its texts. */
type Call = { name: string; of: string | undefined; texts: readonly string[] }

/** The names and function calls that expressions read, also through each `let` that they use. */
export type Reads = { names: ReadonlySet<string>; calls: readonly Call[] }

type Parsed = { ast: ASTNode }

export function reads(
  programs: readonly Parsed[],
  lets: readonly { name: string; program: Parsed }[],
): Reads {
  const names = new Set<string>()
  const calls: Call[] = []
  const left = programs.map(({ ast }) => ast)
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    left.push(...childrenOf(node))
    if (node.op === 'call') {
      const [name, given] = node.args
      const [first] = given
      const texts = given.flatMap(({ op, args }) =>
        op === 'value' && typeof args === 'string' ? [args] : [],
      )
      calls.push({ name, of: first?.op === 'id' ? first.args : undefined, texts })
    }
    if (node.op !== 'id' || names.has(node.args)) continue
    names.add(node.args)
    const used = lets.find(({ name }) => name === node.args)
    if (used) left.push(used.program.ast)
  }
  return { names, calls }
}

/** The parts of an expression, from left to right. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  if (node.op === 'call') return node.args[1]
  const inner: readonly unknown[] = Array.isArray(node.args) ? node.args : [node.args]
  return inner.filter(isNode)
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value
}
