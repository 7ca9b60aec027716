import { z } from 'zod'
import { decimal, Decimal } from '#src/core/money/decimal.ts'

/** Quantities in the notation of strategy files. Each has its unit, so that no number is mistaken for another kind. */
const number = String.raw`(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?`
const span = String.raw`[1-9]\d*(?:ms|[smhdw])`

/** The second line of a message is the fix. */
function quantity<Value>(
  pattern: string,
  what: string,
  example: string,
  read: (text: string) => Value,
  zeroFix = `write it like ${example}`,
) {
  const whole = new RegExp(`^(?:${pattern})$`)
  const error = ({ input }: { input?: unknown }) => {
    const text = typeof input === 'string' ? input : ''
    const [joined, positive] = [text.replaceAll(/(?<=\d) +/g, ''), text.replace(/^0+(?=[a-z])/, '1')]
    if (joined !== text && whole.test(joined)) return `must have no space\nwrite it like ${joined}`
    if (positive !== text && whole.test(positive)) return `must be above zero\n${zeroFix}`
    const values = text.match(/(?<![\w.])[\d.]+ ?(?:[A-Za-z]+|%)/g) ?? []
    if (values.length > 1 && /^[\w.% +*-]+$/.test(text))
      return `must be one value with one unit, not ${values.join(' and ')}\nwrite it like ${example}`
    const isNegative = text.startsWith('-') && whole.test(text.slice(1))
    return `must ${isNegative ? 'not be negative' : `be ${what}`}\nwrite it like ${example}`
  }
  const [first] = example.split(/, | or /)
  return z
    .string()
    .regex(whole, { error, abort: true })
    .transform(read)
    .meta({ examples: [first] })
}

const numberOf = (text: string) => decimal(/^[\d.]+/.exec(text)?.[0] ?? '')
const ratioOf = (text: string) => numberOf(text).div(100)
const aboveZero = { error: 'must be above zero' }

/** Each key states its kind of value: a share of 3% written as 0.03 would be valid where the key wants money. */
export const plainNumber = (what: string, example: string) => quantity(number, what, example, numberOf)
export const signedNumber = (what: string, example: string) =>
  quantity(`-?${number}`, what, example, (text) =>
    text.startsWith('-') ? decimal(text.slice(1)).neg() : decimal(text),
  )
const positive = (what: string, example: string) =>
  plainNumber(what, example).refine((value) => value.gt(0), aboveZero)
export const money = positive('an amount of money as a plain number', '40')

/** A share of the equity of the account. */
export type EquityShare = { ofEquity: Decimal }
/** A limit in money: an amount, or a share of the equity. */
export type MoneyLimit = Decimal | EquityShare
export const moneyLimit = quantity(
  `${number}(?:% equity)?`,
  'an amount of money as a plain number, or a share of the equity',
  '40 or 50% equity',
  (text): MoneyLimit => (text.endsWith('equity') ? { ofEquity: ratioOf(text) } : numberOf(text)),
).refine((limit) => (isShare(limit) ? limit.ofEquity : limit).gt(0), aboveZero)
export function isShare(limit: MoneyLimit): limit is EquityShare {
  return !Decimal.isDecimal(limit)
}

export const baseAmount = positive('an amount of the base currency as a plain number', '0.05')
export const price = positive('a price as a plain number', '60000')
export const factor = positive('a factor as a plain number', '1.2')
export const weight = positive('a weight as a plain number', '1.5')
export const part = positive('a part as a plain number', '0.5')
export const percent = quantity(`${number}%`, 'a percentage', '1.5%', ratioOf)
export const somePercent = percent.refine((value) => value.gt(0), aboveZero)
/** For messages: cut to a thousandth of a percent. */
export function percentText(ratio: Decimal): string {
  return `${ratio.times(100).toDecimalPlaces(3).toFixed()}%`
}

/** A move up or down; without a sign both directions, of which the worse counts. */
export const move = quantity(`[+-]?${number}%`, 'a move in percent', '-30%', (text) => {
  const ratio = ratioOf(text.replace(/^[+-]/, ''))
  return text.startsWith('-') ? [ratio.neg()] : text.startsWith('+') ? [ratio] : [ratio.neg(), ratio]
})
  .refine((moves) => moves.every((ratio) => !ratio.isZero()), { error: 'must not be zero' })
  .refine((moves) => moves.every((ratio) => ratio.gte(-1)), {
    error: 'a price cannot fall by more than 100%\nwrite it like -30%, or +150% for a rise alone',
  })

const unitsMs = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])
const msOf = (text: string) => Number.parseInt(text, 10) * (unitsMs.get(text.replace(/^\d+/, '')) ?? 0)
/** A duration inside of an expression; undefined if the text is none. */
export const durationIn = (text: string) => (new RegExp(`^${span}$`).test(text) ? msOf(text) : undefined)

/** In the notation of `duration`, with the largest unit that needs no fraction. */
export function durationText(ms: number): string {
  const [unit, long] = [...unitsMs].findLast(([, long]) => ms % long === 0) ?? ['ms', 1]
  return `${ms / long}${unit}`
}

const longest = '99999w'
const tooLong = { error: `must be at most ${longest}\nwrite a shorter duration` }
const isShort = (ms: number) => ms <= msOf(longest)
export const duration = quantity(span, 'a duration', '10m', msOf).refine(isShort, tooLong)
/** The file can omit it, which a person may mean by zero. */
export const optionalDuration = (example = '10m') =>
  quantity(span, 'a duration', example, msOf, `omit the key, or write it like ${example}`)
    .refine(isShort, tooLong)
    .optional()
export const spans = quantity(String.raw`${span}\.\.${span}`, 'two durations', '250ms..8s', (text) => {
  const [from = '', to = ''] = text.split('..')
  return { fromMs: msOf(from), toMs: msOf(to) }
})
  .refine(({ toMs }) => isShort(toMs), tooLong)
  .refine(({ fromMs, toMs }) => fromMs <= toMs, { error: 'must go from the shorter to the longer duration' })

export const count = (most: number, example = '12') =>
  quantity(String.raw`[1-9]\d{0,8}`, 'a whole number from 1', example, Number).refine(
    (value) => value <= most,
    {
      error: `must be at most ${most}\nwrite ${most} or less`,
    },
  )

export const oneNumberOf = (numbers: readonly number[]) =>
  quantity(numbers.join('|'), `one of ${numbers.join(', ')}`, String(numbers[0]), Number)

export const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

type Capital = { amount: Decimal; of: 'quote' | 'base' | 'equity' }
type SizeExpression = { expression: string; of: 'quote' | 'base' }
const capitalPattern = `${number} (?:quote|base)|${number}% equity`
const capitalWords = [
  'capital with its unit: quote is money, base the traded currency',
  '2100 quote, 0.05 base or 25% equity',
] as const
const isAboveZero = (size: Capital | SizeExpression) => !('amount' in size) || size.amount.gt(0)

/** Money, an amount of the base currency, or a share of the account's equity. */
export const capital = quantity(capitalPattern, ...capitalWords, readCapital).refine(isAboveZero, aboveZero)
/** Capital, or an expression and its unit. Numbers have no letters. */
export const size = quantity(
  String.raw`${capitalPattern}|(?=[^]*[a-z(][^]* (?:quote|base)$)[^]+ (?:quote|base)`,
  capitalWords[0],
  '2100 quote, 0.05 base, 25% equity or 0.001 * equity(account) quote',
  (text) => sizeExpression(text) ?? readCapital(text),
).refine(isAboveZero, aboveZero)

function readCapital(text: string): Capital {
  const of = text.endsWith('base') ? 'base' : text.endsWith('quote') ? 'quote' : 'equity'
  return { amount: of === 'equity' ? ratioOf(text) : numberOf(text), of }
}

/** The expression of a size and its unit; undefined for capital, and for a text that is neither. */
export function sizeExpression(text: string): SizeExpression | undefined {
  const unit = (['quote', 'base'] as const).find((each) => text.endsWith(` ${each}`))
  const expression = unit === undefined ? '' : text.slice(0, -unit.length - 1)
  return unit === undefined || !/[a-z(]/.test(expression) ? undefined : { expression, of: unit }
}

/** A loss: money, or a share of the equity. */
export const riskedMoney = quantity(
  `${number} quote|${number}% equity`,
  'a loss with its unit',
  '50 quote or 1% equity',
  (text) =>
    text.endsWith('equity')
      ? ({ amount: ratioOf(text), of: 'equity' } as const)
      : ({ amount: numberOf(text), of: 'quote' } as const),
).refine(({ amount }) => amount.gt(0), aboveZero)

export const feeMultiple = quantity(`${number} x fee`, 'a multiple of the fee', '2.2 x fee', numberOf)
/** A distance of a trailing exit: in units of the spacing, or of the price. */
export const trailDistance = quantity(
  `${number} x unit|${number}%`,
  'a multiple of the unit of the spacing, or a percentage of the price',
  '1.5 x unit or 2%',
  (text) =>
    text.endsWith('%')
      ? ({ of: 'price', by: ratioOf(text) } as const)
      : ({ of: 'unit', by: numberOf(text) } as const),
)
/** How far the anchor may move before the ladder follows. */
export const drift = quantity(
  `${number} step|${number}%`,
  'a distance in steps of the ladder or in percent',
  '1 step or 0.05%',
  (text) =>
    text.endsWith('%')
      ? ({ of: 'price', by: ratioOf(text) } as const)
      : ({ of: 'step', by: numberOf(text) } as const),
)

export const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,15}$/, {
    error: 'must be a name of at most 16 lower case letters, digits and underscores\nwrite it like btc_dip',
  })
  .meta({ examples: ['dip'] })
/** A name and its parameters, at most eight. */
const functionKeyPattern =
  /^([a-z][a-z0-9_]{0,15})\(([a-z][a-z0-9_]{0,15}(?:, ?[a-z][a-z0-9_]{0,15}){0,7})\)$/

/** The parts of a key such as `zscore(x, n)`. */
export function signatureIn(key: string): { name: string; parameters: string[] } | undefined {
  const [, name, list = ''] = functionKeyPattern.exec(key) ?? []
  return name === undefined ? undefined : { name, parameters: list.split(/, ?/) }
}

export const functionKey = z
  .string()
  .regex(functionKeyPattern, {
    error: 'must be a name and its parameters, at most eight\nwrite it like zscore(x, n)',
  })
  .meta({ examples: ['zscore(x, n)'] })
export const text = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(200, { error: 'must have at most 200 letters\nshorten it' })
  .meta({ examples: ['the price has left the grid'] })
export const expressionLettersMax = 500
export const expression = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(expressionLettersMax, {
    error: `must have at most ${expressionLettersMax} letters\nname parts of it in let`,
  })
  .meta({ examples: ['last(px)'] })

/** The price of the anchor, and when it is computed: after the given event, or always. */
export function anchorParts(text: string): {
  price: string
  taken: 'always' | 'episode_start' | 'rule_start'
} {
  const taken = (['episode_start', 'rule_start'] as const).find((when) => text.endsWith(` at ${when}`))
  return taken ? { price: text.slice(0, -` at ${taken}`.length), taken } : { price: text, taken: 'always' }
}
