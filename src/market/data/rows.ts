import type { CsvLayout } from '#src/market/data/csv/column-layout.ts'

/** The rows of a market file, in order. */
export type Rows = {
  readonly name: string | undefined
  readonly layout: CsvLayout
  /** The values of the last row, at the places of `slot`. */
  readonly values: Float64Array
  /** Its line number, counted from 1. */
  readonly line: number
  /** Reads the next row; false at the end. */
  next(): boolean
  /** How to sort the rows by time, for the error message. */
  readonly sorting: string
  /** Findings after the last row. */
  notes(): string[]
}
