import { html } from 'hono/html'

type Markup = ReturnType<typeof html>
/** The content of a cell decides its class. */
type CellKind = 'name' | 'number' | 'when' | 'about' | ''
type Column = readonly [kind: CellKind, title: string]
type Content = string | number | Markup

/** A table with more columns becomes a card for each row where the page is narrow: no column is cut off. */
const narrowColumnsMax = 4

export type SectionParts = { id: string; title: string; classes?: string; content: unknown }

export function section({ id, title, classes = '', content }: SectionParts): Markup {
  return html`<section class="${classes}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section>`
}

/** A table with a heading for each column, in its own scrolling box. */
export function wideTable(id: string, columns: readonly Column[], rows: readonly Content[][]): Markup {
  const heads = columns.map(
    ([kind, title]) => html`<th class="${kind === 'number' ? kind : ''}">${title}</th>`,
  )
  return boxOf(
    id,
    html`<table id="${id}" class="${columns.length > narrowColumnsMax ? 'cards' : ''}">
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      ${bodyOf(columns, rows)}
    </table>`,
  )
}

/** A table without headings. */
export function plainTable(id: string, kinds: readonly CellKind[], rows: readonly Content[][]): Markup {
  return html`<table id="${id}">
    ${bodyOf(
      kinds.map((kind) => [kind, ''] as const),
      rows,
    )}
  </table>`
}

/** Wide tables scroll in their own box. */
export function boxOf(id: string, table: Markup): Markup {
  return html`<div class="wide" tabindex="0" role="group" aria-labelledby="${id}-title">${table}</div>`
}

function bodyOf(columns: readonly Column[], rows: readonly Content[][]): Markup {
  const lines = rows.map(
    (row) =>
      html`<tr>
        ${row.map((content, place) => cellOf(content, columns[place]))}
      </tr>`,
  )
  return html`<tbody>
    ${lines}
  </tbody>`
}

function cellOf(content: Content, [kind, title]: Column = ['', '']): Markup {
  return html`<td class="${kind}" data-title="${title}">${content}</td>`
}
