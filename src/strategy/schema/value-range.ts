import { Decimal } from '#src/core/money/decimal.ts'

/** The values of a range, or what is wrong with it. */
export type ValueRange = { values: string[] } | { wrong: string }

const number = String.raw`-?\d+(?:\.\d+)?`
const stepped = new RegExp(String.raw`^(${number})(.*)\.\.(${number})(.*):(\d+(?:\.\d+)?)(.*)$`)
const word = String.raw`[^\s,\d.]*|\s[a-z ]+`
const plain = new RegExp(String.raw`^(${number})(${word})\.\.(${number})(${word})$`)
const valuesMax = 10_000
/** A range without a step has at least so many steps, except for whole numbers. */
const stepsMin = 100

/** `FROM..TO:STEP`, where all three have the same unit. The last value may be below the end: 1..2:0.3 ends at 1.9. */
export function steppedRange(text: string): ValueRange | undefined {
  const [, from, unit, to, toUnit, step, stepUnit] = stepped.exec(text) ?? []
  if (from === undefined || to === undefined || step === undefined) return undefined
  if (unit !== toUnit || unit !== stepUnit)
    return { wrong: `mixes units: "${unit}", "${toUnit}" and "${stepUnit}"` }
  return valuesOf([new Decimal(from), new Decimal(to), new Decimal(step)], unit ?? '')
}

export function isPlainRange(text: string): boolean {
  return plain.test(text)
}

/** `FROM..TO`, or with a step. Without one, the step is a power of ten, and 1 or more if both ends are whole numbers. */
export function freeRange(text: string): ValueRange | undefined {
  const [, from, unit = '', to, toUnit] = plain.exec(text) ?? []
  if (from === undefined || to === undefined) return steppedRange(text)
  if (unit !== toUnit) return { wrong: `mixes units: "${unit}" and "${toUnit}"` }
  const [first, last] = [new Decimal(from), new Decimal(to)]
  const isWhole = unit !== '%' && !from.includes('.') && !to.includes('.')
  const step = stepOf(last.minus(first))
  return valuesOf([first, last, isWhole ? Decimal.max(1, step) : step], unit)
}

function stepOf(distance: Decimal): Decimal {
  if (!distance.gt(0)) return new Decimal(1)
  return new Decimal(10).pow(distance.div(stepsMin).log(10).floor())
}

function valuesOf([first, last, apart]: readonly [Decimal, Decimal, Decimal], unit: string): ValueRange {
  if (apart.isZero()) return { wrong: 'has a step of zero' }
  if (last.lt(first)) return { wrong: 'ends below its start' }
  const count = last.minus(first).divToInt(apart).toNumber() + 1
  if (count > valuesMax) return { wrong: `has ${count} values, more than ${valuesMax}` }
  return {
    values: Array.from({ length: count }, (_, index) => first.plus(apart.times(index)).toFixed() + unit),
  }
}
