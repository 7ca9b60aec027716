import { isMap, isScalar, isSeq, Pair, Scalar, YAMLMap, YAMLSeq, type Document, type Node } from 'yaml'
import { z } from 'zod'
import type { Mistake } from '#src/core/yaml/mistake.ts'
import { mistakesMax } from '#src/core/yaml/mistake.ts'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { examineYaml } from '#src/core/yaml/yaml-text.ts'
import { forEachSchema, listedName, type Loops } from '#src/strategy/schema/market-schema.ts'
import { namedSections, type Problem } from '#src/strategy/file/base-files.ts'
import { substituted, variable } from './loop-variables.ts'
import { addFilterRules, at, mapOf } from './loop-filters.ts'

const section = 'for_each'
const schema = z.looseObject({ [section]: forEachSchema })
/** Each entry is written once for each market, so a file with many loops could become very long. */
const lettersMax = 512 * 1024

type Expanded = { document: Document; mistakes: Mistake[] }

/** The variables of the loops of a file, before they are validated. */
export function loopVariables(document: Document): ReadonlySet<string> {
  const loops = isMap(document.contents) ? document.get(section, true) : undefined
  return new Set(isMap(loops) ? loops.items.map(({ key }) => String(key)) : [])
}

/**
 * Writes the entries that name the variable of a loop once for each of its markets, and adds the markets. The new nodes have the
 * places of those in the file, so mistakes are reported there. A document without the section stays as it is.
 */
export function withLoops(source: Document): Expanded {
  if (!isMap(source.contents) || !source.has(section)) return { document: source, mistakes: [] }
  const { read } = examineYaml(source, schema)
  if ('mistakes' in read) return { document: source, mistakes: read.mistakes }
  const loops = read.value[section]
  const document = source.clone()
  const expansion = new Expansion(loops)
  const { contents } = document
  if (!isMap(contents)) return { document, mistakes: [] }
  for (const pair of contents.items)
    if (String(pair.key) === 'rules' && isSeq(pair.value)) expansion.rules(pair.value)
    else if (String(pair.key) !== section) expansion.section(String(pair.key), pair.value)
  addMarkets(contents, loops, expansion)
  if (expansion.mistakes.length === 0) addFilterRules(contents, loops, expansion.mistakes)
  return { document, mistakes: expansion.mistakes }
}

/** A mistake in an entry that a loop repeats is reported for its first market only. */
export function onePerEntry(problems: readonly Problem[], document: Document): Problem[] {
  const loops = isMap(document.contents) ? document.get(section, true) : undefined
  const entries = isMap(loops) ? loops.items.flatMap(({ value }) => marketsIn(value)) : []
  if (entries.length === 0) return [...problems]
  const names = new RegExp(entries.toSorted((a, b) => b.length - a.length).join('|'), 'g')
  const first = new Map<string, Problem>()
  for (const problem of problems) {
    const { file, line, column, message } = problem
    const key = JSON.stringify([file, line, column, message.replaceAll(names, '$')])
    if (!first.has(key)) first.set(key, problem)
  }
  return [...first.values()]
}

function marketsIn(loop: unknown): string[] {
  const listed = isMap(loop) ? loop.get('markets', true) : undefined
  return isSeq(listed) ? listed.toJSON().flatMap((entry: unknown) => listedName(entry) ?? []) : []
}

class Expansion {
  readonly mistakes: Mistake[] = []
  readonly #loops: ReadonlyMap<string, readonly string[]>
  #letters = 0
  /** Of the entry that is being expanded, in a section of entries with names. */
  #entry = ''

  constructor(loops: Loops) {
    this.#loops = new Map(Object.entries(loops).map(([name, { markets }]) => [name, Object.keys(markets)]))
  }

  /** A rule is repeated as a whole, because its name must differ. */
  rules(list: YAMLSeq): void {
    for (const rule of list.items) {
      if (!isMap(rule)) continue
      const [used] = this.#direct(rule)
      const id = rule.get('id', true)
      if (used === undefined || !isScalar(id) || this.#in(id).length > 0) continue
      const text = `the rule uses $${used}, so it is written once for each market, but its id is the same`
      this.mistake(id, text, `write id: ${String(id.value).slice(0, 10)}_$${used}`)
    }
    this.expand(list)
  }

  section(name: string, node: unknown): void {
    if (!namedSections.has(name) || !isMap(node)) return this.expand(node)
    for (const { key, value } of node.items) {
      if (!isScalar(key) || this.#in(key).length > 0) continue
      this.#entry = String(key)
      this.expand(value)
    }
    this.#entry = ''
    this.expand(node)
  }

  expand(node: unknown): void {
    if (isScalar(node)) return this.#scalar(node)
    if (isMap(node)) {
      const repeated = node.items.flatMap((pair) => this.#repeatedPair(pair))
      node.items = repeated
      const keys = new Set<string>()
      for (const { key, value } of repeated) {
        const name = String(key)
        if (keys.has(name) && isScalar(key))
          this.mistake(key, `the key "${name}" occurs twice in this mapping`, 'keep one of them')
        keys.add(name)
        this.expand(value)
      }
    } else if (isSeq(node)) {
      node.items = node.items.flatMap((item) => this.#repeatedItem(item))
      for (const item of node.items) this.expand(item)
    }
  }

  mistake(node: Node, text: string, hint: string): void {
    const offset = node.range?.[0] ?? 0
    const isKnown = this.mistakes.some((each) => each.offset === offset && each.text === text)
    if (!isKnown && this.mistakes.length < mistakesMax) this.mistakes.push({ offset, text, hint })
  }

  #scalar(node: Scalar): void {
    for (const name of this.#in(node)) {
      const repeated = `${this.#entry.slice(0, 10)}_$${name}`
      const hint =
        this.#entry === ''
          ? `use $${name} in an item of a list, or in an entry of a mapping whose key has it, too, such as px_$${name}`
          : `write ${repeated} in place of ${this.#entry}, here and where the file names it`
      this.mistake(node, `$${name} is used, but its entry is written only once`, hint)
    }
    if (typeof node.value !== 'string') return
    for (const [, name = ''] of node.value.matchAll(variable)) {
      if (this.#loops.has(name)) continue
      const known = [...this.#loops.keys()]
      const longer = known.find((each) => name.startsWith(`${each}_`))
      const hint =
        longer === undefined
          ? (hintOf(name, known) ?? `use one of ${known.map((each) => `$${each}`).join(', ')}`)
          : `write the variable at the end: ${name.slice(longer.length + 1)}_$${longer}`
      this.mistake(node, `there is no variable "${name}" in for_each`, hint)
    }
  }

  #repeatedPair(pair: Pair): Pair[] {
    const [name] = isScalar(pair.key) ? this.#in(pair.key) : []
    return name === undefined ? [pair] : this.#copies(name, pair).flatMap((copy) => this.#repeatedPair(copy))
  }

  #repeatedItem(item: unknown): unknown[] {
    const [name] = this.#direct(item)
    return name === undefined ? [item] : this.#copies(name, item).flatMap((copy) => this.#repeatedItem(copy))
  }

  /** Variables that neither a key nor an item of a list inside repeats. */
  #direct(node: unknown): string[] {
    if (isScalar(node)) return this.#in(node)
    if (!isMap(node)) return []
    return node.items.flatMap(({ key, value }) => {
      const own = isScalar(key) ? this.#in(key) : []
      return this.#direct(value).filter((name) => !own.includes(name))
    })
  }

  #in({ value }: Scalar): string[] {
    if (typeof value !== 'string' || !value.includes('$')) return []
    return [...value.matchAll(variable)].flatMap(([, name = '']) => (this.#loops.has(name) ? [name] : []))
  }

  #copies<Part>(name: string, part: Part): Part[] {
    return (this.#loops.get(name) ?? []).map((market) => this.#copy(part, name, market))
  }

  #copy<Part>(part: Part, name: string, market: string): Part
  #copy(part: unknown, name: string, market: string): unknown {
    if (this.#letters > lettersMax) return part
    if (part instanceof Pair)
      return new Pair(this.#copy(part.key, name, market), this.#copy(part.value, name, market))
    if (isScalar(part)) {
      const copy = part.clone()
      if (!isScalar(copy) || typeof copy.value !== 'string') return copy
      this.#letters += copy.value.length
      copy.value = substituted(copy.value, name, market)
      if (this.#letters > lettersMax)
        this.mistake(part, `the loops expand to more than ${lettersMax} letters`, 'use fewer markets')
      return copy
    }
    if (isMap(part)) {
      const copy = at(new YAMLMap(), part)
      copy.items = part.items.map((pair) => this.#copy(pair, name, market))
      return copy
    }
    if (!isSeq(part)) return part
    const copy = at(new YAMLSeq(), part)
    copy.items = part.items.map((item) => this.#copy(item, name, market))
    return copy
  }
}

/** The markets of the loops, beside those of the file; each has the place of its entry in the list. */
function addMarkets(contents: YAMLMap, loops: Loops, expansion: Expansion): void {
  const written = contents.get('markets', true)
  const markets = isMap(written) ? written : at(new YAMLMap(), contents.get(section, true))
  if (!isMap(written)) contents.items.push(new Pair(at(new Scalar('markets'), markets), markets))
  for (const [loop, { markets: listed }] of Object.entries(loops)) {
    const entries = contents.getIn([section, loop, 'markets'], true)
    for (const [index, [name, { symbol, positionSide }]] of Object.entries(listed).entries()) {
      const entry: unknown = isSeq(entries) ? entries.items[index] : undefined
      const place = isMap(entry) || isScalar(entry) ? entry : contents
      if (markets.has(name)) {
        const isSame = String(markets.getIn([name, 'symbol']) ?? markets.get(name)) === symbol
        const fix = isSame ? `remove ${name} from markets: the loop adds it` : `write ${name}2: ${symbol}`
        expansion.mistake(place, `the name "${name}" is already used: it is in markets`, fix)
        continue
      }
      const parts = {
        symbol: at(new Scalar(symbol), place),
        positionSide: at(new Scalar(positionSide), place),
      }
      markets.items.push(new Pair(at(new Scalar(name), place), mapOf(Object.entries(parts), place)))
    }
  }
}
