import { isMap, isNode, isScalar, isSeq, type Document, type Pair } from 'yaml'
import type { z } from 'zod'
import { closest, hintOf } from './suggestion.ts'
import { mistakesMax, type Mistake } from './mistake.ts'
import { exampleAt, keysAt } from './schema-keys.ts'

type Issue = z.core.$ZodIssue

/** `elsewhere`: keys that people expect in such a file, each with the place that they have instead. */
export type ExaminedFile = {
  document: Document
  schema: z.ZodType
  content: unknown
  elsewhere: ReadonlyMap<string, string>
}

/** The issues of zod as mistakes, each at its node: an unknown key at the key, a missing key at its parent. */
export function mistakesOfSchema(error: z.ZodError, file: ExaminedFile): Mistake[] {
  const mistakes: Mistake[] = []
  const issues = withoutLengths(error.issues.flatMap(narrowed))
  const unknown = issues.filter(({ code }) => code === 'unrecognized_keys')
  const around = new Set(unknown.map(({ path }) => JSON.stringify(path)))
  for (const issue of issues) {
    if (mistakes.length >= mistakesMax) break
    // A rule about the keys of a mapping follows from an unknown key.
    if (issue.code === 'custom' && around.has(JSON.stringify(issue.path))) continue
    mistakes.push(...mistakesOf(issue, file))
  }
  return mistakes.slice(0, mistakesMax)
}

/** Gives each misspelled key the name that was probably meant, and returns it as a mistake. */
export function respell(error: z.ZodError, file: ExaminedFile): Mistake[] {
  const { document, elsewhere } = file
  const mistakes: Mistake[] = []
  for (const issue of error.issues.flatMap(narrowed)) {
    if (issue.code !== 'unrecognized_keys') continue
    for (const key of issue.keys.slice(0, mistakesMax)) {
      const meant = closest(key, unused(file, issue.path))
      const node = pairAt(document, [...issue.path, key])?.key
      if (meant === undefined || elsewhere.has(key) || !isScalar(node)) continue
      mistakes.push(...mistakesOf({ ...issue, keys: [key] }, file))
      node.value = meant
    }
  }
  return mistakes
}

/** The length of a value of the wrong form means nothing. */
function withoutLengths(issues: readonly Issue[]): Issue[] {
  const placeOf = ({ path }: Issue) => JSON.stringify(path)
  const otherForms = new Set(issues.filter(({ code }) => code === 'invalid_type').map(placeOf))
  return issues.filter((issue) => !lengths.has(issue.code) || !otherForms.has(placeOf(issue)))
}

const lengths = new Set(['too_small', 'too_big'])

function mistakesOf(issue: Issue, file: ExaminedFile): Mistake[] {
  const { document, schema, content, elsewhere } = file
  if (issue.code === 'unrecognized_keys') {
    const known = unused(file, issue.path)
    return issue.keys.slice(0, mistakesMax).map((key) => ({
      offset: keyOffset(document, [...issue.path, key]),
      text: `unknown key "${key}"`,
      hint: elsewhere.get(key) ?? hintOf(key, known) ?? cutHint(key) ?? keysHint(known),
    }))
  }
  if (isMissing(issue, document)) {
    const key = String(issue.path.at(-1))
    const text = `the key "${key}" is missing${where(issue.path.slice(0, -1))}`
    const example = exampleAt(schema, issue.path, content)
    const hint = example === undefined ? undefined : `add it, such as ${key}: ${flowText(example)}`
    return [{ offset: offsetOf(document, issue.path.slice(0, -1)), text, hint }]
  }
  const [text = '', fix] = words(issue, document).split('\n')
  const hint = fix ?? exampleHint(issue, schema, content)
  return [
    {
      offset: offsetOf(document, issue.path),
      text: issue.path.length === 0 ? `the file ${text}` : `${issue.path.join('.')}: ${text}`,
      hint,
    },
  ]
}

/** A comma in an expression between braces ends its value. */
function cutHint(key: string): string | undefined {
  if (!/[()<>=]/.test(key)) return undefined
  return 'a comma between { and } begins a new key: write the value before it in quotes'
}

/** For a union, the issues of the branch that fits best: of the right form, then with the fewest issues. */
export function narrowed(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0 || issue.message !== anyMessage)
    return [issue]
  const isOther = (branch: readonly Issue[]) =>
    branch.some(({ code, path }) => path.length === 0 && otherForm.has(code))
  const [branch = []] = issue.errors.toSorted(
    (a, b) => Number(isOther(a)) - Number(isOther(b)) || a.length - b.length,
  )
  return branch.flatMap((inner) => narrowed({ ...inner, path: [...issue.path, ...inner.path] }))
}

/** Of a union without words of its own. */
const anyMessage = 'Invalid input'

/** A choice of words says this also of a mapping. */
const otherForm = new Set(['invalid_type', 'invalid_value'])

function keysHint(known: readonly string[]): string | undefined {
  return known.length === 0 ? 'remove it' : `use one of ${known.join(', ')}`
}

/** An example for a value without a fix of its own. The entries of a list have no key to write. */
function exampleHint({ path }: Issue, schema: z.ZodType, content: unknown): string | undefined {
  const key = path.at(-1)
  if (key === undefined) return startHint(schema)
  const example = exampleAt(schema, path, content)
  if (example === undefined) return undefined
  return `write it like ${typeof key === 'number' ? '' : `${String(key)}: `}${flowText(example)}`
}

/** For a file that is no mapping: its first key. */
function startHint(schema: z.ZodType): string | undefined {
  const [key] = keysAt(schema, [], undefined)
  const example = key === undefined ? undefined : exampleAt(schema, [key], undefined)
  return example === undefined ? undefined : `start the file with ${key}: ${flowText(example)}`
}

/** A value as YAML on one line. */
function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([key, each]) => `${key}: ${flowText(each)}`)
  return `{ ${entries.join(', ')} }`
}

function isMissing(issue: Issue, document: Document): boolean {
  // A rule about several keys points at one of them.
  if (issue.code === 'custom' || issue.path.length === 0 || document.hasIn(issue.path)) return false
  return isMap(issue.path.length === 1 ? document.contents : document.getIn(issue.path.slice(0, -1), true))
}

/** The message, and after a line break the fix. */
function words(issue: Issue, document: Document): string {
  const found = document.getIn(issue.path, true)
  const allowed = choices(issue)
  if (allowed) {
    const meant = isScalar(found) ? hintOf(String(found.value), allowed) : undefined
    const text = `must be ${allowed.length === 1 ? '' : 'one of '}${allowed.join(', ')}`
    return meant === undefined ? text : `${text}\n${meant}`
  }
  if (issue.code === 'invalid_type') {
    const isEmpty = !isMap(found) && !isSeq(found) && (!isScalar(found) || !found.value)
    if (isEmpty && issue.expected === 'string')
      return 'has no value\nwithin { } a comma starts the next entry: write 100000, not 100,000'
    const kind = isMap(found) ? 'a mapping' : isSeq(found) ? 'a list' : isEmpty ? 'nothing' : 'one value'
    return `must be ${kinds[issue.expected] ?? issue.expected}, not ${kind}`
  }
  if ((issue.code === 'too_big' || issue.code === 'too_small') && isSeq(found)) {
    const [bound, most] = issue.code === 'too_big' ? ['at most', issue.maximum] : ['at least', issue.minimum]
    const text = `must have ${bound} ${most} ${Number(most) === 1 ? 'entry' : 'entries'}, not ${found.items.length}`
    // The message of a schema is better than that of its library.
    if (issue.message.startsWith('Too ')) return text
  }
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  return issue.message
}

/** The words that a value may be. */
function choices(issue: Issue): string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  return issue.code === 'invalid_union' && 'options' in issue ? issue.options?.map(String) : undefined
}

const kinds: Record<string, string> = {
  string: 'one value',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
}

/** Keys that could be meant: allowed here, and not in the file yet. */
function unused({ schema, content, document }: ExaminedFile, path: readonly PropertyKey[]): string[] {
  return keysAt(schema, path, content).filter((key) => !document.hasIn([...path, key]))
}

function where(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '' : ` in ${path.join('.')}`
}

/** The offset of the value, or of the nearest node around it. */
export function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  if (isNode(node) && node.range) return node.range[0]
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1))
}

export function keyOffset(document: Document, path: readonly PropertyKey[]): number {
  const key = pairAt(document, path)?.key
  return isNode(key) && key.range ? key.range[0] : offsetOf(document, path.slice(0, -1))
}

function pairAt(document: Document, path: readonly PropertyKey[]): Pair | undefined {
  const around = path.slice(0, -1)
  const parent = around.length === 0 ? document.contents : document.getIn(around, true)
  if (!isMap(parent)) return undefined
  return parent.items.find((item) => isScalar(item.key) && item.key.value === path.at(-1))
}
