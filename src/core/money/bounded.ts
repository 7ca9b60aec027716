import { atomDigits } from './atoms.ts'
import { Decimal, numberOf } from './decimal.ts'
import { nearestNumber } from './units.ts'

/** A sum of doubles is off by far less than this share of the numbers in it. */
export const relativeTolerance = 1e-9

/**
 * A number system. A rule that is written for all of them is evaluated in doubles first, and with all digits only where
 * the doubles leave a doubt: so a rule has one text, and mostly costs as little as doubles do.
 */
export type Arithmetic<N> = {
  readonly zero: N
  /** Of decimal text, with or without a sign. */
  text: (text: string) => N
  decimal: (value: Decimal) => N
  /** Of a price or a count that came as a double. */
  number: (value: number) => N
  plus: (a: N, b: N) => N
  minus: (a: N, b: N) => N
  times: (a: N, b: N) => N
  over: (a: N, b: N) => N
  max: (a: N, b: N) => N
  min: (a: N, b: N) => N
  /** Undefined where the errors of both leave a doubt. */
  isAtMost: (a: N, b: N) => boolean | undefined
  /** Whether both came of the same operations on the same numbers. */
  isSame: (a: N, b: N) => boolean
  /** A number that may be either of the two, for a condition that is in doubt. */
  either: (a: N, b: N) => N
}

export const exact: Arithmetic<Decimal> = {
  zero: new Decimal(0),
  text: (text) => new Decimal(text),
  decimal: (value) => value,
  number: (value) => new Decimal(value),
  plus: (a, b) => a.plus(b),
  minus: (a, b) => a.minus(b),
  times: (a, b) => a.times(b),
  over: (a, b) => a.div(b),
  max: (a, b) => Decimal.max(a, b),
  min: (a, b) => Decimal.min(a, b),
  isAtMost: (a, b) => a.lte(b),
  isSame: (a, b) => a.eq(b),
  either: (a) => a,
}

/** A double, and how far the true number is from it at most. */
export type Bounded = { readonly value: number; readonly error: number }

/** More than the rounding of one operation and of its error. */
const rounding = 2 ** -51

function rounded(value: number, error: number): Bounded {
  return { value, error: error + rounding * (Math.abs(value) + error) }
}

/** All numbers up to this share away. */
export function widened({ value, error }: Bounded, share: number): Bounded {
  return { value, error: error + Math.abs(value) * share }
}

export const bounded: Arithmetic<Bounded> = {
  zero: { value: 0, error: 0 },
  text: (text) => {
    const near = nearestNumber(text, atomDigits)
    return rounded(Number.isNaN(near) ? Number(text) : near, 0)
  },
  decimal: (value) => {
    const near = numberOf(value)
    return Number.isSafeInteger(near) && value.isInteger() ? { value: near, error: 0 } : rounded(near, 0)
  },
  number: (value) => (Number.isSafeInteger(value) ? { value, error: 0 } : rounded(value, 0)),
  plus: (a, b) => rounded(a.value + b.value, a.error + b.error),
  minus: (a, b) => rounded(a.value - b.value, a.error + b.error),
  times: (a, b) =>
    rounded(a.value * b.value, Math.abs(a.value) * b.error + Math.abs(b.value) * a.error + a.error * b.error),
  over: (a, b) => {
    const value = a.value / b.value
    const least = Math.abs(b.value) - b.error
    // Also if it is not a number.
    if (!(least > 0)) return { value, error: Infinity }
    return rounded(value, (a.error + Math.abs(value) * b.error) / least)
  },
  max: (a, b) => ({ value: Math.max(a.value, b.value), error: Math.max(a.error, b.error) }),
  min: (a, b) => ({ value: Math.min(a.value, b.value), error: Math.max(a.error, b.error) }),
  isAtMost: (a, b) => {
    const [room, error] = [b.value - a.value, a.error + b.error]
    if (Math.abs(room) > error + rounding * (Math.abs(room) + error)) return room > 0
    // Two that are exact are equal here.
    return error === 0 ? true : undefined
  },
  isSame: (a, b) => a.value === b.value && a.error === b.error,
  either: (a, b) => {
    const least = Math.min(a.value - a.error, b.value - b.error)
    const most = Math.max(a.value + a.error, b.value + b.error)
    return rounded((least + most) / 2, (most - least) / 2)
  },
}

/** The answer to a question that every arithmetic can be asked: in doubles, or with all digits where those do not decide. */
export function decide(question: <N>(arithmetic: Arithmetic<N>) => boolean | undefined): boolean {
  return question(bounded) ?? question(exact) === true
}

/** Whether all are true; undefined where that depends on one that is in doubt. */
export function allOf(...answers: readonly (boolean | undefined)[]): boolean | undefined {
  if (answers.includes(false)) return false
  return answers.includes(undefined) ? undefined : true
}
