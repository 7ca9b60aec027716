import type { z } from 'zod'
import { shapeOf, type Shape } from '#src/venues/whitebit/contract/codec/shape.ts'
import { isRecord } from '#src/core/objects/objects.ts'

/** The parameters without the fields that the schema does not have, also in objects and lists inside. */
export function knownFields(
  schema: z.ZodObject,
  parameters: Record<string, unknown>,
): Record<string, unknown> {
  const fields = Object.entries(schema.shape).map(([name, field]) => ({ name, shape: shapeOf(field) }))
  return known(fields, parameters)
}

function known(
  fields: readonly { name: string; shape: Shape }[],
  value: Record<string, unknown>,
): Record<string, unknown> {
  const given = fields.filter(({ name }) => Object.hasOwn(value, name))
  return Object.fromEntries(given.map(({ name, shape }) => [name, knownInside(shape, value[name])]))
}

function knownInside(shape: Shape, value: unknown): unknown {
  if (shape.kind === 'list' && Array.isArray(value)) {
    return value.map((item: unknown) => knownInside(shape.element, item))
  }
  return shape.kind === 'object' && isRecord(value) ? known(shape.fields, value) : value
}
