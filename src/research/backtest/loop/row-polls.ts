/**
 * The rows of a file, as polls at each multiple of an interval find them: a poll finds the last row since the poll before it.
 * Without a new row a poll finds nothing, so that the row before becomes stale.
 */
export class RowPolls<Row extends { at: number }> {
  readonly #rows: Iterator<Row>
  readonly #everyMs: number
  #next: Row | undefined
  #found = { count: 0, first: 0, last: 0 }

  constructor(rows: Iterator<Row>, everyMs: number) {
    this.#rows = rows
    this.#everyMs = everyMs
    this.#advance()
  }

  /** The next poll that finds a row. */
  get nextAt(): number {
    return this.#next ? this.#pollOf(this.#next) : Infinity
  }

  /** What a poll at this moment finds. Rows of earlier polls are skipped. */
  take(at: number): Row | undefined {
    let found: Row | undefined
    for (let row = this.#next; row && this.#pollOf(row) <= at; row = this.#next) {
      if (this.#pollOf(row) === at) found = row
      this.#advance()
    }
    if (found) {
      const { count, first } = this.#found
      this.#found = { count: count + 1, first: count === 0 ? at : first, last: at }
    }
    return found
  }

  /** The average time between polls that found a row: 0 for a single one, Infinity if there was none. */
  get averageMs(): number {
    const { count, first, last } = this.#found
    if (count === 0) return Infinity
    return count === 1 ? 0 : (last - first) / (count - 1)
  }

  /** A file may have more rows. */
  close(): void {
    this.#rows.return?.()
  }

  #pollOf({ at }: Row): number {
    return Math.ceil(at / this.#everyMs) * this.#everyMs
  }

  #advance(): void {
    const { done, value } = this.#rows.next()
    this.#next = done === true ? undefined : value
  }
}
