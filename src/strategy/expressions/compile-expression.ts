import type { ASTNode } from '@marcbachmann/cel-js'
import { keyOf } from '#src/market/indicators/indicator-values.ts'
import { isIndicator } from '#src/market/indicators/indicator-table.ts'
import { functionNamed } from './functions.ts'
import { CandlesObject, known, UnknownValue, unknownValue } from './context-objects.ts'
import { isSeriesFunction, seriesFunctions } from './series-functions.ts'

export type Context = Readonly<Record<string, unknown>>
/** Returns the value, or throws `Unknown`. */
export type Run = (context: Context) => unknown

/** The argument of a function of earlier values, and the number of values that the function reads, with the current value. */
export type Series = { ast: ASTNode; run: Run; count: number }
/** Its values at the last closes of its candles, oldest first; NaN where it was unknown. */
export type EarlierValues = (series: Series) => readonly number[]
/** Names them in a context. */
export const earlierValues = ' earlier values'
/** Whether a name is a feed of candles. */
type IsFeed = (name: string) => boolean

/**
 * Compiles a parsed and typed expression to a closure. The library can evaluate it too, but takes ten times as long,
 * and continues with infinity after a division by zero.
 */
export function compileExpression(node: ASTNode, isFeed: IsFeed): Run {
  const compiled = (part: ASTNode) => compileExpression(part, isFeed)
  switch (node.op) {
    case 'value': {
      const value: unknown = node.args
      return () => value
    }
    case 'id': {
      const name = node.args
      return (context) => {
        const value = context[name]
        if (value === undefined) throw unknownValue(`${name} is unknown`)
        return value
      }
    }
    case 'call':
      return callOf(isFeed, ...node.args)
    case '?:': {
      const [condition, one, other] = node.args.map(compiled)
      return (context) => (condition!(context) === true ? one!(context) : other!(context))
    }
    case '!_': {
      const inner = compiled(node.args)
      return (context) => inner(context) !== true
    }
    case '-_': {
      const inner = compiled(node.args)
      return (context) => -Number(inner(context))
    }
    case '&&':
    case '||':
      return decided(compiled(node.args[0]), compiled(node.args[1]), node.op === '||')
    case '==':
    case '!=':
    case '+':
    case '-':
    case '*':
    case '/':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return computed(node.op, compiled(node.args[0]), compiled(node.args[1]))
    default:
      throw new Error(`strategy expressions do not support ${node.op}`)
  }
}

/** One side may decide the result although the other is unknown. */
function decided(one: Run, other: Run, decisive: boolean): Run {
  return (context) => {
    let left: unknown
    try {
      left = one(context)
    } catch (error) {
      if (error instanceof UnknownValue && other(context) === decisive) return decisive
      throw error
    }
    return left === decisive ? decisive : other(context)
  }
}

type Operator = '==' | '!=' | '+' | '-' | '*' | '/' | '<' | '<=' | '>' | '>='

function computed(operator: Operator, one: Run, other: Run): Run {
  switch (operator) {
    case '==':
      return (context) => one(context) === other(context)
    case '!=':
      return (context) => one(context) !== other(context)
    case '+':
      return (context) => Number(one(context)) + Number(other(context))
    case '-':
      return (context) => Number(one(context)) - Number(other(context))
    case '*':
      return (context) => Number(one(context)) * Number(other(context))
    case '/':
      return (context) => {
        const divisor = Number(other(context))
        if (divisor === 0) throw unknownValue('division by zero')
        return Number(one(context)) / divisor
      }
    case '<':
      return (context) => Number(one(context)) < Number(other(context))
    case '<=':
      return (context) => Number(one(context)) <= Number(other(context))
    case '>':
      return (context) => Number(one(context)) > Number(other(context))
    case '>=':
      return (context) => Number(one(context)) >= Number(other(context))
  }
}

/** Whether a call reads earlier values of its first argument, and not candles. */
export function readsSeries(name: string, [first]: readonly ASTNode[], isFeed: IsFeed): boolean {
  return isSeriesFunction(name) && !(first?.op === 'id' && isFeed(first.args))
}

/** The numbers behind the first argument. */
export function parametersOf(given: readonly ASTNode[]): number[] {
  return given.slice(1).map((node) => Number(node.args))
}

function seriesOf(name: string, given: readonly ASTNode[], run: Run): Run {
  const found = seriesFunctions[name]
  const [ast] = given
  if (!found || !ast) throw new Error(`${name} has no values`)
  const parameters = parametersOf(given)
  const series: Series = { ast, run, count: found.reads(parameters) }
  const about = `${name}() of the last ${series.count} values`
  return (context) => {
    const valuesOf = context[earlierValues]
    const values: readonly number[] = typeof valuesOf === 'function' ? valuesOf(series) : []
    const result = found.result(values, parameters)
    return known(Number.isNaN(result) ? undefined : result, about)
  }
}

function callOf(isFeed: IsFeed, name: string, given: readonly ASTNode[]): Run {
  const [one, two, three, four] = given.map((part) => compileExpression(part, isFeed))
  if (one && readsSeries(name, given, isFeed)) return seriesOf(name, given, one)
  if (isIndicator(name)) {
    const parameters = parametersOf(given)
    const key = keyOf(name, parameters)
    const about = `${name}(${parameters.join(', ')}), which has too few candles,`
    return (context) => {
      const feed = one?.(context)
      return feed instanceof CandlesObject ? feed.read(key, about) : undefined
    }
  }
  const called = functionNamed(name)
  if (four) return (context) => called(one?.(context), two?.(context), three?.(context), four(context))
  if (three) return (context) => called(one?.(context), two?.(context), three(context))
  if (two) return (context) => called(one?.(context), two(context))
  return (context) => called(one?.(context))
}
