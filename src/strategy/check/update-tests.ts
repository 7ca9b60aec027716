import { isMap, isNode, isSeq } from 'yaml'
import { parseYamlDocument } from '#src/core/yaml/yaml-text.ts'
import { loopVariables } from '#src/strategy/loops/loops.ts'
import type { TestDifference } from './strategy-tests.ts'

/**
 * The text of a strategy file with the computed values in place of the expected ones that differ. All other text stays as
 * it is; a list of another length is replaced with its comments.
 */
export function withComputedValues(text: string, differences: readonly TestDifference[]): string {
  const { document } = parseYamlDocument(text)
  const tests = document.get('tests', true)
  const names = isSeq(tests) ? tests.items.map((test) => isMap(test) && test.get('name')) : []
  const hasLoops = loopVariables(document).size > 0
  const edits = differences.flatMap(({ path, test, computed }) => {
    // A loop can write a test several times, which moves those behind it. Its values are not one value of the file.
    const [section, index, ...inside] = path
    const node = document.getIn([section, hasLoops ? names.indexOf(test) : index, ...inside], true)
    if (computed === undefined || !isNode(node) || !node.range) return []
    const [from, end] = node.range
    // A block list ends behind its last line break.
    return [{ from, to: from + text.slice(from, end).trimEnd().length, computed }]
  })
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((all, { from, to, computed }) => all.slice(0, from) + computed + all.slice(to), text)
}
