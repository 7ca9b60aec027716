import type { ASTNode } from '@marcbachmann/cel-js'
import { functionNamed } from './functions.ts'
import { isText, type Program } from './expression.ts'
import { everyProgram, type Programs } from './programs.ts'
import { compileExpression, readsSeries, type Context, type Run } from './compile-expression.ts'
import { reads } from './reads.ts'
import {
  AccountObject,
  CandlesObject,
  FuturesObject,
  LadderProgress,
  TradesObject,
  UnknownValue,
} from './context-objects.ts'

/** Names of the inputs `time` and `equity`; every other input is the last close of a feed, and has its name. */
export const time = ' time'
export const equity = ' equity'

/**
 * By input, the values at which a comparison of the file changes if only this input changes: milliseconds from now, equities, or
 * closes. Null if the values are unknown: then every change of the input counts.
 */
export type Thresholds = Map<string, number[] | null>

/** The value of a part of an expression now, and how it changes with its inputs. */
type Form = {
  /** Undefined while it is unknown. */
  value: number | boolean | undefined
  /** The change per unit of its only input; NaN if it is not linear or has several inputs. */
  slope: number
  inputs: readonly string[]
  /** The largest intermediate number: the rounding error is a share of it. */
  size: number
}

const hourMs = 3_600_000
/** The rounding error as a share of the largest intermediate number: more than that of doubles. */
const rounding = 1e-14
/** The greatest error of a threshold: milliseconds, or a share of a close or of the equity. */
const most = { timeMs: 0.5, share: 1e-10 }

/** Of some expressions of a file. All other inputs are constant between two events. */
export function thresholdsOf(
  programs: Programs,
  now: Context,
  some: readonly Program[] = everyProgram(programs),
): Thresholds {
  const search = new ThresholdSearch(programs, now)
  for (const { ast, kind } of some) search.read(ast, kind)
  return search.found
}

class ThresholdSearch {
  readonly found: Thresholds = new Map()
  readonly #lets: ReadonlyMap<string, ASTNode>
  readonly #letPrograms: Programs['lets']
  readonly #forms = new Map<string, Form>()
  readonly #now: Context

  constructor(programs: Programs, now: Context) {
    this.#letPrograms = programs.lets
    this.#lets = new Map(programs.lets.map(({ name, program }) => [name, program.ast]))
    this.#now = now
  }

  readonly #isFeed = (name: string) => !this.#lets.has(name) && this.#now[name] instanceof CandlesObject

  read(ast: ASTNode, kind: string): void {
    const { inputs, slope } = this.#formOf(ast)
    // The number itself is the result, so any change of its inputs counts.
    if (kind === 'double' && slope !== 0) for (const input of inputs) this.found.set(input, null)
  }

  #formOf(node: ASTNode): Form {
    switch (node.op) {
      case 'value':
        return fixed(typeof node.args === 'boolean' ? node.args : Number(node.args))
      case 'id':
        return this.#letOf(node.args)
      case 'call':
        return this.#callOf(node, ...node.args)
      case '?:': {
        const [condition, one, other] = node.args.map((part) => this.#formOf(part))
        if (condition!.value === undefined) return unknown
        return condition!.value === true ? one! : other!
      }
      case '!_': {
        const { value } = this.#formOf(node.args)
        return value === undefined ? unknown : fixed(value !== true)
      }
      case '-_':
        return scaled(this.#formOf(node.args), -1)
      case '&&':
      case '||': {
        const [one, other] = node.args.map((part) => this.#formOf(part).value)
        const decisive = node.op === '||'
        if (one === decisive || other === decisive) return fixed(decisive)
        return one === undefined || other === undefined ? unknown : fixed(!decisive)
      }
      case '+':
        return sum(this.#formOf(node.args[0]), this.#formOf(node.args[1]))
      case '-':
        return sum(this.#formOf(node.args[0]), scaled(this.#formOf(node.args[1]), -1))
      case '*':
        return product(this.#formOf(node.args[0]), this.#formOf(node.args[1]))
      case '/':
        return quotient(this.#formOf(node.args[0]), this.#formOf(node.args[1]))
      case '<':
      case '<=':
      case '>':
      case '>=':
      case '==':
      case '!=': {
        const [one, other] = [this.#formOf(node.args[0]), this.#formOf(node.args[1])]
        this.#compare(one, other)
        return said(one, other, (a, b) => compared[node.op](a, b))
      }
      default:
        throw new Error(`strategy expressions do not support ${node.op}`)
    }
  }

  #letOf(name: string): Form {
    const ast = this.#lets.get(name)
    if (!ast) throw new Error(`${name} has no value`)
    const known = this.#forms.get(name) ?? this.#formOf(ast)
    this.#forms.set(name, known)
    return known
  }

  #callOf(node: ASTNode, name: string, given: readonly ASTNode[]): Form {
    const [first] = given
    if (readsSeries(name, given, this.#isFeed)) {
      const value = valueOf(node, this.#now, this.#isFeed)
      const inputs = [...reads([{ ast: node }], this.#letPrograms).names].filter(this.#isFeed)
      return { value, slope: NaN, inputs, size: Math.abs(Number(value ?? 0)) }
    }
    if (first?.op === 'id' && !this.#lets.has(first.args)) {
      const { args: input } = first
      const value = valueOf(node, this.#now, this.#isFeed)
      const sight = this.#now[input]
      const line = { value, slope: 1, size: Math.abs(Number(value ?? 0)) }
      if (sight instanceof LadderProgress && name === 'open_hours')
        return value === undefined ? unknown : { ...line, slope: 1 / hourMs, inputs: [time] }
      if (sight instanceof FuturesObject && name === 'funding_hours')
        return value === undefined ? unknown : { ...line, slope: -1 / hourMs, inputs: [time] }
      if (sight instanceof AccountObject && name === 'equity')
        return value === undefined ? unknown : { ...line, inputs: [equity] }
      if (sight instanceof TradesObject) {
        // The prices of `volume_between` can change with every input that they read.
        const inputs = [
          ...new Set(given.slice(1).flatMap((each) => (isText(each) ? [] : this.#formOf(each).inputs))),
        ]
        return { ...line, slope: inputs.length === 0 ? 0 : NaN, inputs }
      }
      if (!(sight instanceof CandlesObject)) return { ...line, slope: 0, inputs: [] }
      return { ...line, slope: name === 'last' && value !== undefined ? 1 : NaN, inputs: [input] }
    }
    const forms = given.map((each) => this.#formOf(each))
    const [one, two, three] = forms
    if (name === 'abs') return this.#larger(one!, scaled(one!, -1))
    if (name === 'max') return this.#larger(one!, two!)
    if (name === 'min') return this.#smaller(one!, two!)
    if (name === 'clamp') return this.#smaller(this.#larger(one!, two!), three!)
    if (name !== 'between') return curved(name, one!, two)
    this.#compare(one!, two!)
    this.#compare(one!, three!)
    if (forms.some(({ value }) => value === undefined)) return unknown
    return fixed(functionNamed(name)(...forms.map(({ value }) => value)) === true)
  }

  #larger(one: Form, other: Form): Form {
    return this.#compare(one, other) ?? (Number(one.value) > Number(other.value) ? one : other)
  }

  #smaller(one: Form, other: Form): Form {
    return this.#compare(one, other) ?? (Number(one.value) < Number(other.value) ? one : other)
  }

  /** Records the input at which both are equal. Returns the difference if that input is unknown. */
  #compare(one: Form, other: Form): Form | undefined {
    const less = sum(one, scaled(other, -1))
    const { value, slope, inputs, size } = less
    const [input] = inputs
    if (Number.isNaN(slope)) for (const each of inputs) this.found.set(each, null)
    if (value === undefined || Number.isNaN(slope)) return less
    if (input === undefined || slope === 0) return undefined
    const begin = this.#beginOf(input)
    const tolerance = input === time ? most.timeMs : begin * most.share
    const before = this.found.get(input)
    if ((rounding * size) / Math.abs(slope) > tolerance) this.found.set(input, null)
    else if (before !== null) this.found.set(input, [...(before ?? []), begin - Number(value) / slope])
    return undefined
  }

  #beginOf(input: string): number {
    const { account, [input]: feed } = this.#now
    if (feed instanceof CandlesObject) return feed.last('close')
    return input === equity && account instanceof AccountObject ? (account.equity() ?? 0) : 0
  }
}

const unknown: Form = { value: undefined, slope: 0, inputs: [], size: 0 }

function fixed(value: number | boolean): Form {
  return { value, slope: 0, inputs: [], size: Math.abs(Number(value)) }
}

const compared = {
  '<': (a: number, b: number) => a < b,
  '<=': (a: number, b: number) => a <= b,
  '>': (a: number, b: number) => a > b,
  '>=': (a: number, b: number) => a >= b,
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
}

function said(one: Form, other: Form, of: (a: number, b: number) => boolean): Form {
  if (one.value === undefined || other.value === undefined) return unknown
  return fixed(of(Number(one.value), Number(other.value)))
}

function sum(one: Form, other: Form): Form {
  return joined(one, other, (a, b) => a + b, one.slope + other.slope)
}

function scaled(form: Form, by: number): Form {
  return joined(form, fixed(by), (a, b) => a * b, form.slope * by)
}

function product(one: Form, other: Form): Form {
  if (one.inputs.length === 0) return joined(one, other, (a, b) => a * b, other.slope * Number(one.value))
  if (other.inputs.length === 0) return joined(one, other, (a, b) => a * b, one.slope * Number(other.value))
  return joined(one, other, (a, b) => a * b, NaN)
}

function quotient(one: Form, other: Form): Form {
  if (other.value === 0) return { ...joined(one, other, () => 0, NaN), value: undefined }
  const slope = other.inputs.length === 0 ? one.slope / Number(other.value) : NaN
  return joined(one, other, (a, b) => a / b, slope)
}

/** A function of one or two numbers that is not linear. */
function curved(name: string, one: Form, two: Form = fixed(0)): Form {
  const form = joined(
    one,
    two,
    (a, b) => valueUnlessUnknown(() => Number(functionNamed(name)(a, b))) ?? NaN,
    NaN,
  )
  return Number.isNaN(form.value) ? { ...form, value: undefined } : form
}

/** Combines two forms; the slope stays defined while both have the same single input. */
function joined(one: Form, other: Form, of: (a: number, b: number) => number, slope: number): Form {
  // A value that no input changes stays unknown, and so does everything computed from it.
  for (const { value, inputs } of [one, other]) if (value === undefined && inputs.length === 0) return unknown
  const inputs = other.inputs.length === 0 ? one.inputs : [...new Set([...one.inputs, ...other.inputs])]
  const isKnown = one.value !== undefined && other.value !== undefined
  const value = isKnown ? of(Number(one.value), Number(other.value)) : undefined
  return {
    value,
    slope: inputs.length === 0 ? 0 : inputs.length === 1 ? slope : NaN,
    inputs,
    size: Math.max(one.size, other.size, Math.abs(value ?? 0)),
  }
}

const runs = new WeakMap<ASTNode, Run>()

function valueOf(
  node: ASTNode,
  now: Context,
  isFeed: (name: string) => boolean,
): number | boolean | undefined {
  let run = runs.get(node)
  if (!run) runs.set(node, (run = compileExpression(node, isFeed)))
  const value = valueUnlessUnknown(() => run(now))
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

function valueUnlessUnknown<Value>(of: () => Value): Value | undefined {
  try {
    return of()
  } catch (error) {
    if (error instanceof UnknownValue) return undefined
    throw error
  }
}
