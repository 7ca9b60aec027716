/** An object with fields, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at the end of these keys; undefined if one of them is missing. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = Reflect.get(found, key)
  }
  return found
}

/** The keys of a closed table. */
export function keysOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
  return Object.keys(table) as Name[]
}

/** The entries of a mapping or list inside a value; none if there is none. */
export function entriesAt(value: unknown, path: readonly PropertyKey[]): [string, unknown][] {
  const found = valueAt(value, path)
  return typeof found === 'object' && found !== null ? Object.entries(found) : []
}
