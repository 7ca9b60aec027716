/** An object with fields, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The keys of a closed table. */
export function keysOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
  return Object.keys(table) as Name[]
}
