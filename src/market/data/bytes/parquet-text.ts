import { closeSync, readSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type AsyncBuffer,
  type Compressors,
  type DecodedArray,
  type FileMetaData,
} from 'hyparquet'
import { ignored, layoutOfHeader } from '#src/market/data/csv/column-layout.ts'
import { openFile } from './bytes.ts'

/**
 * The rows of a Parquet file as CSV. The reader of market files is synchronous and this one is not, so it runs in the
 * thread that also decompresses. One row group is in memory at a time.
 */

const textMost = 64 * 1024

/** The reader itself has Snappy. */
const compressors: Compressors = {
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: length }),
  ZSTD: (input, length) => zstdDecompressSync(input, { maxOutputLength: length }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: length }),
}

/** Times in milliseconds, as CSV has them. */
const parsers = {
  timestampFromMilliseconds: Number,
  timestampFromMicroseconds: (micros: bigint) => Number(micros / 1000n),
  timestampFromNanoseconds: (nanos: bigint) => Number(nanos / 1_000_000n),
  dateFromDays: (days: number) => days * 86_400_000,
}

type Column = { name: string; isFloat: boolean }
/** The values of a column in a row group, piece by piece. */
type Values = { from: number; data: DecodedArray }[]

export async function* csvOfParquet(path: string): AsyncGenerator<Uint8Array> {
  const { handle, size } = openFile(path)
  const file: AsyncBuffer = {
    byteLength: size,
    slice(start, end = size) {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - start))
      readSync(handle, bytes, 0, bytes.length, start)
      return bytes.buffer
    },
  }
  try {
    const metadata = await parquetMetadataAsync(file)
    const columns = columnsOf(metadata)
    yield Buffer.from(`${columns.map(({ name }) => cellOf(name, false)).join(',')}\n`)
    let rowStart = 0
    for (const { num_rows: rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(rows)
      const groups = new Map<string, Values>()
      await parquetRead({
        file,
        metadata,
        compressors,
        parsers,
        columns: columns.map(({ name }) => name),
        rowStart,
        rowEnd,
        onChunk({ columnName, columnData, rowStart: from }) {
          const values = groups.get(columnName) ?? []
          values.push({ from, data: columnData })
          groups.set(columnName, values)
        },
      })
      yield* textOf(columns, groups, rowStart, rowEnd)
      rowStart = rowEnd
    }
  } finally {
    closeSync(handle)
  }
}

/** The columns that a market needs; all of them if it is no market, or if levels of its books are incomplete, for the message. */
function columnsOf(metadata: FileMetaData): Column[] {
  const flat = parquetSchema(metadata)
    .children.filter(({ children }) => children.length === 0)
    .map(({ element }) => ({ name: element.name, isFloat: element.type === 'FLOAT' }))
  const layout = layoutOfHeader(flat.map(({ name }) => name))
  if (layout === undefined || layout.note !== undefined) return flat
  return flat.filter(
    ({ name }, place) =>
      layout.slots[place] !== ignored || (layout.isByArrival && /^local.?timestamp$/i.test(name)),
  )
}

function* textOf(
  columns: readonly Column[],
  groups: ReadonlyMap<string, Values>,
  rowStart: number,
  rowEnd: number,
): Generator<Uint8Array> {
  const cursors = columns.map(({ name, isFloat }) => ({ isFloat, values: groups.get(name) ?? [], piece: 0 }))
  let text = ''
  for (let row = rowStart; row < rowEnd; row++) {
    const cells = cursors.map((cursor) => {
      while ((cursor.values[cursor.piece + 1]?.from ?? Infinity) <= row) cursor.piece += 1
      const { from, data } = cursor.values[cursor.piece] ?? { from: 0, data: [] }
      return cellOf(data[row - from], cursor.isFloat)
    })
    text += `${cells.join(',')}\n`
    if (text.length < textMost) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

function cellOf(value: unknown, isFloat: boolean): string {
  if (typeof value === 'number') return isFloat ? shortFloat(value) : String(value)
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? value.replaceAll(/[,"#\r\n]/g, '_') : ''
}

/** A float of 32 bits with the fewest digits that identify it, as other programs write it. */
function shortFloat(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return String(Number(value.toPrecision(9)))
}
