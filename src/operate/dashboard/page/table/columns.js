// Columns that several tables have.

import { signed, toneOf } from '../text.js'

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
