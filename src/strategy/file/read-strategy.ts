import { isScalar, type Document } from 'yaml'
import { mistakesMax } from '#src/core/yaml/mistake.ts'
import { exampleAt } from '#src/core/yaml/schema-keys.ts'
import { keyOffset, offsetOf } from '#src/core/yaml/schema-mistakes.ts'
import { examineYaml } from '#src/core/yaml/yaml-text.ts'
import type { StrategyFault } from './strategy-fault.ts'
import { compileAll, type Programs } from '#src/strategy/expressions/programs.ts'
import { referenceFaults } from './references.ts'
import { strategySchema, type Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { withDefaults } from './with-defaults.ts'
import { readSources, type ReadBeside, type Problem } from './base-files.ts'

export type Read = {
  strategy: Strategy
  programs: Programs
  /** The problem with the place of a fault found later. */
  placed: (fault: StrategyFault) => Problem
  /** The text of the strategy as a single file: it can be stored and read again without its base files. */
  text: () => string
}

/** Reads the bytes of a file: returns the strategy with compiled expressions, or all problems. */
export function readStrategy(
  bytes: Uint8Array,
  beside: ReadBeside = () => undefined,
  further: FurtherFaults = () => [],
): Read | Problem[] {
  const whole = readSources(bytes, beside)
  if (Array.isArray(whole)) return sorted(whole)
  const { document, letters } = whole
  const { raw, read } = examineYaml(document, strategySchema)
  const placed = (fault: StrategyFault) =>
    whole.placed(placeOf(fault, document, letters), fault.message, fault.hint)
  const { programs, faults } = compileAll(raw)
  if ('mistakes' in read) {
    const form = read.mistakes.map(({ offset, text, hint }) => whole.placed(offset, text, hint))
    return sorted([...form, ...[...faults, ...referencesBeside(raw, further)].map(placed)])
  }
  const strategy = withDefaults(read.value)
  faults.push(...referenceFaults(strategy))
  if (faults.length > 0) return sorted([...faults, ...further(strategy)].map(placed))
  return { strategy, programs, placed, text: whole.text }
}

/** What a caller checks, too, so that one round shows all mistakes: whether the venue has the markets. */
export type FurtherFaults = (strategy: Strategy) => StrategyFault[]

const lately = new Map<string, Read | Problem[]>()
const latelyMost = 8

/**
 * The same for the text of a single file. A sweep reads the same texts many times and changes nothing in the result, so
 * it is cached for a while.
 */
export function readStrategyText(text: string): Read | Problem[] {
  const known = lately.get(text)
  if (known) return known
  const read = readStrategy(new TextEncoder().encode(text))
  const [oldest] = lately.keys()
  if (lately.size === latelyMost && oldest !== undefined) lately.delete(oldest)
  lately.set(text, read)
  return read
}

/** Without one of these sections, every reference to it would be wrong. */
const referredTo = new Set<PropertyKey | undefined>(['markets', 'feeds', 'ladder', 'rules'])

/**
 * Faults beside those of the form. Without its unknown keys, and with examples in place of missing and wrong values, the
 * rest is often a valid strategy. Nothing is said about an example, and about a ladder with
 * an example in it.
 */
function referencesBeside(raw: unknown, further: FurtherFaults): StrategyFault[] {
  const rest: unknown = structuredClone(raw)
  const replaced: PropertyKey[][] = []
  for (const issue of strategySchema.safeParse(rest).error?.issues ?? []) {
    const around = issue.code === 'unrecognized_keys' ? issue.path : issue.path.slice(0, -1)
    const parent = around.reduce<unknown>((place, key) => Reflect.get(Object(place), key), rest)
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) Reflect.deleteProperty(Object(parent), key)
    else {
      const [section] = issue.path
      const isWhole = issue.path.length === 1 && referredTo.has(section)
      const example = isWhole ? undefined : exampleAt(strategySchema, issue.path, rest)
      if (example === undefined || typeof parent !== 'object' || parent === null) return []
      Reflect.set(parent, issue.path.at(-1) ?? '', structuredClone(example))
      replaced.push(issue.path[0] === 'ladder' ? issue.path.slice(0, 2) : issue.path)
    }
  }
  const { data } = strategySchema.safeParse(rest)
  if (!data) return []
  const hasOtherRules = replaced.some(([section]) => section === 'rules')
  const strategy = withDefaults(data)
  return [...referenceFaults(strategy), ...further(strategy)].filter(
    ({ path }) =>
      !replaced.some((place) => place.every((key, at) => path[at] === key)) &&
      // The rule that places a ladder can be the one with the mistake.
      !(hasOtherRules && path[0] === 'ladder' && path.length === 2),
  )
}

/** In the order of the files, cut to a maximum: a file of another kind can have a problem at every character. */
export function sorted(problems: readonly Problem[]): Problem[] {
  return [...problems].sort(byPlace).slice(0, mistakesMax)
}

function byPlace(a: Problem, b: Problem): number {
  return (a.file ?? '').localeCompare(b.file ?? '') || a.line - b.line || a.column - b.column
}

/** The exact character if the file contains the value as read: plain, or quoted without escapes. */
function placeOf({ path, start, onKey = false }: StrategyFault, document: Document, text: string): number {
  if (onKey) return keyOffset(document, path)
  const begin = offsetOf(document, path)
  const node = document.getIn(path, true)
  if (start === undefined || !isScalar(node) || typeof node.value !== 'string') return begin
  const quote = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0
  const isVerbatim = text.startsWith(node.value, begin + quote)
  return isVerbatim ? begin + quote + start : begin
}
