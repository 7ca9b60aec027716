import { isScalar, type Document } from 'yaml'
import { mistakesMax } from '#src/core/yaml/mistake.ts'
import { keyOffset, offsetOf } from '#src/core/yaml/schema-mistakes.ts'
import { examineYaml } from '#src/core/yaml/yaml-text.ts'
import type { StrategyFault } from './strategy-fault.ts'
import { compileAll, type Programs } from '#src/strategy/expressions/programs.ts'
import { referenceFaults } from './references.ts'
import { restingStopFaults } from './resting-stop-faults.ts'
import { strategySchema, type Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { isConsequence, partsWithoutMistakes } from './parts-without-mistakes.ts'
import { withExamples } from './with-examples.ts'
import { settingsElsewhere } from './settings-elsewhere.ts'
import { withDefaults } from './with-defaults.ts'
import { loopVariables, onePerEntry, withLoops } from '#src/strategy/loops/loops.ts'
import { withParameters, type NamedParameter } from './parameters.ts'
import { readSources, type ReadBeside, type Problem } from './base-files.ts'

export type Read = {
  strategy: Strategy
  programs: Programs
  parameters: readonly NamedParameter[]
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
  const { letters } = whole
  const {
    document: written,
    parameters,
    mistakes,
  } = withParameters(whole.document, loopVariables(whole.document))
  const { document, mistakes: inLoops } =
    mistakes.length === 0 ? withLoops(written) : { document: written, mistakes: [] }
  const early = [...mistakes, ...inLoops]
  if (early.length > 0) return sorted(early.map(({ offset, text, hint }) => whole.placed(offset, text, hint)))
  const listed = (all: readonly Problem[]) => sorted(onePerEntry(all, document))
  const { raw, read } = examineYaml(document, strategySchema, settingsElsewhere)
  const placed = (fault: StrategyFault) =>
    whole.placed(placeOf(fault, document, letters), fault.message, fault.hint)
  const { programs, faults: inExpressions } = compileAll(raw)
  const form = 'mistakes' in read ? read.mistakes : []
  const problems = form.map(({ offset, text, hint }) => whole.placed(offset, text, hint))
  const meant = 'value' in read ? { strategy: withDefaults(read.value), places: [] } : withExamples(raw)
  if (!meant) return listed([...problems, ...inExpressions.map(placed)])
  const { strategy, places } = meant
  const found = [...inExpressions, ...referenceFaults(strategy), ...restingStopFaults(strategy)]
  const faults = found.filter((fault) => !isConsequence(fault, places, places))
  if ('value' in read && faults.length === 0) {
    return { strategy, programs, parameters, placed, text: whole.text }
  }
  const wrong = [...places, ...found.filter((fault) => !isOfName(fault)).map(({ path }) => path)]
  const right = partsWithoutMistakes(strategy, programs, wrong)
  const others = further(right.strategy, right.programs).filter(
    (fault) => !isConsequence(fault, places, wrong),
  )
  return listed([...problems, ...[...faults, ...others].map(placed)])
}

/** A fault of the name of a part leaves its content as it is. */
function isOfName({ path, onKey = false }: StrategyFault): boolean {
  return onKey && path.length === 2
}

/** What a caller checks, too, so that one round shows all mistakes: the rules of a venue, the rungs and the tests. */
export type FurtherFaults = (strategy: Strategy, programs: Programs) => StrategyFault[]

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
