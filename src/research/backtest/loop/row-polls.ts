type Span = { from: number; to: number }

/**
 * The rows of a file, as polls at each multiple of an interval find them: a poll finds the last row since the poll before it.
 * Without a new row a poll finds nothing, so that the row before becomes stale.
 */
export class RowPolls<Row extends { at: number }> {
  readonly #rows: Iterator<Row>
  readonly #everyMs: number
  #next: Row | undefined
  #found = { count: 0, first: 0, last: 0 }
  #since: number | undefined
  /** The polls of the first and of the last row that passed since the first poll, also while no poll succeeds. */
  #passed: { first: number; last: number } | undefined

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
    this.#since ??= at
    for (let row = this.#next; row && this.#pollOf(row) <= at; row = this.#next) {
      const last = this.#pollOf(row)
      if (last === at) found = row
      if (last >= this.#since) this.#passed = { first: this.#passed?.first ?? last, last }
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

  /**
   * The parts at the start and at the end of a past period in which values are unknown, since the file has no rows there. Values
   * are unknown `staleMs` after their row; a part that is not longer than `patienceMs` is left out.
   */
  without({ from, to }: Span, { staleMs, patienceMs }: { staleMs: number; patienceMs: number }): Span[] {
    const { first, last } = this.#passed ?? { first: this.nextAt, last: this.nextAt }
    // In a gap of the market file at the end no rows pass.
    const isOver = this.nextAt >= to
    return [
      ...(first < to && first - from > patienceMs ? [{ from, to: first }] : []),
      ...(isOver && to - last > patienceMs ? [{ from: last + staleMs, to }] : []),
    ]
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
