// Sorts and filters the rows of a table: a click on a title sorts by its column, and a field takes a text.

import { made } from '../page-parts.js'

/**
 * @template Row
 * @typedef {import('./table-view.js').Column<Row>} Column
 */

/** A table with fewer rows needs no filter. */
const filterFrom = 6
/** Ids of tables whose section has no room for a filter, or a filter of its own. */
const withoutFilter = new Set(['log', 'lanes', 'balances'])
const compareTexts = new Intl.Collator('en', { numeric: true }).compare

/** @template Row */
export class TableOrder {
  /** @type {readonly Column<Row>[]} */
  #columns
  /** @type {HTMLTableCellElement[]} */
  #titles
  /** @type {{ column: Column<Row>, isFalling: boolean } | undefined} */
  #sorted
  #filter = made('input', '')
  #label = made('label', 'filter', 'Filter ', this.#filter)
  #onChange

  /**
   * @param {HTMLElement} table
   * @param {readonly Column<Row>[]} columns
   * @param {() => void} onChange
   */
  constructor(table, columns, onChange) {
    this.#columns = columns
    this.#onChange = onChange
    this.#titles = columns.map((column) => {
      const { title, className = '' } = column
      if (column.act && className.includes('deed')) return titled(made('th', className, title))
      const button = made('button', 'quiet', title)
      button.type = 'button'
      button.addEventListener('click', () => this.#sortBy(column))
      return titled(made('th', className, button))
    })
    this.head = made('thead', '', made('tr', '', ...this.#titles))
    this.#filter.type = 'search'
    this.#filter.id = `${table.id}-filter`
    const name = table.closest('section')?.querySelector('h2')?.textContent ?? ''
    this.#filter.ariaLabel = `Filter ${name.toLowerCase()}`
    this.#filter.addEventListener('input', onChange)
    if (!withoutFilter.has(table.id)) table.closest('section')?.querySelector('.tools')?.append(this.#label)
  }

  /**
   * @param {readonly (readonly [string, Row])[]} rows In the order that the table has by itself.
   * @returns {readonly (readonly [string, Row])[]}
   */
  of(rows) {
    const wanted = this.#filter.value.trim().toLowerCase()
    this.#label.hidden = wanted === '' && rows.length < filterFrom
    const found =
      wanted === ''
        ? rows
        : rows.filter(([key, row]) =>
            this.#columns.some(({ text }) => text(row, key).toLowerCase().includes(wanted)),
          )
    const sorted = this.#sorted
    if (sorted === undefined) return found
    const { value, text } = sorted.column
    const sign = sorted.isFalling ? -1 : 1
    if (value === undefined)
      return found.toSorted(
        ([key, row], [other, its]) => sign * compareTexts(text(row, key), text(its, other)),
      )
    return found.toSorted(([key, row], [other, its]) => sign * (value(row, key) - value(its, other)))
  }

  /**
   * Numbers begin with the largest one, texts with the first one. The third click restores the order of the table.
   * @param {Column<Row>} column
   */
  #sortBy(column) {
    const beginsFalling = column.value !== undefined
    if (this.#sorted?.column !== column) this.#sorted = { column, isFalling: beginsFalling }
    else if (this.#sorted.isFalling === beginsFalling) this.#sorted = { column, isFalling: !beginsFalling }
    else this.#sorted = undefined
    for (const [index, title] of this.#titles.entries()) {
      const isSorted = this.#sorted !== undefined && this.#columns[index] === this.#sorted.column
      title.ariaSort = isSorted ? (this.#sorted?.isFalling ? 'descending' : 'ascending') : null
    }
    this.#onChange()
  }
}

/** @param {HTMLTableCellElement} head */
function titled(head) {
  head.scope = 'col'
  return head
}
