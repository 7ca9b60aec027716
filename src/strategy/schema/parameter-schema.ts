import { z } from 'zod'
import { name, text } from './quantities.ts'
import { freeRange } from './value-range.ts'

/** A value with a name, and the values that a sweep tries in its place. */
export type Parameter = { default: string; values: readonly string[] }

const listMax = 1000
const value = text.meta({ examples: ['0.2%..2%'] })
const list = z.array(text).min(1).max(listMax)
const form = z.union([value, list, z.strictObject({ default: text, values: z.union([value, list]) })])

/** `1%`, `0.2%..2%`, `11..41:2`, `[5m, 10m]`, or a default with such values. */
const parameterSchema = form.transform((given, context): Parameter => {
  const isForm = typeof given === 'object' && !Array.isArray(given)
  const written = isForm ? given.values : given
  const range =
    typeof written === 'string' ? (freeRange(written) ?? { values: [written] }) : { values: written }
  const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path })
  if ('wrong' in range) {
    refuse(`${range.wrong}\nwrite it like 0.2%..2% or 11..41:2`, isForm ? ['values'] : [])
    return z.NEVER
  }
  const listed = typeof written === 'string' ? [] : written
  const twice = listed.find((each, index) => listed.indexOf(each) !== index)
  if (twice !== undefined)
    refuse(`has the value ${twice} twice\nremove one of them`, isForm ? ['values'] : [])
  const middle = range.values[typeof written === 'string' ? Math.floor((range.values.length - 1) / 2) : 0]
  const chosen = isForm ? given.default : (middle ?? '')
  if (isForm && !isAmong(chosen, written, range.values))
    refuse('must be one of the values, or within their range\nchange the default or the values', ['default'])
  return { default: chosen, values: range.values }
})

const unitOf = (text: string) => text.replace(/^-?[\d.]+/, '')

function isAmong(chosen: string, written: string | string[], values: readonly string[]): boolean {
  if (typeof written !== 'string' || values.length === 1) return values.includes(chosen)
  const [first = '', last = ''] = [values[0], values.at(-1)]
  const number = Number.parseFloat(chosen)
  return (
    unitOf(chosen) === unitOf(first) &&
    number >= Number.parseFloat(first) &&
    number <= Number.parseFloat(last)
  )
}

export const parametersSchema = z.record(name, parameterSchema)
