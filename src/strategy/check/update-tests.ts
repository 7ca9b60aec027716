import { isNode } from 'yaml'
import { parseYamlDocument } from '#src/core/yaml/yaml-text.ts'
import type { TestDifference } from './strategy-tests.ts'

/**
 * The text of a strategy file with the computed values in place of the expected ones that differ. All other text stays as
 * it is; a list of another length is replaced with its comments.
 */
export function withComputedValues(text: string, differences: readonly TestDifference[]): string {
  const { document } = parseYamlDocument(text)
  const edits = differences.flatMap(({ path, computed }) => {
    const node = document.getIn(path, true)
    if (computed === undefined || !isNode(node) || !node.range) return []
    const [from, end] = node.range
    // A block list ends behind its last line break.
    return [{ from, to: from + text.slice(from, end).trimEnd().length, computed }]
  })
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((all, { from, to, computed }) => all.slice(0, from) + computed + all.slice(to), text)
}
