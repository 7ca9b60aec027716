import { BotError } from '#src/core/errors/bot-error.ts'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { parseYamlDocument } from '#src/core/yaml/yaml-text.ts'
import { isPlainRange, steppedRange } from '#src/strategy/schema/value-range.ts'

/** A key of a strategy file, and the values to test, as written in the file. */
export type Variation = { path: string; values: readonly string[] }
/** One value for each variation. */
export type Choice = readonly string[]

const example = 'Write a value such as ladder.grid.levels=10..50:10, or rules.0.for=5m,10m,1h'

/** `PATH=from..to:step`, where all three carry the same unit, or `PATH=value,value,…`. */
export function readVariation(text: string): Variation {
  const [, path = '', valuesText = ''] = /^([^=\s]+)=(.+)$/s.exec(text) ?? []
  if (path === '') throw invalid(text, 'has no parameter and no values')
  const range = steppedRange(valuesText)
  if (range && 'wrong' in range) throw invalid(text, range.wrong)
  // The only key whose value is a range itself.
  if (!range && isPlainRange(valuesText) && !path.endsWith('.backoff'))
    throw invalid(text, `has a range without a step, such as ${valuesText}:1`)
  const values = range?.values ?? splitValues(valuesText)
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  if (twice !== undefined) throw invalid(text, `has the value ${twice} twice`)
  if (values.some((value) => value === '')) throw invalid(text, 'has an empty value')
  return { path, values }
}

/** Splits at commas outside of brackets and quotes. */
function splitValues(text: string): string[] {
  const found: string[] = []
  let [depth, quote, start] = [0, '', 0]
  for (let index = 0; index < text.length; index++) {
    const letter = text.charAt(index)
    if (quote !== '') quote = letter === quote ? '' : quote
    else if (letter === '"' || letter === "'") quote = letter
    else if ('[{('.includes(letter)) depth += 1
    else if (')}]'.includes(letter)) depth -= 1
    else if (letter === ',' && depth === 0) {
      found.push(text.slice(start, index).trim())
      start = index + 1
    }
  }
  return [...found, text.slice(start).trim()]
}

/** Returns a function that writes the text of a variant. The keys must exist in the file, to detect typing mistakes. */
export function variantsOf(text: string, variations: readonly Variation[]): (choice: Choice) => string {
  const { document } = parseYamlDocument(text)
  const places = keysOf(document.toJS(), [])
  for (const { path } of variations) {
    if (document.hasIn(path.split('.'))) continue
    throw new BotError('USAGE', {
      seen: `--vary ${path}: the strategy has no such key`,
      fix: hintOf(path, places) ?? 'Name a key of the file, such as ladder.grid.levels',
    })
  }
  return (choice) => {
    const variant = document.clone()
    for (const [index, { path }] of variations.entries()) {
      const written = parseYamlDocument(choice[index] ?? '')
      if (written.mistakes.length > 0) throw invalid(`${path}=${choice[index]}`, 'is not YAML')
      variant.setIn(path.split('.'), written.document.contents)
    }
    // The tests of the file expect its own values.
    variant.delete('tests')
    return variant.toString({ lineWidth: 0 })
  }
}

function keysOf(value: unknown, path: readonly string[]): string[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => keysOf(inner, [...path, key]))
      : []
  return path.length === 0 ? below : [path.join('.'), ...below]
}

/** Whether the values are growing numbers with one unit, of which neighbours are similar. */
export function isOrdered(values: readonly string[]): boolean {
  const parts = values.map((value) => /^(-?\d+(?:\.\d+)?)([^]*)$/.exec(value))
  return parts.every((part, index) => {
    const before = parts[index - 1]
    return part && (!before || (part[2] === before[2] && Number(part[1]) > Number(before[1])))
  })
}

function invalid(text: string, what: string): BotError {
  return new BotError('USAGE', { seen: `--vary ${text.slice(0, 80)} ${what}`, fix: example })
}
