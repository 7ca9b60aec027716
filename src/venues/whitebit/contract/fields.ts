import { z } from 'zod'
import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import { decimalPattern, positivePattern, signedPattern } from '#src/core/money/decimal-text.ts'

/** The kinds of values in bodies. Requests take Decimals or text and send text; answers keep the exact text. */
type FieldError = string | ((issue: { input?: unknown }) => string)

const decimalWire = (error?: FieldError) =>
  z.string(error === undefined ? {} : { error }).regex(decimalPattern, {
    error: error ?? 'The value must be a decimal number as text, such as "0.015".',
  })

/** Text is sent as it stands, which the client's shortcut past the schemas relies on. */
export const decimalToWire = (value: Decimal | string): string =>
  // What is neither is left for the schema to name: zod encodes before it checks.
  Decimal.isDecimal(value) ? decimalText(value) : value

/**
 * A decimal we send: callers hand in a Decimal or its text, the wire carries the text. Amounts and prices are above zero,
 * which the document says; how 0 is refused differs between calls.
 */
export const decimalField = (error?: FieldError) =>
  z
    .codec(
      decimalWire(error),
      z.union([z.string(), z.custom<Decimal>((value) => Decimal.isDecimal(value))]),
      {
        decode: (text) => text,
        encode: decimalToWire,
      },
    )
    .meta({ pattern: positivePattern.source })
export const decimalIn = decimalField()

/**
 * A decimal we receive: its text, checked and kept. Most answers are compared or stored, few are computed
 * with, and a Decimal for each of the 120 numbers of a bulk answer costs more than the call itself.
 */
export const decimalOut = decimalWire()
/** The same where it may be below zero: changes, rates, profits. */
export const signedOut = z.string().regex(signedPattern, 'The value must be a decimal number in a string.')

export const ticker = z
  .string()
  .regex(/^[A-Z0-9]{1,20}$/, 'The selected ticker is invalid.')
  .describe('Currency ticker, such as USDT')
export const marketPattern = /^[A-Z0-9]{1,20}_[A-Z0-9]{1,20}$/
export const market = z
  .string()
  .regex(marketPattern, 'Market field format is invalid.')
  .describe('Market name, such as BTC_PERP')
/** The specification says no more than UUID, and those are written in small letters and read in either. */
export const uuidPattern = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
export const uuid = z.string().regex(uuidPattern)
export const side = z.enum(['buy', 'sell'])
export const positionSide = z.enum(['LONG', 'SHORT', 'BOTH'])
export const unixSeconds = z.int().min(0)
export const unixFraction = z.number().min(0).describe('Unix seconds with fraction')
/** What family endpoints answer that have nothing to tell. */
export const emptyList = z.array(z.never()).max(0)
export const pageLimit = (most: number) => z.int().min(1).max(most)
export const pageOffset = (most: number) => z.int().min(0).max(most)
/** A field that may be left out, and what the call means then: help, OpenAPI document and handlers read it here. */
export const usually = <Schema extends z.ZodType>(schema: Schema, value: z.input<Schema>) =>
  schema.optional().meta({ default: value })
/** A part of a list, and which part it is. */
export const dataPage = <Element extends z.ZodType>(element: Element) =>
  z.object({ data: z.array(element), limit: z.int(), offset: z.int() })
/** The part of a list that is asked for. */
export const page = (most: number, limit: number, farthest = 10_000) => ({
  limit: usually(pageLimit(most), limit),
  offset: usually(pageOffset(farthest), 0),
})
