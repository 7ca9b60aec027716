import { z } from 'zod'
import type { RateLimit } from './rolling-window.ts'
import type { Names } from '#src/venues/whitebit/contract/wire/spelling.ts'

/**
 * The description of one endpoint. The client, the embedded exchange, `rungs api`, the OpenAPI document and the tests are made
 * from it, so each fact about an endpoint is written once.
 */
export type Endpoint = {
  /** Path; that of a public endpoint may end in a parameter: `/api/v4/public/trades/{market}`. */
  path: `/api/v${1 | 4}/${string}`
  /** Section of the specification; `beyond.` and a topic for endpoints that it does not have. */
  section: string
  summary: string
  access: 'public' | 'private' | 'partner'
  /** Whether the call changes something. The client repeats failed reads, and never a write. */
  effect: 'read' | 'write'
  /** The permission that the API key needs. */
  permission: Permission
  /** The account that its orders use: a sub-account may have no permission for one of the two. */
  orders?: 'spot' | 'collateral'
  limit: RateLimit
  /** Schema of the parameters. */
  request: z.ZodObject
  /** Schema that the exchange checks first, where that must accept more than `request`: a bulk checks each order by itself. */
  gate?: z.ZodObject
  response: z.ZodType
  /**
   * The fields that the bot needs. Where they are named, the client reads the answer in parts: another field that does not fit is
   * left out, and of a list only those elements that lack a needed field.
   */
  reads?: readonly string[]
  /** The parameter that selects one element: with it, a venue may answer only this element. */
  flatFor?: string
  /**
   * Code and status of the refusal of invalid parameters (section 7 of the specification). A status that the specification states
   * holds in every world.
   */
  invalid: { code: 0 | 30; status: 400 | 422; documented?: true }
  /** Form of this refusal at a public endpoint, where it is not that of section 7. */
  wording?: 'flat' | 'wrapped'
  /** All codes with which the venue may refuse the call before it acted. */
  errors: readonly number[]
  /** The answer has status 201 in profile `full`; the specification shows only 200. */
  created?: true
  /** The specification does not have it: profile `spec` does not serve it. */
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

/** The parameters of an endpoint. Money is decimal text or a `Decimal`. */
export type RequestOf<Row extends Endpoint> = z.output<Row['request']>
/** What arrives at the other side. */
export type WireOf<Row extends Endpoint> = Row extends { gate: z.ZodType }
  ? z.input<Row['gate']>
  : z.input<Row['request']>
/** What a handler answers. */
export type AnswerOf<Row extends Endpoint> = z.input<Row['response']>
/** What the venue answers, if every field fits. */
export type ResponseOf<Row extends Endpoint> = z.output<Row['response']>
/** The answer of an endpoint. Fields that the bot does not need may be missing. */
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
