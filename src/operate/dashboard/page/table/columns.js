// Columns that several tables have.

import { plain, signed, toneOf } from '../text.js'

/**
 * A column of numbers, which sorts by them. The tooltip has the exact value.
 * @template Row
 * @param {string} title
 * @param {(row: Row) => string | null} of Decimal text; null if unknown.
 * @param {(value: string) => string} text
 * @param {Partial<import('./table-view.js').Column<Row>>} [more]
 * @returns {import('./table-view.js').Column<Row>}
 */
export function numbers(title, of, text, more) {
  return {
    title,
    className: 'number',
    text: (row) => {
      const value = of(row)
      return value === null ? '–' : text(value)
    },
    value: (row) => Number(of(row) ?? -Infinity),
    about: (row) => of(row) ?? '',
    ...more,
  }
}

/**
 * A column of profits.
 * @template Row
 * @param {string} title
 * @param {(row: Row) => string | null} of
 * @param {(value: string) => string} [text]
 * @param {Partial<import('./table-view.js').Column<Row>>} [more]
 */
export function profits(title, of, text = signed, more) {
  return numbers(title, of, text, { tone: (row) => toneOf(of(row)), ...more })
}

/**
 * A column of counts, which sorts by them.
 * @template Row
 * @param {string} title
 * @param {(row: Row) => number} of
 * @returns {import('./table-view.js').Column<Row>}
 */
export function counts(title, of) {
  return { title, className: 'number', text: (row) => plain(of(row)), value: of }
}

/**
 * A column of amounts, empty where there is none.
 * @template Row
 * @param {string} title
 * @param {(row: Row) => string} of Decimal text.
 * @param {Partial<import('./table-view.js').Column<Row>>} more
 * @returns {import('./table-view.js').Column<Row>}
 */
export function amounts(title, of, more) {
  const text = (/** @type {Row} */ row) => (Number(of(row)) === 0 ? '' : plain(of(row)))
  return { title, className: 'number', text, value: (row) => Number(of(row)), ...more }
}

/**
 * A column of the keys of the rows, as buttons.
 * @template Row
 * @param {string} title
 * @param {string} verb What a button does, for screen readers.
 * @param {(key: string) => void} act
 * @returns {import('./table-view.js').Column<Row>}
 */
export function keys(title, verb, act) {
  return {
    title,
    className: 'name',
    text: (_, key) => key,
    act,
    actLabel: (_, key) => `${verb} ${key}`,
  }
}

/**
 * A column of buttons with its title, in the rows for which it is offered.
 * @template Row
 * @param {string} title
 * @param {(key: string) => void} act
 * @param {(row: Row) => boolean} isOffered
 * @param {string} [className]
 * @returns {import('./table-view.js').Column<Row>}
 */
export function buttons(title, act, isOffered, className = 'deed') {
  return {
    title,
    className,
    text: (row) => (isOffered(row) ? title : ''),
    act,
    actLabel: (_, key) => `${title} ${key}`,
  }
}
