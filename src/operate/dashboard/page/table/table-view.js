// A table of rows by key. Only changed cells are updated, and of a long table only the visible rows are in the page.

import { dress, made, say } from '../page-parts.js'
import { TableOrder } from './table-order.js'

/** @typedef {[used: number, most: number, tells: boolean]} Share `tells`: whether its colour says how full it is. */

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: Row, key: string) => string} text
 * @property {(row: Row, key: string) => string} [tone] Classes of the cell.
 * @property {string} [className] Classes of all cells of the column.
 * @property {(row: Row, key: string) => number} [value] The number of a text, for sorting.
 * @property {(row: Row, key: string) => string} [about] Tooltip.
 * @property {(row: Row, key: string) => Share | null} [share] Shown as a bar.
 * @property {(key: string) => void} [act] Makes the text a button.
 * @property {(row: Row, key: string) => string} [actLabel] Label of the button for screen readers.
 */

/** A table with fewer rows is in the page completely. */
const allUpTo = 60
const around = 12

/** @template Row */
export class TableView {
  /** @type {readonly Column<Row>[]} */
  #columns
  #table
  #scroller
  #body = made('tbody', 'rows')
  #above = spacer()
  #below = spacer()
  #empty = made('p', 'muted')
  #none
  /** @type {Map<string, HTMLTableRowElement>} */
  #elements = new Map()
  /** @type {readonly (readonly [string, Row])[]} */
  #given = []
  /** @type {readonly (readonly [string, Row])[]} */
  #rows = []
  /** @type {TableOrder<Row>} */
  #order
  #rowHeight = 0
  #isWaiting = false

  /**
   * @param {HTMLElement} table
   * @param {string} empty Text without rows.
   * @param {readonly Column<Row>[]} columns
   */
  constructor(table, empty, columns) {
    this.#columns = columns
    this.#table = table
    const scroller = table.parentElement
    if (scroller === null) throw new Error('a table stands in something that scrolls')
    this.#scroller = scroller
    this.#order = new TableOrder(table, columns, () => this.#show())
    table.append(this.#order.head, this.#above.body, this.#body, this.#below.body)
    this.#none = empty
    scroller.after(this.#empty)
    scroller.addEventListener('scroll', () => this.#later(), { passive: true })
    new ResizeObserver(() => {
      this.#rowHeight = 0
      this.#later()
    }).observe(scroller)
    this.#body.addEventListener('keydown', (event) => this.#step(event))
  }

  /** @param {readonly (readonly [string, Row])[]} rows */
  show(rows) {
    this.#given = rows
    this.#show()
  }

  #show() {
    this.#rows = this.#order.of(this.#given)
    say(this.#empty, this.#given.length > 0 ? 'No row contains this text.' : this.#none)
    this.#draw()
  }

  #later() {
    if (this.#isWaiting || this.#rows.length <= allUpTo) return
    this.#isWaiting = true
    requestAnimationFrame(() => {
      this.#isWaiting = false
      this.#draw()
    })
  }

  #draw() {
    const count = this.#rows.length
    const [from, to] = this.#span(count)
    const focused = this.#body.contains(document.activeElement) ? document.activeElement : null
    this.#scroller.hidden = count === 0
    this.#empty.hidden = count > 0
    this.#table.setAttribute('aria-rowcount', String(count + 1))
    const shown = this.#rows.slice(from, to)
    const keys = new Set(shown.map(([key]) => key))
    for (const [key, element] of this.#elements) {
      if (keys.has(key)) continue
      element.remove()
      this.#elements.delete(key)
    }
    let next = this.#body.firstElementChild
    for (const [index, [key, row]] of shown.entries()) {
      let element = this.#elements.get(key)
      if (element === undefined) {
        element = this.#made(key)
        this.#elements.set(key, element)
      }
      if (element === next) next = next.nextElementSibling
      else this.#body.insertBefore(element, next)
      element.ariaRowIndex = String(from + index + 2)
      this.#fill(element, key, row)
    }
    // A row keeps the focus when it moves.
    if (focused instanceof HTMLElement && focused !== document.activeElement)
      focused.focus({ preventScroll: true })
    this.#above.fill(from * this.#rowHeight)
    this.#below.fill((count - to) * this.#rowHeight)
  }

  /**
   * The range of rows in the page.
   * @param {number} count
   * @returns {[number, number]}
   */
  #span(count) {
    if (count <= allUpTo) return [0, count]
    this.#rowHeight ||= this.#body.firstElementChild?.getBoundingClientRect().height ?? 0
    if (this.#rowHeight === 0) return [0, allUpTo]
    const first = Math.floor(this.#scroller.scrollTop / this.#rowHeight) - around
    const seen = Math.ceil(this.#scroller.clientHeight / this.#rowHeight)
    const from = Math.max(0, Math.min(first, count - seen - around))
    return [from, Math.min(count, from + seen + 2 * around)]
  }

  /** @param {string} key */
  #made(key) {
    const row = document.createElement('tr')
    for (const { act, share, title, className = '' } of this.#columns) {
      const cell = row.insertCell()
      cell.dataset['title'] = title
      cell.className = className
      if (act !== undefined) {
        const button = made('button', 'quiet')
        button.type = 'button'
        button.addEventListener('click', () => act(key))
        cell.append(button)
      } else if (share !== undefined) cell.append(made('progress', ''), made('span', ''))
    }
    return row
  }

  /**
   * @param {HTMLTableRowElement} element
   * @param {string} key
   * @param {Row} row
   */
  #fill(element, key, row) {
    for (const [index, column] of this.#columns.entries()) {
      const cell = element.cells[index]
      if (cell === undefined) continue
      const text = column.text(row, key)
      say(column.act || column.share ? (cell.lastElementChild ?? cell) : cell, text)
      if (column.tone) dress(cell, `${column.className ?? ''} ${column.tone(row, key)}`.trim())
      if (column.about) {
        const about = column.about(row, key)
        if (cell.title !== about) cell.title = about
      }
      if (column.share) bar(cell, text, column.share(row, key))
      const button = cell.firstElementChild
      if (column.act && button instanceof HTMLElement) button.hidden = text === ''
      if (column.actLabel) button?.setAttribute('aria-label', column.actLabel(row, key))
    }
  }

  /**
   * Up and down go from button to button.
   * @param {KeyboardEvent} event
   */
  #step(event) {
    const by = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key]
    const row = event.target instanceof Element ? event.target.closest('tr') : null
    if (by === undefined || row === null) return
    const beside = by === 'nextElementSibling' ? row.nextElementSibling : row.previousElementSibling
    const button = beside?.querySelector('button')
    if (button === null || button === undefined) return
    event.preventDefault()
    button.focus()
  }
}

/** A spacer for the rows that are not in the page. */
function spacer() {
  const cell = made('td', '')
  const body = made('tbody', 'space', made('tr', '', cell))
  body.setAttribute('aria-hidden', 'true')
  body.hidden = true
  return {
    body,
    /** @param {number} height */
    fill(height) {
      body.hidden = height <= 0
      cell.style.height = `${height}px`
    },
  }
}

/**
 * @param {HTMLTableCellElement} cell
 * @param {string} text
 * @param {Share | null} share
 */
function bar(cell, text, share) {
  const progress = cell.firstElementChild
  if (!(progress instanceof HTMLProgressElement)) return
  const [used, most, tells] = share ?? [NaN, NaN, false]
  const part = most > 0 ? Math.min(1, used / most) : used > 0 ? 1 : 0
  progress.hidden = !Number.isFinite(used + most)
  if (progress.hidden) return
  if (progress.value !== part || !progress.hasAttribute('value')) progress.value = part
  progress.setAttribute('aria-label', text)
  dress(progress, !tells ? '' : part >= 0.95 ? 'full' : part >= 0.75 ? 'near' : '')
}
