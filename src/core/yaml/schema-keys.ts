import { z } from 'zod'

/** The keys that a schema allows at a place of a file, for suggestions; for a union, the keys of all its branches. */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  return path
    .reduce<z.core.$ZodType[]>((places, key) => places.flatMap((place) => inside(place, key)), [schema])
    .flatMap((place) => branches(place))
    .flatMap((place) => (place instanceof z.ZodObject ? Object.keys(place.shape) : []))
}

function inside(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType[] {
  return branches(schema).flatMap((place) => {
    if (place instanceof z.ZodObject) return Object.hasOwn(place.shape, key) ? [place.shape[String(key)]] : []
    if (place instanceof z.ZodArray) return [place.element]
    if (place instanceof z.ZodTuple) return place.def.items
    return place instanceof z.ZodRecord ? [place.valueType] : []
  })
}

/** The schemas inside optional, default, transform and union. */
function branches(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => branches(option))
  if (schema instanceof z.ZodPipe) return branches(schema.in)
  if (schema instanceof z.ZodLazy) return branches(schema.unwrap())
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return branches(schema.unwrap())
  }
  return [schema]
}
