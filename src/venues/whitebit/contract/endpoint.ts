import { z } from 'zod'
import type { RateLimit } from './rolling-window.ts'
import type { Names } from '#src/venues/whitebit/contract/wire/spelling.ts'

/**
 * One row of the contract. The typed client, the gate and the handlers of the embedded exchange, `rungs api`,
 * the OpenAPI document and the spec tests derive from it, so a fact about an endpoint is written once.
 */
export type Endpoint = {
  /** A public one may end in a parameter: `/api/v4/public/trades/{market}`. */
  path: `/api/v${1 | 4}/${string}`
  /** Where spec.md describes it; of what it does not have, `beyond.` and the name of a chapter. */
  section: string
  summary: string
  access: 'public' | 'private' | 'partner'
  /** Reads may be asked again after a failure; writes never are. */
  effect: 'read' | 'write'
  /** What the key must be allowed to do. */
  permission: Permission
  /** With which account its orders trade: a sub-account may be barred from either. */
  orders?: 'spot' | 'collateral'
  limit: RateLimit
  /** The body without `request` and `nonce`: the client encodes with it. */
  request: z.ZodObject
  /** What the door checks, where it must be milder than `request` (a bulk judges each order by itself). */
  gate?: z.ZodObject
  response: z.ZodType
  /**
   * The fields that the bot needs, at whatever depth. Where a row names them, the client reads its answer in parts: any
   * other field is left out if it does not fit, and an element without a needed field costs that element alone.
   */
  reads?: readonly string[]
  /** The parameter that asks for one element of a record: with it, a venue may answer the element alone. */
  flatFor?: string
  /**
   * How a body that does not fit is refused: the code and status of its family (spec §7). A status that spec.md documents
   * holds in every world.
   */
  invalid: { code: 0 | 30; status: 400 | 422; documented?: true }
  /** How a public endpoint words that, where it is not the plain error of spec §7. */
  wording?: 'flat' | 'wrapped'
  /** Every code with which the venue may refuse the call as a whole, before it acted. */
  errors: readonly number[]
  /** Success answers 201 in profile `full` (the wire of the family); the spec shows 200 only. */
  created?: true
  /** Beyond spec.md: profile `spec` does not serve it. */
  beyond?: true
  /** Names that spelling `camel` writes differently. */
  camel?: { request: Names; response: Names }
  example: { request: Record<string, unknown>; response: unknown }
}

export const permissions = ['read', 'trade', 'funds', 'account'] as const
export type Permission = (typeof permissions)[number]

export function endpoint<const Row extends Endpoint>(row: Row): Row {
  return row
}

/** How a person is told where an endpoint is described. */
export function placeOf({ section, beyond }: Endpoint): string {
  return beyond ? section : `§${section}`
}

/** What a call means that leaves this field out; `usually` has put it into the row. */
export function usualOf<Row extends Endpoint, Field extends string & keyof z.input<Row['request']>>(
  row: Row,
  field: Field,
): NonNullable<z.input<Row['request']>[Field]> {
  const schema = row.request.shape[field]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was checked against this very schema
  return (schema && z.globalRegistry.get(schema)?.['default']) as NonNullable<z.input<Row['request']>[Field]>
}

export function methodOf(row: Endpoint): 'GET' | 'POST' {
  return row.access === 'public' ? 'GET' : 'POST'
}

/** What a caller hands in: Decimals allowed where the wire has decimal text. */
export type RequestOf<Row extends Endpoint> = z.output<Row['request']>
/** What arrives at the other side. */
export type WireOf<Row extends Endpoint> = Row extends { gate: z.ZodType }
  ? z.input<Row['gate']>
  : z.input<Row['request']>
/** What a handler answers. */
export type AnswerOf<Row extends Endpoint> = z.input<Row['response']>
/** What the venue answers, if every field fits. */
export type ResponseOf<Row extends Endpoint> = z.output<Row['response']>
/** What the caller gets: of fields that the bot does not need, those that fit. */
export type ReadOf<Row extends Endpoint> = Row extends { reads: readonly (infer Name extends string)[] }
  ? Narrowed<ResponseOf<Row>, Name>
  : ResponseOf<Row>
type Narrowed<Value, Name extends string> = Value extends readonly (infer Element)[]
  ? Narrowed<Element, Name>[]
  : Value extends object
    ? string extends keyof Value
      ? { [Key in keyof Value]: Narrowed<Value[Key], Name> }
      : { [Key in Extract<keyof Value, Name>]: Narrowed<Value[Key], Name> } & {
          [Key in Exclude<keyof Value, Name>]?: Value[Key] | undefined
        }
    : Value
