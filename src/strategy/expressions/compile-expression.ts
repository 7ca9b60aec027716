import type { ASTNode } from '@marcbachmann/cel-js'
import { keyOf } from '#src/market/indicators/indicator-values.ts'
import { isIndicator } from '#src/market/indicators/indicator-table.ts'
import { functionNamed } from './functions.ts'
import { CandlesObject, UnknownValue, unknownValue } from './context-objects.ts'

export type Context = Readonly<Record<string, unknown>>
/** Returns the value, or throws `Unknown`. */
export type Run = (context: Context) => unknown

/**
 * Compiles a parsed and typed expression to a closure. The library can evaluate it too, but takes ten times as long,
 * and continues with infinity after a division by zero.
 */
export function compileExpression(node: ASTNode): Run {
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
      return callOf(...node.args)
    case '?:': {
      const [condition, one, other] = node.args.map(compileExpression)
      return (context) => (condition!(context) === true ? one!(context) : other!(context))
    }
    case '!_': {
      const inner = compileExpression(node.args)
      return (context) => inner(context) !== true
    }
    case '-_': {
      const inner = compileExpression(node.args)
      return (context) => -Number(inner(context))
    }
    case '&&':
    case '||':
      return decided(compileExpression(node.args[0]), compileExpression(node.args[1]), node.op === '||')
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
      return computed(node.op, compileExpression(node.args[0]), compileExpression(node.args[1]))
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

function callOf(name: string, given: readonly ASTNode[]): Run {
  const [one, two, three] = given.map(compileExpression)
  if (isIndicator(name)) {
    const parameters = given.slice(1).map((node) => Number(node.args))
    const key = keyOf(name, parameters)
    const about = `${name}(${parameters.join(', ')}), which has too few candles,`
    return (context) => {
      const feed = one?.(context)
      return feed instanceof CandlesObject ? feed.read(key, about) : undefined
    }
  }
  const called = functionNamed(name)
  if (three) return (context) => called(one?.(context), two?.(context), three(context))
  if (two) return (context) => called(one?.(context), two(context))
  return (context) => called(one?.(context))
}
