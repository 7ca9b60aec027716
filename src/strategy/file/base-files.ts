import { isMap, isNode, isScalar, visit, type Document, type LineCounter, type YAMLMap } from 'yaml'
import { parseYamlDocument } from '#src/core/yaml/yaml-text.ts'

/** One mistake for people, editors and programs; lines and columns count from one. */
export type Problem = {
  line: number
  column: number
  message: string
  hint: string
  /** The base file, if the mistake is there. */
  file?: string
  /** The file itself cannot be read. */
  isUnreadable?: true
}

/** Reads a file in the folder of the strategy; undefined if it cannot be read. */
export type ReadBeside = (name: string) => Uint8Array | undefined

/** A strategy file and its base files as one document, with places in one concatenated text. */
export type MergedDocument = {
  document: Document
  letters: string
  placed: (offset: number, message: string, hint?: string) => Problem
  /** The text of an equivalent single file. */
  text: () => string
}

/** A larger file is not a strategy. */
export const strategyBytesMax = 128 * 1024
const filesMax = 5
export const baseName = /^\w[\w.-]{0,60}\.yaml$/

/** Keys that are not inherited from a base file. */
const own = new Set(['version', 'name', 'tests'])
/** Named things are merged by name; everything else is taken whole from the nearest file. */
export const namedSections = new Set([
  'parameters',
  'for_each',
  'markets',
  'feeds',
  'functions',
  'let',
  'ladder',
])

type Source = {
  name: string | undefined
  letters: string
  lines: LineCounter
  document: Document
  start: number
}

export function readSources(bytes: Uint8Array, beside: ReadBeside): MergedDocument | Problem[] {
  const sources: Source[] = []
  let next: { name: string | undefined; bytes: Uint8Array } | undefined = { name: undefined, bytes }
  while (next !== undefined) {
    const source = sourceOf(next.bytes, next.name, sources.at(-1))
    if (Array.isArray(source)) return source
    sources.push(source)
    const base = extendedBy(source, sources, beside)
    if (Array.isArray(base)) return base
    next = base
  }
  const letters = sources.map((source) => source.letters).join('\n')
  const document = sources.map((source) => source.document).reduceRight((base, nearer) => join(nearer, base))
  return {
    document,
    letters,
    placed(offset, message, hint) {
      const source = sources.findLast(({ start }) => start <= offset)
      return problemAt(source, offset - (source?.start ?? 0), message, hint)
    },
    text: () => (sources.length === 1 ? letters : document.toString({ lineWidth: 0 })),
  }
}

/** Its offsets continue after the end of the file that extends it. */
function sourceOf(
  bytes: Uint8Array,
  name: string | undefined,
  before: Source | undefined,
): Source | Problem[] {
  const wrong = {
    line: 1,
    column: 1,
    hint: 'check that it is the right file',
    ...(name && { file: name }),
  }
  if (bytes.length > strategyBytesMax)
    return [{ ...wrong, message: `the file has ${bytes.length} bytes, more than ${strategyBytesMax}` }]
  const letters = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const { document, lines, mistakes } = parseYamlDocument(letters)
  const start = before ? before.start + before.letters.length + 1 : 0
  const source = { name, letters, lines, document, start }
  const hidden = hiddenIn(letters, document)
  if (hidden !== undefined) {
    const hint = 'a strategy is plain UTF-8 text: remove control characters and direction marks'
    return [problemAt(source, hidden, 'this character is invisible or changes the text direction', hint)]
  }
  if (mistakes.length > 0)
    return mistakes.map(({ offset, text, hint }) => problemAt(source, offset, text, hint))
  if (start > 0) shift(document, start)
  return source
}

/** Control characters, and marks that change the text direction. */
const hidden =
  /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufffc\u{10000}-\u{10ffff}]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** The place of the first hidden character, written directly or as a YAML escape. */
function hiddenIn(letters: string, document: Document): number | undefined {
  const plain = letters.search(hidden)
  if (plain !== -1) return plain
  let found: number | undefined
  visit(document, {
    Scalar(_, { value, range }) {
      if (typeof value !== 'string' || !hidden.test(value)) return undefined
      found = range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return found
}

function shift(document: Document, by: number): void {
  visit(document, (_, node) => {
    if (isNode(node) && node.range) node.range = [node.range[0] + by, node.range[1] + by, node.range[2] + by]
  })
}

/** Reads the base file, and removes the key `extends`. */
function extendedBy({ document, ...source }: Source, sources: readonly Source[], beside: ReadBeside) {
  const node = isMap(document.contents) ? document.getIn(['extends'], true) : undefined
  if (!isNode(node)) return undefined
  const refuse = (message: string, hint: string) => [
    problemAt(source, (node.range?.[0] ?? 0) - source.start, `extends: ${message}`, hint),
  ]
  const name = isScalar(node) ? String(node.value) : ''
  if (!baseName.test(name))
    return refuse('must be the name of a file in the same folder', 'write it like house.yaml')
  if (sources.some((each) => each.name === name))
    return refuse(`${name} extends itself`, 'one of the files must not extend another')
  if (sources.length === filesMax)
    return refuse(`a chain of more than ${filesMax} files`, 'merge some of them')
  const bytes = beside(name)
  if (!bytes) return refuse(`${name} cannot be read`, 'it must be a file in the same folder')
  document.deleteIn(['extends'])
  return { name, bytes }
}

function join(nearer: Document, base: Document): Document {
  const [contents, more] = [nearer.contents, base.contents]
  if (!isMap(contents) || !isMap(more)) return nearer
  for (const pair of more.items) {
    const key = String(pair.key)
    const [mine, theirs] = [contents.get(key, true), pair.value]
    if (own.has(key)) continue
    if (mine === undefined) contents.items.push(pair)
    else if (namedSections.has(key) && isMap(mine) && isMap(theirs)) mine.items = joined(mine, theirs)
  }
  return nearer
}

/** In the order of the base, so that a file can change a `let` that expressions below use. */
function joined(mine: YAMLMap, theirs: YAMLMap): YAMLMap['items'] {
  const [own, base] = [new Map(mine.items.map((pair) => [String(pair.key), pair])), theirs.items]
  const kept = base.map((pair) => own.get(String(pair.key)) ?? pair)
  return [...kept, ...mine.items.filter((pair) => !kept.includes(pair))]
}

function problemAt(
  source: Pick<Source, 'lines' | 'name'> | undefined,
  offset: number,
  message: string,
  hint = '',
): Problem {
  const { line, col } = source?.lines.linePos(offset) ?? { line: 1, col: 1 }
  const place = { line: Math.max(line, 1), column: Math.max(col, 1), message, hint }
  return source?.name === undefined ? place : { ...place, file: source.name }
}
