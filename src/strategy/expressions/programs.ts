import type { ASTNode } from '@marcbachmann/cel-js'
import { decimal, type Decimal } from '#src/core/money/decimal.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import type { Wanted } from '#src/market/indicators/indicator-values.ts'
import { entriesAt, valueAt } from '#src/core/objects/objects.ts'
import { mistakesMax } from '#src/core/yaml/mistake.ts'
import { conditionOf, depthOf, impossiblePart, programsIn, type Condition, type Past } from './condition.ts'
import { unitsFault } from './expression-faults.ts'
import { priceIn } from './source-fault.ts'
import { compile, type ValueKind, type Program } from './expression.ts'
import type { KeyPath, StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { canBeNamed, languageOf, namesOf, usage, type InputType, type NameType } from './language.ts'
import type { NamedFunction } from './named-functions.ts'
import {
  anchorParts,
  expressionLettersMax,
  signatureIn,
  sizeExpression,
} from '#src/strategy/schema/quantities.ts'
import { childrenOf, reads } from './reads.ts'
import { parametersOf, readsSeries } from './compile-expression.ts'
import { programsOfSelection, selectionOf, type Selection } from '#src/strategy/loops/selection.ts'
import { seriesFunctions } from './series-functions.ts'
import { stateFaults } from './state-faults.ts'

/** A number in the file keeps its digits; only computed values go through doubles. */
export type Price = Decimal | Program

export type LadderPrograms = {
  anchor: Price
  unit: Price | undefined
  /** Of a size that is an expression. */
  size: Price | undefined
  scale: Price | undefined
  exitAt: Price | undefined
}

/** All expressions of a strategy, compiled. */
export type Programs = {
  lets: { name: string; program: Program }[]
  ladders: Map<string, LadderPrograms>
  conditions: Map<string, Condition>
  /** The loops that choose among their markets. */
  selections: Selection[]
  /** The amounts to invest, by `stepKey` of the rule and its step. */
  amounts: Map<string, Price>
  /** The indicators that each feed must compute. */
  wanted: Map<string, Wanted[]>
  /** The largest number of candles that expressions look back. */
  depth: number
  /** How far functions of earlier values look back until they have a value, and in which feeds. */
  series: Past[]
}

/** The step counts from zero, in the order of the rule's actions in the file. */
export function stepKey(rule: string, step: number): string {
  return `${rule}.${step}`
}

/**
 * Compiles all expressions in the order of the file: a `let` may use those above it. It reads the unvalidated content,
 * so that other mistakes do not hide mistakes in expressions; content of the wrong form is left to the schema.
 */
export function compileAll(file: unknown): { programs: Programs; faults: StrategyFault[] } {
  const compiler = new FileCompiler(file)
  for (const [key, text] of entriesAt(file, ['functions'])) compiler.readFunction(key, text)
  compiler.readLets()
  for (const [name] of entriesAt(file, ['ladder'])) compiler.readLadder(name)
  for (const [index, rule] of entriesAt(file, ['rules'])) compiler.readRule(index, rule)
  for (const [variable, loop] of entriesAt(file, ['for_each'])) compiler.readLoop(variable, loop)
  const { programs, faults } = compiler
  return { programs, faults }
}

class FileCompiler {
  readonly faults: StrategyFault[] = []
  readonly programs: Programs = {
    lets: [],
    ladders: new Map(),
    conditions: new Map(),
    selections: [],
    amounts: new Map(),
    wanted: new Map(),
    depth: 1,
    series: [],
  }
  readonly #file: unknown
  readonly #names: ReadonlyMap<string, InputType>
  readonly #language: ReturnType<typeof languageOf>
  readonly #known: Map<string, NameType>
  readonly #broken = new Set<string>()
  readonly #functions = new Map<string, NamedFunction>()

  constructor(file: unknown) {
    this.#file = file
    this.#names = namesOf(file)
    this.#language = languageOf(this.#names)
    this.#known = new Map(this.#names)
  }

  /** Parameters and names of `let` have no type here: each call is checked with its arguments. */
  readFunction(key: string, text: unknown): void {
    const signature = signatureIn(key)
    const { name, parameters } = signature ?? { name: /^\w*/.exec(key)?.[0] ?? '', parameters: [] }
    // The schema refuses other texts, and the calls are not reported as well.
    if (!signature || typeof text !== 'string' || text.length > expressionLettersMax) {
      this.#functions.set(name, { parameters, written: undefined })
      return
    }
    const path = ['functions', key]
    if (usage.has(name) || this.#functions.has(name)) {
      const message = `the name "${name}" is already used: it is a function`
      this.faults.push({ path, onKey: true, message, hint: 'use another name' })
      return
    }
    const shadowing = parameters.find((each) => this.#names.has(each))
    if (shadowing !== undefined) {
      const message = `the parameter "${shadowing}" is the name of another part of the file`
      this.faults.push({ path, onKey: true, message, hint: 'use another name for the parameter' })
      return
    }
    const lets = entriesAt(this.#file, ['let']).map(([name]) => name)
    const names = new Map([...[...lets, ...parameters].map((each) => [each, 'dyn'] as const), ...this.#names])
    const language = languageOf(names)
    const found = compile(language, names, text, undefined, this.#functions)
    if (Array.isArray(found)) for (const fault of found) this.faults.push({ ...fault, path })
    const written = Array.isArray(found) ? undefined : { text, ast: language.parse(text).ast }
    this.#functions.set(name, { parameters, written })
  }

  readLets(): void {
    for (const [name, text] of entriesAt(this.#file, ['let'])) {
      const program = this.#read(text, ['let', name], undefined)
      if (this.#language.hasVariable(name) || !canBeNamed(name)) continue
      // A broken `let` keeps its name, so that its users are not reported as well.
      const type = program?.kind ?? 'dyn'
      this.#language.registerVariable(name, type)
      this.#known.set(name, type)
      if (program) this.programs.lets.push({ name, program })
      else this.#broken.add(name)
    }
  }

  readLadder(name: string): void {
    const path = ['ladder', name]
    const anchor = this.#priceAt([...path, 'anchor'])
    const unit = this.#priceAt([...path, 'spacing', 'unit'])
    const scale = this.#priceAt([...path, 'size', 'scale_by'])
    const exitAt = this.#priceAt([...path, 'exit', 'at'])
    const [size] = ['total', 'first'].flatMap((key) => this.#sizeAt([...path, 'size', key]) ?? [])
    if (anchor) this.programs.ladders.set(name, { anchor, unit, size, scale, exitAt })
  }

  readRule(index: string, rule: unknown): void {
    const { programs, faults } = this
    const path = ['rules', index, 'when']
    const before = faults.length
    const condition = conditionOf(
      valueAt(rule, ['when']),
      path,
      (text, where, kind) => this.#read(text, where, kind),
      (of, where) => this.#feedsIn(of, where),
    )
    const id = valueAt(rule, ['id'])
    if (condition && typeof id === 'string') programs.conditions.set(id, condition)
    if (condition) this.#looksBack(depthOf(condition), programsIn(condition))
    const impossible = condition && faults.length === before && impossiblePart(condition, path)
    if (impossible) {
      const message = 'with this part the condition is never true, so the rule never acts'
      faults.push({ ...impossible, message, hint: 'compare with other numbers, or use any' })
    }
    for (const [step] of entriesAt(rule, ['do'])) {
      const amount = this.#priceAt(['rules', index, 'do', step, 'flex_invest', 'amount'])
      if (amount && typeof id === 'string') programs.amounts.set(stepKey(id, Number(step)), amount)
    }
  }

  readLoop(variable: string, loop: unknown): void {
    const selection = selectionOf(variable, loop, (text, path, kind, written) => {
      const before = this.faults.length
      const program = this.#read(text, path, kind)
      // The names of markets are longer or shorter than the variable in the file.
      for (const fault of this.faults.slice(before))
        if (!written.startsWith(text.slice(0, fault.start))) delete fault.start
      return program
    })
    if (!selection) return
    this.programs.selections.push(selection)
    this.#looksBack(0, programsOfSelection(selection))
  }

  /** Only candles have past values. */
  #feedsIn(of: readonly { ast: ASTNode }[], path: KeyPath): string[] {
    const found = reads(of, this.programs.lets).names
    const feeds = [...found].filter((name) => this.#names.get(name) === 'Candles')
    const others = [...found].filter((name) => !['Candles', 'dyn', undefined].includes(this.#names.get(name)))
    for (const name of others) {
      const message = `"${name}" has only a current value and no value at the previous close`
      const hint = 'read candle feeds here, and compare the rest in a condition of its own'
      this.faults.push({ path, message, hint })
    }
    // Users of a broken `let` are not reported.
    const isBroken = [...found].some((name) => this.#broken.has(name) || this.#names.get(name) === 'dyn')
    if (feeds.length + others.length === 0 && !isBroken) {
      const message = 'this reads no candles: it is the same at every close'
      this.faults.push({ path, message, hint: 'read a candle feed, such as last(px)' })
    }
    return feeds
  }

  #priceAt(path: KeyPath): Price | undefined {
    const found = valueAt(this.#file, path)
    if (typeof found !== 'string') return undefined
    const isAnchor = path.at(-1) === 'anchor'
    const text = isAnchor ? anchorParts(found).price : found
    const other = isAnchor ? text.indexOf(' at ') : -1
    if (other !== -1) {
      const message = `"${text.slice(other + 1)}" is not a time of an anchor`
      const hint = 'write at episode_start or at rule_start, or omit it'
      this.faults.push({ path, start: other + 1, message, hint })
      return undefined
    }
    return isDecimalText(text) ? decimal(text) : this.#read(text, path, 'double')
  }

  #sizeAt(path: KeyPath): Price | undefined {
    const found = valueAt(this.#file, path)
    const size = typeof found === 'string' ? sizeExpression(found) : undefined
    const fault = size && unitsFault(String(found), priceIn(this.#known))
    if (fault) this.faults.push({ ...fault, path })
    return fault ? undefined : size && this.#read(size.expression, path, 'double')
  }

  #read(text: unknown, path: KeyPath, kind: ValueKind | undefined): Program | undefined {
    // The schema refuses a longer text; thousands of operators would overflow the parser's stack.
    if (typeof text !== 'string' || text.length > expressionLettersMax) return undefined
    if (this.faults.length >= mistakesMax) return undefined
    const program = compile(this.#language, this.#known, text, kind, this.#functions)
    if (Array.isArray(program)) {
      this.faults.push(...program.map((fault) => ({ ...fault, path })))
      return undefined
    }
    const statesOf = (feed: string) => valueAt(this.#file, ['feeds', feed, 'states'])
    for (const fault of stateFaults(program.ast, statesOf)) this.faults.push({ ...fault, path })
    for (const { feed, ...indicator } of program.wanted) {
      this.programs.wanted.set(feed, [...(this.programs.wanted.get(feed) ?? []), indicator])
    }
    const before = this.faults.length
    const feeds = program.series.flatMap((ast) => this.#feedsIn([{ ast }], path))
    if (feeds.length > 0) {
      this.programs.series.push({ feeds, candles: this.#lookBackOf(program.ast, 'needs') })
      this.#looksBack(0, [program])
    }
    return this.faults.length === before ? program : undefined
  }

  /** Keeps so many candles, and those that functions in these expressions read before them. */
  #looksBack(candles: number, of: readonly Program[]): void {
    const further = of.map(({ ast }) => this.#lookBackOf(ast, 'reads'))
    this.programs.depth = Math.max(this.programs.depth, candles + Math.max(0, ...further))
  }

  #lookBackOf(node: ASTNode, of: 'reads' | 'needs'): number {
    const { lets } = this.programs
    const named = node.op === 'id' ? lets.find(({ name }) => name === node.args)?.program.ast : undefined
    if (named) return this.#lookBackOf(named, of)
    const inside = Math.max(0, ...childrenOf(node).map((child) => this.#lookBackOf(child, of)))
    if (node.op !== 'call') return inside
    const [name, given] = node.args
    if (!readsSeries(name, given, (each) => this.#names.get(each) === 'Candles')) return inside
    return inside + (seriesFunctions[name]?.[of](parametersOf(given)) ?? 1) - 1
  }
}

/** All expressions except the values of `let`. */
export function everyProgram(programs: Programs): readonly Program[] {
  let every = programsOf.get(programs)
  if (!every) programsOf.set(programs, (every = collect(programs)))
  return every
}

/** A cache: a backtest reads it with every evaluation. */
const programsOf = new WeakMap<Programs, readonly Program[]>()

function collect({ ladders, conditions, selections, amounts }: Programs): Program[] {
  const prices = [...ladders.values()].flatMap((own) => Object.values(own))
  return [
    ...[...prices, ...amounts.values()].filter((price) => price !== undefined && 'ast' in price),
    ...[...conditions.values()].flatMap(programsIn),
    ...selections.flatMap(programsOfSelection),
  ]
}
