import { deserialize, serialize } from 'node:v8'
import type { ExchangeState } from '#src/exchange/state.ts'
import { emptyLike, isNumbers, type Numbers } from '#src/exchange/trading/book/columns.ts'
import { restingRows } from '#src/exchange/trading/book/order-columns.ts'

/**
 * A snapshot of the state that is written in parts while the exchange goes on. The copy is made at once, so that all
 * parts are of one moment. Most of a large state stands in long columns of numbers and texts: a column is copied as a
 * block of memory, and becomes bytes piece by piece. Everything else is the rest, which becomes bytes in one piece.
 */
export type Copy = { rest: unknown; columns: readonly Column[] }

type Column = Numbers | unknown[]
/** In the rest, in place of a column. */
type Mark = { columnOfSnapshot: number }

/** A shorter one stays in the rest. */
const columnMin = 4096
const elementsPerPart = 8192

export function copyOf(state: ExchangeState): Copy {
  const columns: Column[] = []
  const known = new Map<object, object>()
  const copied = (value: object): object => {
    const before = known.get(value)
    if (before !== undefined) return before
    const copy = isColumn(value) ? markOf(value, columns) : shallowCopy(value)
    known.set(value, copy)
    replaceObjects(copy, copied)
    return copy
  }
  return { rest: copied(state), columns }
}

export function* partsOf({ columns }: Copy): Generator<Uint8Array> {
  for (const [number, column] of columns.entries()) {
    for (let from = 0; from < column.length; from += elementsPerPart)
      yield serialize([number, column.length, column.slice(from, from + elementsPerPart)])
  }
}

export function restOf({ rest }: Copy): Uint8Array {
  return serialize(rest)
}

/** The state of these parts, which this module has made. */
export function stateOf(rest: Uint8Array, parts: Iterable<Uint8Array>): ExchangeState {
  const columns: Column[] = []
  const filled: number[] = []
  for (const part of parts) {
    const [number, length, piece]: [number, number, Column] = deserialize(part)
    const column = (columns[number] ??= isNumbers(piece) ? emptyLike(piece, length) : [])
    const from = filled[number] ?? 0
    for (const [index, value] of piece.entries()) column[from + index] = value
    filled[number] = from + piece.length
  }
  const seen = new Set<object>()
  const restored = (value: object): object => {
    if ('columnOfSnapshot' in value) return columns[Number(value.columnOfSnapshot)] ?? value
    if (seen.has(value)) return value
    seen.add(value)
    replaceObjects(value, restored)
    return value
  }
  const state: ExchangeState = deserialize(rest)
  restored(state)
  // Snapshots of 0.3.2 lack these.
  state.orders.tier ??= new Uint8Array(state.orders.id.length)
  for (const trader of [...state.accounts.values(), ...state.houses]) {
    trader.resting = [...restingRows(state.orders, trader)].length
    for (const table of [trader.finished, trader.deals]) table.tier ??= new Uint8Array(table.id.length)
  }
  return state
}

function isColumn(value: object): value is Column {
  if (isNumbers(value)) return value.length >= columnMin
  // What a list of the state holds is of one kind.
  return Array.isArray(value) && value.length >= columnMin && !isObject(value[0]) && !isObject(value.at(-1))
}

function markOf(column: Column, columns: Column[]): Mark {
  return { columnOfSnapshot: columns.push(column.slice()) - 1 }
}

function shallowCopy(value: object): object {
  if (isNumbers(value) || Array.isArray(value)) return value.slice()
  if (value instanceof Map) return new Map(value)
  return value instanceof Set ? new Set(value) : { ...value }
}

/** Gives each object that `holder` holds to `replace`, and holds what that returns. Sets of the state hold no objects. */
function replaceObjects(holder: object, replace: (value: object) => object): void {
  if (isNumbers(holder) || holder instanceof Set) return
  if (holder instanceof Map) {
    for (const [key, value] of holder) if (isObject(value)) holder.set(key, replace(value))
    return
  }
  for (const [name, value] of Object.entries(holder))
    if (isObject(value)) Reflect.set(holder, name, replace(value))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
