import { isScalar, type Document } from 'yaml'
import { keyOffset, offsetOf } from '#src/settings/schema-mistakes.ts'
import { examineYaml } from '#src/settings/yaml-text.ts'
import type { StrategyFault } from './fault.ts'
import { compileAll, type Programs } from './programs.ts'
import { referenceFaults } from './references.ts'
import { strategySchema, type Strategy } from './schema.ts'

/** One mistake as a person, an editor or a program can use it; lines and columns count from one. */
export type Problem = { line: number; column: number; message: string; hint: string }

export type Read = {
  strategy: Strategy
  programs: Programs
  /** Where in the file a later finding belongs. */
  placed: (fault: StrategyFault) => Problem
}

/** A file larger than this is no strategy. */
export const strategyBytesMax = 128 * 1024
const problemsMax = 200

/** From the bytes of a file to a strategy whose every expression is typed, or to all that is wrong with it. */
export function readStrategy(bytes: Uint8Array): Read | Problem[] {
  if (bytes.length > strategyBytesMax) {
    const message = `the file has ${bytes.length} bytes, more than ${strategyBytesMax}`
    return [{ line: 1, column: 1, message, hint: 'check that it is the file you meant' }]
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const strange = text.search(/[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufffc\u{10000}-\u{10ffff}]/u)
  const { document, lines, raw, read } = examineYaml(text, strategySchema)
  const at = (offset: number, message: string, hint = ''): Problem => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1), message, hint }
  }
  if (strange !== -1)
    return [at(strange, 'this is no text', 'a strategy is plain text in UTF-8, without control characters')]
  const placed = (fault: StrategyFault) => at(placeOf(fault, document, text), fault.message, fault.hint)
  const { programs, faults } = compileAll(raw)
  if ('mistakes' in read) {
    const form = read.mistakes.map((mistake) => at(mistake.offset, mistake.text, mistake.hint))
    return sorted([...form, ...[...faults, ...referencesBeside(raw)].map(placed)])
  }
  faults.push(...referenceFaults(read.value))
  if (faults.length > 0) return sorted(faults.map(placed))
  return { strategy: read.value, programs, placed }
}

/** What is wrong beside the form: without the keys that nobody knows, the rest often is a strategy. */
function referencesBeside(raw: unknown): StrategyFault[] {
  const rest: unknown = structuredClone(raw)
  for (const issue of strategySchema.safeParse(rest).error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue
    const parent = issue.path.reduce<unknown>((place, key) => Reflect.get(Object(place), key), rest)
    for (const key of issue.keys) Reflect.deleteProperty(Object(parent), key)
  }
  const { data } = strategySchema.safeParse(rest)
  return data ? referenceFaults(data) : []
}

/** In the order of the file; a file that is none of ours can have one at every letter. */
export function sorted(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => a.line - b.line || a.column - b.column).slice(0, problemsMax)
}

/** Of the very letter, when the value stands in the file as it is read: plain, or in quotes without escapes. */
function placeOf({ path, start, onKey = false }: StrategyFault, document: Document, text: string): number {
  if (onKey) return keyOffset(document, path)
  const begin = offsetOf(document, path)
  const node = document.getIn(path, true)
  if (start === undefined || !isScalar(node) || typeof node.value !== 'string') return begin
  const quote = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0
  const isVerbatim = text.startsWith(node.value, begin + quote)
  return isVerbatim ? begin + quote + start : begin
}
