import { decimal, type Decimal } from '#src/core/money/decimal.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import type { Wanted } from '#src/market/indicators/indicator-values.ts'
import { mistakesMax } from '#src/core/yaml/mistake.ts'
import { conditionOf, depthOf, impossiblePart, programsIn, type Condition } from './condition.ts'
import { compile, type ValueKind, type Program } from './expression.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { canBeNamed, languageOf, type InputType } from './language.ts'
import { anchorParts, expressionLettersMax } from '#src/strategy/schema/quantities.ts'
import { reads } from './reads.ts'
import { ownNames } from '#src/strategy/file/references.ts'

/** A number in the file keeps its digits; only computed values go through doubles. */
export type Price = Decimal | Program

export type LadderPrograms = {
  anchor: Price
  unit: Price | undefined
  scale: Price | undefined
  exitAt: Price | undefined
}

/** All expressions of a strategy, compiled. */
export type Programs = {
  lets: { name: string; program: Program }[]
  ladders: Map<string, LadderPrograms>
  conditions: Map<string, Condition>
  /** The amounts to invest, by `stepKey` of the rule and its step. */
  amounts: Map<string, Price>
  /** The indicators that each feed must compute. */
  wanted: Map<string, Wanted[]>
  /** The largest number of candles that expressions look back. */
  depth: number
}

type Path = readonly PropertyKey[]

/** The step counts from zero, in the order of the rule's actions in the file. */
export function stepKey(rule: string, step: number): string {
  return `${rule}.${step}`
}

/**
 * Compiles all expressions in the order of the file: a `let` may use those above it. It reads the unvalidated content,
 * so that other mistakes do not hide mistakes in expressions; content of the wrong form is left to the schema.
 */
export function compileAll(file: unknown): { programs: Programs; faults: StrategyFault[] } {
  const faults: StrategyFault[] = []
  const names = namesOf(file)
  const language = languageOf(names)
  const known = [...names.keys()]
  const broken = new Set<string>()
  const programs: Programs = {
    lets: [],
    ladders: new Map(),
    conditions: new Map(),
    amounts: new Map(),
    wanted: new Map(),
    depth: 1,
  }

  for (const [name, text] of entriesAt(file, ['let'])) {
    const program = read(text, ['let', name], undefined)
    if (language.hasVariable(name) || !canBeNamed(name)) continue
    // A broken `let` keeps its name, so that its users are not reported as well.
    language.registerVariable(name, program?.kind ?? 'double')
    known.push(name)
    if (program) programs.lets.push({ name, program })
    else broken.add(name)
  }
  for (const [name] of entriesAt(file, ['ladder'])) {
    const path = ['ladder', name]
    const anchor = priceAt([...path, 'anchor'])
    const unit = priceAt([...path, 'spacing', 'unit'])
    const scale = priceAt([...path, 'size', 'scale_by'])
    const exitAt = priceAt([...path, 'exit', 'at'])
    if (anchor) programs.ladders.set(name, { anchor, unit, scale, exitAt })
  }
  for (const [index, rule] of entriesAt(file, ['rules'])) {
    const condition = conditionOf(at(rule, ['when']), ['rules', index, 'when'], read, feedsIn)
    const id = at(rule, ['id'])
    if (condition && typeof id === 'string') programs.conditions.set(id, condition)
    if (condition) programs.depth = Math.max(programs.depth, depthOf(condition))
    const impossible = condition && faults.length === 0 && impossiblePart(condition, ['rules', index, 'when'])
    if (impossible) {
      const message = 'with this part the condition is never true, so the rule never acts'
      faults.push({ ...impossible, message, hint: 'compare with other numbers, or use any' })
    }
    for (const [step] of entriesAt(rule, ['do'])) {
      const amount = priceAt(['rules', index, 'do', step, 'flex_invest', 'amount'])
      if (amount && typeof id === 'string') programs.amounts.set(stepKey(id, Number(step)), amount)
    }
  }
  return { programs, faults }

  /** Only candles have past values. */
  function feedsIn(of: readonly Program[], path: Path): string[] {
    const found = reads(of, programs.lets).names
    const feeds = [...found].filter((name) => names.get(name) === 'Candles')
    const others = [...found].filter((name) => names.has(name) && !feeds.includes(name))
    for (const name of others) {
      const message = `"${name}" has only a current value and no value at the previous close`
      const hint = 'read candle feeds here, and compare the rest in a condition of its own'
      faults.push({ path, message, hint })
    }
    // Users of a broken `let` are not reported.
    const isBroken = [...found].some((name) => broken.has(name))
    if (feeds.length + others.length === 0 && !isBroken) {
      const message = 'this reads no candles: it is the same at every close'
      faults.push({ path, message, hint: 'read a candle feed, such as last(px)' })
    }
    return feeds
  }

  function priceAt(path: Path): Price | undefined {
    const found = at(file, path)
    if (typeof found !== 'string') return undefined
    const text = path.at(-1) === 'anchor' ? anchorParts(found).price : found
    return isDecimalText(text) ? decimal(text) : read(text, path, 'double')
  }

  function read(text: unknown, path: Path, kind: ValueKind | undefined): Program | undefined {
    // The schema refuses a longer text; thousands of operators would overflow the parser's stack.
    if (typeof text !== 'string' || text.length > expressionLettersMax) return undefined
    if (faults.length >= mistakesMax) return undefined
    const program = compile(language, known, text, kind)
    if (Array.isArray(program)) {
      faults.push(...program.map((fault) => ({ ...fault, path })))
      return undefined
    }
    for (const { feed, ...indicator } of program.wanted) {
      programs.wanted.set(feed, [...(programs.wanted.get(feed) ?? []), indicator])
    }
    return program
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

function collect({ ladders, conditions, amounts }: Programs): Program[] {
  const prices = [...ladders.values()].flatMap(({ anchor, unit, scale, exitAt }) => [
    anchor,
    unit,
    scale,
    exitAt,
  ])
  return [
    ...[...prices, ...amounts.values()].filter(isProgram),
    ...[...conditions.values()].flatMap(programsIn),
  ]
}

function isProgram(price: Price | undefined): price is Program {
  return price !== undefined && 'ast' in price
}

function namesOf(file: unknown): Map<string, InputType> {
  return new Map<string, InputType>([
    ...Object.entries(ownNames),
    ...entriesAt(file, ['ladder']).map(([name]) => [name, 'Progress'] as const),
    ...entriesAt(file, ['markets']).map(([name]) => [name, 'Holding'] as const),
    ...entriesAt(file, ['feeds']).map(
      ([name, feed]) => [name, at(feed, ['source']) === 'book' ? 'Book' : 'Candles'] as const,
    ),
  ])
}

function at(value: unknown, path: Path): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = Reflect.get(found, key)
  }
  return found
}

function entriesAt(value: unknown, path: Path): [string, unknown][] {
  const found = at(value, path)
  return typeof found === 'object' && found !== null ? Object.entries(found) : []
}
