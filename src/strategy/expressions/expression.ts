import type { ASTNode, Environment } from '@marcbachmann/cel-js'
import { candlesMax } from '#src/market/indicators/indicator.ts'
import { indicators, isIndicator } from '#src/market/indicators/indicator-table.ts'
import type { Wanted } from '#src/market/indicators/indicator-values.ts'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { faultOf, percentFault, spanHint, unknownName, type ExpressionFault } from './expression-faults.ts'
import { functionsElsewhere } from './functions-elsewhere.ts'
import { daysIn, isTimeOfDay } from './functions.ts'
import { dayNames } from '#src/strategy/file/schedule.ts'
import { isTimeZone } from '#src/strategy/file/time-zones.ts'
import { usage, type NameType } from './language.ts'
import { numberIn } from '#src/strategy/check/never-true.ts'
import { childrenOf } from './reads.ts'
import { partFault, sourceFault } from './source-fault.ts'
import { spanFault } from '#src/strategy/schema/trade-spans.ts'
import { compileExpression, readsSeries, type Context, type Run } from './compile-expression.ts'
import { seriesFunctions } from './series-functions.ts'
import {
  callsIn,
  withoutCalls,
  type FoundCall,
  type NamedFunction,
  type NamedFunctions,
} from './named-functions.ts'
import { UnknownValue } from './context-objects.ts'

export type ValueKind = 'double' | 'bool'

/** A valid expression, and the indicators that it needs. */
export type Program = {
  text: string
  kind: ValueKind
  /** The syntax tree: what the expression reads is taken from it, not from the text. */
  ast: ASTNode
  run: Run
  wanted: readonly (Wanted & { feed: string })[]
  /** The parts whose earlier values it reads. */
  series: readonly ASTNode[]
}

/** Unknown is a separate result: it never acts. */
export type ExpressionResult = { value: number | boolean } | { unknown: string }

const operators = new Set([
  '+',
  '-',
  '*',
  '/',
  '<',
  '<=',
  '>',
  '>=',
  '==',
  '!=',
  '&&',
  '||',
  '!_',
  '-_',
  '?:',
])

/** Parses and types an expression; reports every separate fault. */
export function compile(
  language: Environment,
  names: ReadonlyMap<string, NameType>,
  text: string,
  kind: ValueKind | undefined,
  functions: NamedFunctions = new Map(),
): Program | ExpressionFault[] {
  const check = new ExpressionCheck(text, names, functions)
  try {
    const program = language.parse(text)
    check.visit(program.ast)
    if (check.faults.length > 0) return check.faults
    const calls = callsIn(program.ast, functions)
    const [call] = calls
    if (call) {
      if (calls.some((each) => each.function.written === undefined)) return []
      const found = compile(language, names, withoutCalls(text, program.ast, functions), kind)
      return Array.isArray(found) ? inCall(found, call) : { ...found, text }
    }
    const part = partFault(program.ast, names)
    if (part) return [part]
    const checked = program.check()
    if (!checked.valid) return [faultOf(text, checked.error)]
    // The type of a name with a mistake is unknown.
    const found = checked.type === 'dyn' ? (kind ?? 'double') : checked.type === 'bool' ? 'bool' : 'double'
    if (kind !== undefined && found !== kind) {
      const [have, want] = found === 'bool' ? ['true or false', 'a number'] : ['a number', 'true or false']
      const hint =
        kind === 'bool'
          ? 'compare it with a value, such as mid > 60000'
          : 'write a ? 1 : 0 to make a number of it'
      return [{ start: 0, message: `this is ${have} but must be ${want}`, hint }]
    }
    const run = compileExpression(program.ast, check.isFeed)
    return { text, kind: found, ast: program.ast, run, wanted: check.wanted, series: check.series }
  } catch (error) {
    return [faultOf(text, error)]
  }
}

/** The faults of a text whose calls of named functions are replaced; a parameter can stand there several times. */
function inCall(faults: readonly ExpressionFault[], { start, name }: FoundCall): ExpressionFault[] {
  const byMessage = new Map(faults.map((fault) => [fault.message, fault]))
  return [...byMessage.values()].map(({ message, hint }) => {
    return { start, message: `with ${name}() written out: ${message}`, hint }
  })
}

/** Walks a syntax tree: finds what the type checker does not find, and the indicators that the expression needs. */
class ExpressionCheck {
  readonly faults: ExpressionFault[] = []
  readonly wanted: (Wanted & { feed: string })[] = []
  readonly series: ASTNode[] = []
  readonly #text: string
  readonly #names: ReadonlyMap<string, NameType>
  readonly #functions: NamedFunctions

  constructor(text: string, names: ReadonlyMap<string, NameType>, functions: NamedFunctions) {
    this.#text = text
    this.#names = names
    this.#functions = functions
  }

  readonly isFeed = (name: string) => this.#names.get(name) === 'Candles'

  visit(node: ASTNode): void {
    if (node.op === 'value') return this.#literal(node)
    if (node.op === 'id') {
      if (this.#names.has(node.args)) return
      const known = [...this.#names.keys()]
      const hint =
        functionsElsewhere.get(node.args) ?? hintOf(node.args, known) ?? `use one of ${known.join(', ')}`
      this.faults.push(unknownName(node.start, node.args, hint))
      return
    }
    if (node.op === 'call') return this.#call(node.start, ...node.args)
    const percent = node.op === '%' ? percentFault(this.#text, this.#text.length) : undefined
    if (percent) this.faults.push(percent)
    else if (!operators.has(node.op))
      this.faults.push({
        start: node.start,
        message: 'strategy expressions do not support this',
        hint: 'use numbers, names, functions, + - * /, comparisons, && || ! and a ? b : c',
      })
    if (!operators.has(node.op)) return
    for (const child of childrenOf(node)) this.visit(child)
    if (node.op !== '/') return
    const [, divisor] = node.args
    if (divisor.op === 'value' && divisor.args === 0)
      this.faults.push({
        start: divisor.start,
        message: 'division by zero',
        hint: 'divide by another value',
      })
  }

  /** Whole numbers become doubles: 1 / 2 is 0.5, and mid * 2 needs no decimal point. */
  #literal(node: ASTNode): void {
    if (typeof node.args === 'bigint') Object.assign(node, { args: Number(node.args) })
    if (['number', 'boolean'].includes(typeof node.args)) return
    const message = isText(node)
      ? 'only a function takes a "text"'
      : 'only numbers, true and false are allowed here'
    const inTime = typeof node.args === 'string' ? spanHint(node.args) : undefined
    const hint = inTime ?? 'write a number, a name or a function'
    this.faults.push({ start: node.start, message, hint })
  }

  #call(start: number, name: string, given: readonly ASTNode[]): void {
    const own = this.#functions.get(name)
    if (own) return this.#named(start, name, own, given)
    if (!usage.has(name)) {
      const known = [...usage.keys(), ...this.#functions.keys()]
      const hint =
        functionsElsewhere.get(name) ?? hintOf(name, known) ?? `use one of ${known.sort().join(', ')}`
      this.faults.push({ start, message: `unknown function ${name}()`, hint })
    }
    const [source] = given
    const fault = sourceFault(start, name, source, this.#names)
    if (fault) this.faults.push(fault)
    const others = fault && source?.op === 'id' ? given.slice(1) : given
    for (const node of others) if (!isText(node)) this.visit(node)
    if (name === 'time_between') this.#times(given.slice(1))
    if (name === 'on_days') for (const node of given.slice(1, 2)) this.#days(node)
    if (name === 'on_days') for (const node of given.slice(2, 3)) this.#timeZone(node)
    if (name === 'between') this.#bounds(given.slice(1), 'this is never true')
    if (name === 'volume_between') this.#bounds(given.slice(1, 3), 'no price is between them')
    const span = spanFault(name, given)
    if (span) this.faults.push(span)
    if (readsSeries(name, given, this.isFeed)) return this.#earlier(start, name, given)
    if (!isIndicator(name)) return
    const [feed, ...rest] = given
    const { parameters } = indicators[name]
    // The type checker reports other mistakes.
    if (feed?.op !== 'id' || rest.length !== parameters.length) return
    const values = rest.map((node, index) => this.#parameterOf(node, parameters[index] ?? 'factor'))
    if (values.every((value) => value !== undefined))
      this.wanted.push({ feed: feed.args, name, parameters: values })
  }

  #named(
    start: number,
    name: string,
    { parameters, written }: NamedFunction,
    given: readonly ASTNode[],
  ): void {
    for (const node of given) this.visit(node)
    if (given.length === parameters.length || written === undefined) return
    const message = `${name}() takes ${parameters.length} values, and here are ${given.length}`
    this.faults.push({ start, message, hint: `call it as ${name}(${parameters.join(', ')})` })
  }

  #earlier(start: number, name: string, [of, ...rest]: readonly ASTNode[]): void {
    const found = seriesFunctions[name]
    if (!found || of === undefined || rest.length !== found.parameters.length) return
    this.series.push(of)
    const values = rest.map((node, index) => this.#parameterOf(node, found.parameters[index] ?? 'factor'))
    const given = values.filter((value) => value !== undefined)
    if (given.length < values.length || found.reads(given) <= candlesMax) return
    const message = `${name}() would read ${found.reads(given)} earlier values, more than ${candlesMax}`
    this.faults.push({ start, message, hint: 'write a smaller number of candles' })
  }

  #times(given: readonly ASTNode[]): void {
    const [from, to, zone] = given
    for (const node of given.slice(0, 2)) this.#timeOfDay(node)
    if (zone) this.#timeZone(zone)
    if (from?.op !== 'value' || to?.op !== 'value' || from.args !== to.args) return
    const hint = 'write the end time; for the whole day, omit time_between'
    this.faults.push({ start: to.start, message: 'both times are equal: this is never true', hint })
  }

  #bounds([low, high]: readonly ASTNode[], consequence: string): void {
    const [least, most] = [low && numberIn(low), high && numberIn(high)]
    if (low === undefined || least === undefined || most === undefined || least <= most) return
    const message = `${least} is above ${most}: ${consequence}`
    this.faults.push({ start: low.start, message, hint: 'write the lower bound first' })
  }

  #days({ op, args, start }: ASTNode): void {
    if (op !== 'value' || typeof args !== 'string' || !daysIn(args).includes(-1)) return
    const hint = `write days such as "Mon,Tue,Wed,Thu,Fri", of ${dayNames.join(', ')}`
    this.faults.push({ start, message: `"${args}" is not a list of days`, hint })
  }

  /** Only a literal name is allowed, so that the moments at which the zone changes are known. */
  #timeZone({ op, args, start }: ASTNode): void {
    if (op === 'id' && this.#names.get(args) === 'dyn') return
    if (op === 'value' && typeof args === 'string' && isTimeZone(args)) return
    const hint = 'write a name such as "America/New_York" or "Europe/London"; for UTC, omit it'
    this.faults.push({ start, message: 'this is not the name of a time zone', hint })
  }

  #timeOfDay({ op, args, start }: ASTNode): void {
    if (op !== 'value' || typeof args !== 'string' || isTimeOfDay(args)) return
    const hint = 'write a time such as "23:55"; midnight is "00:00"'
    this.faults.push({ start, message: `"${args}" is not a time of day`, hint })
  }

  /** Indicators run from the first candle on, so their parameters must be literal numbers. */
  #parameterOf(node: ASTNode, parameter: 'candles' | 'factor'): number | undefined {
    // A parameter of a named function is checked where it is called.
    if (node.op === 'id' && this.#names.get(node.args) === 'dyn') return undefined
    const value = node.op === 'value' && typeof node.args === 'number' ? node.args : undefined
    if (parameter === 'factor' && value !== undefined) return value
    if (value !== undefined && Number.isInteger(value) && value >= 1 && value <= candlesMax) return value
    const message =
      parameter === 'candles'
        ? `this must be a whole number of candles from 1 to ${candlesMax}`
        : 'this must be a plain number'
    this.faults.push({
      start: node.start,
      message,
      hint: 'it is a parameter of a running indicator and cannot be computed',
    })
    return undefined
  }
}

/** The current value of an expression. */
export function answer(program: Program, context: Context): ExpressionResult {
  try {
    const value = program.run(context)
    if (typeof value === 'boolean') return { value }
    if (typeof value === 'number' && Number.isFinite(value)) return { value }
    return { unknown: 'it is not a finite number' }
  } catch (error) {
    if (error instanceof UnknownValue) return { unknown: error.message }
    throw error
  }
}

export function isText(node: ASTNode): boolean {
  return node.op === 'value' && typeof node.args === 'string'
}
