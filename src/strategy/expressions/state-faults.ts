import type { ASTNode } from '@marcbachmann/cel-js'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import type { ExpressionFault } from './expression-faults.ts'
import { childrenOf } from './reads.ts'

/** Comparisons of a signal with words that are not among its states: they would never be true. */
export function stateFaults(ast: ASTNode, statesOf: (feed: string) => unknown): ExpressionFault[] {
  const inside = childrenOf(ast).flatMap((part) => stateFaults(part, statesOf))
  if (ast.op !== 'call') return inside
  const [name, [feed, word]] = ast.args
  if (name !== 'signal_is' || feed?.op !== 'id' || word === undefined) return inside
  const found = statesOf(feed.args)
  const states: readonly unknown[] = Array.isArray(found) ? found : []
  if (states.length === 0 || (word.op === 'value' && states.includes(word.args))) return inside
  const said = word.op === 'value' ? String(word.args) : undefined
  const texts = states.map(String)
  const hint =
    (said === undefined ? undefined : hintOf(said, texts)) ?? `write one of ${texts.join(', ')} in quotes`
  const message =
    said === undefined ? `the state of ${feed.args} must be a word` : `"${said}" is no state of ${feed.args}`
  return [{ start: word.start, message, hint }, ...inside]
}
