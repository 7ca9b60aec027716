import { noTables, type Table, type Tables } from '#src/operate/dashboard/tables/tables.ts'
import { keysOf } from '#src/core/objects/objects.ts'

/** An update for a page that has the tables from before. */
export type Changes = {
  /** The update replaces all tables. */
  whole?: true
  set: Partial<Record<keyof Tables, Table<object>>>
  gone: Partial<Record<keyof Tables, string[]>>
}

const tableNames = keysOf(noTables)

/** Rows that are new or differ, and the keys of removed ones. */
export function changesOf(before: Tables, after: Tables): Changes {
  const changes: Changes = { set: {}, gone: {} }
  for (const name of tableNames)
    if (before[name] !== after[name]) addChanges(changes, name, before[name], after[name])
  return changes
}

export function wholeOf(tables: Tables): Changes {
  return { whole: true, set: tables, gone: {} }
}

function addChanges(
  { set, gone }: Changes,
  name: keyof Tables,
  before: Table<object>,
  after: Table<object>,
): void {
  let kept = 0
  let rows: Record<string, object> | undefined
  for (const [key, row] of Object.entries(after)) {
    const known = before[key]
    if (known !== undefined) kept += 1
    if (known !== row && !isSame(known, row)) (rows ??= {})[key] = row
  }
  if (rows) set[name] = rows
  const keys = Object.keys(before)
  // Otherwise no row was removed.
  if (kept < keys.length) gone[name] = keys.filter((key) => after[key] === undefined)
}

/** Rows are flat, so comparing their values is enough. */
function isSame(one: object | undefined, other: object): boolean {
  if (one === undefined) return false
  const [values, others] = [Object.values(one), Object.values(other)]
  return values.every((value, index) => value === others[index])
}
