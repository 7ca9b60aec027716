import { ParseError, TypeError } from '@marcbachmann/cel-js'
import { decimal, Decimal, decimalText } from '#src/core/money/decimal.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { durationIn } from '#src/strategy/schema/quantities.ts'
import { functionsOfTrades } from '#src/strategy/schema/trade-spans.ts'
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
      ...(parseFaults[code]?.(text.slice(start, range?.end)) ??
        variableFault(text, start) ??
        misplaced(text.charAt(start))),
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
  const span = `${number}${unit}`
  const hint = takesSpan(text.slice(0, start)) ? `write it in quotes: "${span}"` : spanHint(span)
  return hint === undefined ? undefined : { start, message: `${span} is not a number in an expression`, hint }
}

/** Whether a text up to here ends among the arguments of a function of trades. */
function takesSpan(text: string): boolean {
  let closed = 0
  let at = text.length - 1
  for (; at >= 0 && (text[at] !== '(' || closed > 0); at--) {
    if (text[at] === ')') closed += 1
    if (text[at] === '(') closed -= 1
  }
  return functionsOfTrades.has(text.slice(0, Math.max(0, at)).split(/\W/).at(-1) ?? '')
}

/** Only functions of trades take a span of time; ages are numbers of hours. */
export function spanHint(span: string): string | undefined {
  const ms = durationIn(span)
  if (ms === undefined) return undefined
  const hours = decimal(String(ms)).div(3_600_000).toSignificantDigits(4, Decimal.ROUND_HALF_UP)
  return (
    `write ${decimalText(hours)} if the other value is in hours, as open_hours() is; for how long a condition must be ` +
    `true, write for: ${span} in the rule`
  )
}

const unitInside = /(?<=[\w.)%]) +(?<unit>quote|base|equity)\b(?! *\()/g

/** A size with more than one unit. `price` reads a price of the file, if it has a feed with one. */
export function unitsFault(text: string, price: string | undefined): ExpressionFault | undefined {
  const found = [...text.matchAll(unitInside)]
  const [first, last] = [found[0], found.at(-1)]
  if (first === undefined || last === undefined || found.length < 2) return undefined
  const units = [...new Set(found.map(({ groups }) => groups?.['unit'] ?? ''))]
  const message =
    units.length > 1
      ? `must have one unit, not ${units.join(' and ')}`
      : 'must have its unit once, at the end'
  const fault = { start: first.index, message }
  const [number] = /^[\d.]+(?=[a-z ]+$)/.exec(text) ?? []
  if (number !== undefined)
    return { ...fault, hint: `write ${units.map((unit) => `${number} ${unit}`).join(' or ')}` }
  const [, unit = ''] = / (\w+)$/.exec(text) ?? []
  if (units.length > 1 && price === undefined)
    return {
      ...fault,
      hint: 'write one unit at the end, and multiply the other part by a price, or divide it',
    }
  const [toQuote, toBase] = unit === 'quote' ? ['', ` * ${price}`] : [` / ${price}`, '']
  const converted = text
    .slice(0, last.index)
    .replaceAll(/(?<![\d.])([\d.]+)% equity\b/g, (_, share: string) => {
      return `${decimalText(decimal(share).div(100))} * equity(account)${toQuote}`
    })
    .replaceAll(/(?<=[\w.)]) +quote\b/g, toQuote)
    .replaceAll(/(?<=[\w.)]) +base\b/g, toBase)
  return { ...fault, hint: `write ${converted} ${unit}` }
}

function misplaced(letter: string): Pick<ExpressionFault, 'message'> {
  return { message: letter === '' ? 'the expression is incomplete' : `"${letter}" is not allowed here` }
}

/** A variable in a file that defines none. */
function variableFault(text: string, start: number): Omit<ExpressionFault, 'start'> | undefined {
  const [, name] = /^\$([a-z]\w*)/.exec(text.slice(start)) ?? []
  if (name === undefined) return undefined
  // A market is a part of a name, a parameter is a value.
  const isOfLoop = /\w$/.test(text.slice(0, start))
  const section = isOfLoop ? 'for_each' : 'parameters'
  const define = isOfLoop ? `${name}: { markets: [BTC_PERP, ETH_PERP] }` : `${name}: 60000`
  const message = `$${name} stands for nothing: the file has neither for_each nor parameters`
  return { message, hint: `add ${section}: { ${define} } to the file, or write a name or a number here` }
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
