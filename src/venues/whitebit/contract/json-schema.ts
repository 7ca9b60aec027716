import { z } from 'zod'
import { isRecord } from '#src/core/objects/objects.ts'
import { respellText, type Names } from '#src/venues/whitebit/contract/wire/spelling.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** Of what travels, not of what a caller holds: decimals are text there. */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema: made }) => {
      // Zod calls the numbers of an enumeration just that; ours are whole.
      const values = made.enum ?? [made.const]
      if (made.type === 'number' && values.every(Number.isInteger)) made.type = 'integer'
      giveFormat(made)
      giveItems(made)
    },
  })
  return plain
}

/** Without a format, some languages take 32 bits: ids and times in seconds would lose digits. */
function giveFormat(made: JsonSchema): void {
  const isListed = made.enum !== undefined || made.const !== undefined
  if (made.type === 'number') made.format = 'double'
  else if (made.type === 'integer' && !isListed) made.format = 'int64'
}

/** Generators of clients demand a schema for the elements of each list, also where there are none or each has its own. */
function giveItems(made: JsonSchema): void {
  if (made.maxItems === 0) made.items = {}
  if (made.prefixItems === undefined) return
  const kinds = new Map(made.prefixItems.map((item) => [JSON.stringify(item), item]))
  const [only = {}, ...others] = kinds.values()
  made.items =
    others.length === 0 ? only : { anyOf: [only, ...others].filter((each) => typeof each === 'object') }
  made.minItems = made.prefixItems.length
  made.maxItems = made.prefixItems.length
}

/** The schema with the names of another spelling. */
export function respelledSchema(schema: object, names: Names): Record<string, unknown> {
  const entries = Object.entries(schema).map(([key, item]): [string, unknown] => {
    if (key === 'description' && typeof item === 'string') return [key, respellText(item, names)]
    const inside = respelledItem(item, names)
    if (key === 'required' && Array.isArray(item))
      return [key, item.map((name) => names[String(name)] ?? name)]
    if (key !== 'properties' || !isRecord(inside)) return [key, inside]
    const fields = Object.entries(inside).map(([name, field]) => [names[name] ?? name, field])
    return [key, Object.fromEntries(fields)]
  })
  return Object.fromEntries(entries)
}

function respelledItem(item: unknown, names: Names): unknown {
  if (Array.isArray(item)) return item.map((each) => respelledItem(each, names))
  return isRecord(item) ? respelledSchema(item, names) : item
}
