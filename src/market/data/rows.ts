import type { CsvLayout } from '#src/market/data/csv/column-layout.ts'

/** The rows of a market file, one after the other. */
export type Rows = {
  readonly name: string | undefined
  readonly layout: CsvLayout
  /** What the row read last says, at the places of `slot`. */
  readonly values: Float64Array
  /** Its line, as editors count. */
  readonly line: number
  /** Whether there was another one. */
  next(): boolean
  /** How to bring rows into the order of time. */
  readonly sorting: string
  /** What was noticed by the way, once there are no more. */
  notes(): string[]
}
