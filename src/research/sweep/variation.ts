import { BotError } from '#src/core/errors/bot-error.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { parseYamlDocument } from '#src/core/yaml/yaml-text.ts'

/** One place of a strategy file, and what is to be tried there, as it would be written in the file. */
export type Variation = { path: string; values: readonly string[] }
/** What is tried together, in the order of the variations. */
export type Choice = readonly string[]

const valuesMax = 10_000
const example = 'Write a value such as ladder.grid.levels=10..50:10, or rules.0.for=5m,10m,1h'

/** `PATH=from..to:step`, where all three carry the same unit, or `PATH=value,value,…`. */
export function readVariation(text: string): Variation {
  const [, path = '', said = ''] = /^([^=\s]+)=(.+)$/s.exec(text) ?? []
  if (path === '') throw unfit(text, 'has no parameter and no values')
  const range = /^(-?\d+(?:\.\d+)?)(.*)\.\.(-?\d+(?:\.\d+)?)(.*):(\d+(?:\.\d+)?)(.*)$/.exec(said)
  const values = range ? valuesOf(text, range) : pieces(said)
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  if (twice !== undefined) throw unfit(text, `has the value ${twice} twice`)
  if (values.some((value) => value === '')) throw unfit(text, 'has an empty value')
  return { path, values }
}

/** Exactly as many as fit: 1..2:0.3 is 1, 1.3, 1.6 and 1.9. */
function valuesOf(text: string, [, from = '', unit = '', to = '', toUnit, step = '', stepUnit]: string[]) {
  if (unit !== toUnit || unit !== stepUnit) {
    throw unfit(text, `mixes units: "${unit}", "${toUnit}" and "${stepUnit}"`)
  }
  const [first, last, apart] = [new Decimal(from), new Decimal(to), new Decimal(step)]
  if (apart.isZero()) throw unfit(text, 'has a step of zero')
  if (last.lt(first)) throw unfit(text, 'ends below its start')
  const count = last.minus(first).divToInt(apart).toNumber() + 1
  if (count > valuesMax) throw unfit(text, `has ${count} values, more than ${valuesMax}`)
  return Array.from({ length: count }, (_, index) => first.plus(apart.times(index)).toFixed() + unit)
}

/** At commas that stand in no brackets and no quotes. */
function pieces(text: string): string[] {
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

/**
 * From a strategy to each of its variants: text in, text out. A place must be written in the file already, since
 * otherwise nobody could tell a new setting from a typing mistake.
 */
export function variantsOf(text: string, variations: readonly Variation[]): (choice: Choice) => string {
  const { document } = parseYamlDocument(text)
  const places = placesOf(document.toJS(), [])
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
      if (written.mistakes.length > 0) throw unfit(`${path}=${choice[index]}`, 'is not YAML')
      variant.setIn(path.split('.'), written.document.contents)
    }
    // They say what the values of the file itself should come to.
    variant.delete('tests')
    return variant.toString({ lineWidth: 0 })
  }
}

function placesOf(value: unknown, path: readonly string[]): string[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))
      : []
  return path.length === 0 ? below : [path.join('.'), ...below]
}

function unfit(text: string, what: string): BotError {
  return new BotError('USAGE', { seen: `--vary ${text.slice(0, 80)} ${what}`, fix: example })
}
