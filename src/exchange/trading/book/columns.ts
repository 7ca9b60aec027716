/**
 * Tables of numbers, one typed array per column: millions of rows cost the garbage collector nothing, and values read
 * together are adjacent in memory. Row 0 is unused, so that a link of 0 means none.
 */
export type ColumnTypes<Float extends string, Integer extends string, Byte extends string> = {
  floats: readonly Float[]
  integers: readonly Integer[]
  bytes: readonly Byte[]
}

export type Columns<Float extends string, Integer extends string, Byte extends string> = Record<
  Float,
  Float64Array
> &
  Record<Integer, Int32Array> &
  Record<Byte, Uint8Array>

export function columns<Float extends string, Integer extends string, Byte extends string>(
  { floats, integers, bytes }: ColumnTypes<Float, Integer, Byte>,
  rows: number,
): Columns<Float, Integer, Byte> {
  const made = [
    ...floats.map((name) => [name, new Float64Array(rows)] as const),
    ...integers.map((name) => [name, new Int32Array(rows)] as const),
    ...bytes.map((name) => [name, new Uint8Array(rows)] as const),
  ]
  // The names of a layout are the keys of its columns; Object.fromEntries forgets them.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(made) as Columns<Float, Integer, Byte>
}

/** Grows every column of the layout to this many rows; existing rows stay. */
export function growColumns<Float extends string, Integer extends string, Byte extends string>(
  table: Columns<Float, Integer, Byte>,
  layout: ColumnTypes<Float, Integer, Byte>,
  rows: number,
): void {
  const before = new Map<string, unknown>(Object.entries(table))
  for (const [name, column] of Object.entries<Float64Array | Int32Array | Uint8Array>(
    columns(layout, rows),
  )) {
    const short = before.get(name)
    if (short instanceof Float64Array || short instanceof Int32Array || short instanceof Uint8Array)
      column.set(short)
    Object.assign(table, { [name]: column })
  }
}
