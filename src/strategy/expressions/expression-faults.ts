import { ParseError, TypeError } from '@marcbachmann/cel-js'
import { decimal, decimalText } from '#src/core/money/decimal.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { usage } from './language.ts'
import { TooLong } from './named-functions.ts'

/** What is wrong, and where in the text. */
export type ExpressionFault = Omit<StrategyFault, 'path'> & { start: number }

/** The sections whose names expressions can read. */
const namedIn = ['markets', 'feeds', 'ladder', 'let']

export function unknownName(start: number, name: string, hint: string): ExpressionFault {
  return { start, from: namedIn.map((section) => [section, name]), message: `unknown name "${name}"`, hint }
}

/** A number with a percent sign at or before this place: the language reads the sign as an operator. */
export function percentFault(text: string, until: number): ExpressionFault | undefined {
  const sign = text.indexOf('%')
  if (sign === -1 || sign > until) return undefined
  const before = text.slice(0, sign).trimEnd()
  const number = before.split(/[^\d.]/).at(-1) ?? ''
  if (!isDecimalText(number)) return undefined
  return {
    start: before.length - number.length,
    message: `${number}% is not a number in an expression`,
    hint: `write ${decimalText(decimal(number).div(100))}: here % is the sign of the remainder, which expressions do not support`,
  }
}

/** The fault in the words of this program, from the error code of the parser or the type checker. */
export function faultOf(text: string, error: unknown): ExpressionFault {
  if (error instanceof TooLong)
    return {
      start: 0,
      message: 'with its functions written out it is too long',
      hint: 'call fewer functions in it',
    }
  if (!(error instanceof ParseError || error instanceof TypeError)) throw error
  const { range, code, node } = error
  const start = range?.start ?? 0
  if (error instanceof ParseError) {
    const unit = percentFault(text, start) ?? spanFault(text, start)
    if (unit) return unit
    const hint = 'check brackets, quotes and operators'
    return {
      start,
      hint,
      ...(parseFaults[code]?.(text.slice(start, range?.end)) ?? misplaced(text.charAt(start))),
    }
  }
  const name = node && calledBy(node)
  const signature = usage.get(name ?? '')
  if (signature !== undefined) {
    const hint = `call it as ${signature.replaceAll('double', 'number').replaceAll('bool', 'true or false')}`
    return { start, message: `${name} does not take these arguments`, hint }
  }
  return { start, message: typeFaults[code] ?? operandFault(node?.op ?? ''), hint: operands }
}

function calledBy({ op, args }: { op?: string; args?: unknown }): string | undefined {
  const [name]: unknown[] = op === 'call' && Array.isArray(args) ? args : []
  return typeof name === 'string' ? name : undefined
}

const operands =
  'operators take numbers, && and || take true or false; read a feed with last(), bid() or ema()'

/** A span of time without quotes, such as 5m. */
function spanFault(text: string, start: number): ExpressionFault | undefined {
  const number = /\d+$/.exec(text.slice(0, start))?.[0]
  const unit = /^(?:ms|[smhdw])\b/.exec(text.slice(start))?.[0]
  if (number === undefined || unit === undefined) return undefined
  const span = number + unit
  return {
    start,
    message: `${span} is not a number in an expression`,
    hint: `write a span of time in quotes: "${span}"`,
  }
}

function misplaced(letter: string): Pick<ExpressionFault, 'message'> {
  return { message: letter === '' ? 'the expression is incomplete' : `"${letter}" is not allowed here` }
}

const parseFaults: Record<string, (seen: string) => Pick<ExpressionFault, 'message'> & { hint?: string }> = {
  invalid_number: (seen) => ({ message: `the number ${seen} is too large`, hint: 'write a smaller number' }),
  reserved_identifier: (seen) => ({
    message: `"${seen}" is a reserved word`,
    hint: 'use another name',
  }),
  unterminated_string: () => ({ message: 'this "text" has no closing quote', hint: 'close it with "' }),
  newline_in_string: () => ({
    message: 'this "text" has no closing quote on its line',
    hint: 'close it with "',
  }),
  invalid_escape_sequence: (seen) => ({
    message: `${seen} is not a valid escape in a "text"`,
    hint: 'remove the \\',
  }),
  limit_exceeded: () => ({
    message: 'the expression has too many parts or nested brackets',
    hint: 'name parts of it in let',
  }),
}

const typeFaults: Record<string, string> = {
  invalid_condition_type: 'the part before ? must be true or false',
  incompatible_ternary_branches: 'both sides of : must be numbers, or both true or false',
}

/** `-_` is the sign of a number. */
function operandFault(op: string): string {
  const sign = op.replace('_', '')
  const wanted = ['&&', '||', '!'].includes(sign) ? 'true or false' : 'numbers'
  return `${sign} takes only ${wanted}`
}
