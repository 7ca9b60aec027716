import type { z } from 'zod'
import { bearerNames } from '#src/venues/whitebit/contract/wire/bearer-tokens.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { jsonSchema } from '#src/venues/whitebit/contract/json-schema.ts'
import { decimalPattern } from '#src/core/money/decimal-text.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** One field of a request as a flag: its values, and its description. */
export type FieldFlag = {
  path: readonly string[]
  /** Kebab-case with dots between levels: `permissions.spot-enabled`. */
  flag: string
  /** A secret is read from a file or a pipe. */
  kind: 'text' | 'secret' | 'decimal' | 'integer' | 'number' | 'boolean' | 'json'
  required: boolean
  /** Whether the word null is a possible value. */
  nullable: boolean
  about: string
  choices: readonly (string | number)[]
}

/** All flags of a row, from the schema of its request; an object has one for itself and one per member. */
export function fieldsOf(row: Endpoint): FieldFlag[] {
  return members(jsonSchema(row.request), [], true)
}

/** The elements of a list, for every field that is a list of objects. */
export function listsOf(row: Endpoint): { flag: string; fields: FieldFlag[] }[] {
  const { properties = {} } = jsonSchema(row.request)
  return Object.entries(properties).flatMap(([name, member]) => {
    const items = typeof member === 'object' && !Array.isArray(member.items) ? member.items : undefined
    if (typeof items !== 'object' || items.properties === undefined) return []
    return [{ flag: kebab(name), fields: members(items, [], true) }]
  })
}

/** The name of the flag: `planId` is `plan-id`, `client_order_id` is `client-order-id`. */
export function kebab(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

/** `postOnly`, `post-only` and `post_only` are the same name. */
export function folded(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase()
}

function members(schema: JsonSchema, around: readonly string[], needed: boolean): FieldFlag[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (typeof property === 'boolean') return []
    const { member, nullable } = apart(property)
    const path = [...around, name]
    const required = needed && schema.required?.includes(name) === true
    const field: FieldFlag = {
      path,
      flag: path.map(kebab).join('.'),
      kind: bearerNames.has(name) ? 'secret' : kindOf(member),
      required,
      nullable,
      about: [member.description, bounds(member), usual(member)].filter(Boolean).join(', '),
      choices: (member.enum ?? []).filter(
        (choice) => typeof choice === 'string' || typeof choice === 'number',
      ),
    }
    return [field].concat(members(member, path, required))
  })
}

/** A value that may be null is described as one of two types. */
function apart(schema: JsonSchema): { member: JsonSchema; nullable: boolean } {
  const { anyOf, ...rest } = schema
  const others = (anyOf ?? []).filter((one) => one.type !== 'null')
  const [member] = others
  if (member === undefined || others.length > 1 || others.length === anyOf?.length)
    return { member: schema, nullable: false }
  return { member: { ...member, ...rest }, nullable: true }
}

function kindOf(schema: JsonSchema): FieldFlag['kind'] {
  switch (schema.type) {
    case 'boolean':
    case 'integer':
    case 'number':
      return schema.type
    case 'string':
      return schema.pattern === decimalPattern.source ? 'decimal' : 'text'
    default:
      return 'json'
  }
}

function usual({ default: value }: JsonSchema): string {
  if (value === undefined) return ''
  return `default ${typeof value === 'string' ? value : JSON.stringify(value)}`
}

function bounds(schema: JsonSchema): string {
  if (schema.type === 'integer' && schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER) {
    return `${schema.minimum ?? 0} to ${schema.maximum}`
  }
  if (schema.maxLength !== undefined) return `at most ${schema.maxLength} characters`
  return schema.maxItems === undefined ? '' : `at most ${schema.maxItems}`
}
