import { noTables, type Table, type Tables } from './tables.ts'

/** What is to be told to somebody who knows what was before. */
export type Changes = {
  /** Nothing was before. */
  whole?: true
  set: Partial<Record<keyof Tables, Table<object>>>
  gone: Partial<Record<keyof Tables, string[]>>
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
const tableNames = Object.keys(noTables) as (keyof Tables)[]

/** Rows that are new or differ, and the keys of those that are no more. */
export function changesOf(before: Tables, after: Tables): Changes {
  const changes: Changes = { set: {}, gone: {} }
  for (const name of tableNames) {
    const set = changed(before[name], after[name])
    if (set) changes.set[name] = set
    const gone = ended(before[name], after[name])
    if (gone.length > 0) changes.gone[name] = gone
  }
  return changes
}

/** Of these, all. */
export function wholeOf(tables: Tables): Changes {
  return { whole: true, set: tables, gone: {} }
}

function changed(before: Table<object>, after: Table<object>): Table<object> | undefined {
  let set: Record<string, object> | undefined
  for (const key in after) {
    const [row, known] = [after[key], before[key]]
    if (row !== undefined && !isSame(known, row)) (set ??= {})[key] = row
  }
  return set
}

function ended(before: Table<object>, after: Table<object>): string[] {
  const gone: string[] = []
  for (const key in before) if (after[key] === undefined) gone.push(key)
  return gone
}

/** Rows are flat, so that their values say all. */
function isSame(one: object | undefined, other: object): boolean {
  if (one === other || one === undefined) return one === other
  for (const key in other) if (Reflect.get(one, key) !== Reflect.get(other, key)) return false
  return true
}
