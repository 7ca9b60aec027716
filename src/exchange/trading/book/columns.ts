import { atomsColumn, type AtomsColumn } from './atoms-column.ts'

/**
 * Tables of numbers, one typed array per column: millions of rows cost the garbage collector nothing, and values read
 * together are adjacent in memory. Row 0 is unused, so that a link of 0 means none.
 */
export type Layout = {
  floats: readonly string[]
  integers: readonly string[]
  bytes: readonly string[]
  atoms: readonly string[]
}

export type Columns<L extends Layout> = Record<L['floats'][number], Float64Array> &
  Record<L['integers'][number], Int32Array> &
  Record<L['bytes'][number], Uint8Array> &
  Record<L['atoms'][number], AtomsColumn>

export function columns<L extends Layout>({ floats, integers, bytes, atoms }: L, rows: number): Columns<L> {
  const made = [
    ...floats.map((name) => [name, new Float64Array(rows)] as const),
    ...integers.map((name) => [name, new Int32Array(rows)] as const),
    ...bytes.map((name) => [name, new Uint8Array(rows)] as const),
    ...atoms.map((name) => [name, atomsColumn(rows)] as const),
  ]
  // The names of a layout are the keys of its columns; Object.fromEntries forgets them.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(made) as Columns<L>
}

export type Numbers = Float64Array | Int32Array | Uint8Array | BigInt64Array

export function isNumbers(value: unknown): value is Numbers {
  return ArrayBuffer.isView(value)
}

/** An empty column of the same kind. */
export function emptyLike(column: Numbers, rows: number): Numbers {
  if (column instanceof Float64Array) return new Float64Array(rows)
  if (column instanceof Int32Array) return new Int32Array(rows)
  return column instanceof Uint8Array ? new Uint8Array(rows) : new BigInt64Array(rows)
}

/** Grows every column of a table to this many rows; existing rows stay. */
export function growColumns(table: Record<string, unknown>, rows: number): void {
  for (const [name, value] of Object.entries(table)) {
    if (isNumbers(value)) table[name] = grown(value, rows)
    else if (isAtoms(value)) growColumns(value, rows)
  }
}

function grown(column: Numbers, rows: number): Numbers {
  const longer = emptyLike(column, rows)
  bytesOf(longer).set(bytesOf(column))
  return longer
}

function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function isAtoms(value: unknown): value is AtomsColumn {
  return typeof value === 'object' && value !== null && 'low' in value && isNumbers(value.low)
}

/** A ring keeps the newest rows of a table. `count` is the number of rows ever. */
export type Ring = { count: number }

/** The place of the next row in a ring with room for so many rows; it grows until it has room for `most`. */
export function nextPlace(ring: Ring, room: number, most: number): number {
  if (ring.count === room && room < most) growColumns(ring, 2 * room)
  return ring.count++ % most
}

/** The places of a ring that keeps `most` rows, newest first. */
export function* newestPlaces({ count }: Ring, most: number): Generator<number> {
  for (let index = count - 1; index >= Math.max(0, count - most); index--) yield index % most
}
