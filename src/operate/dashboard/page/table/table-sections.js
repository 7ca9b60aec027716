// The sections of the page that show a table.

import { made } from '../page-parts.js'

/** Puts the parts of each section in a line, except its lists, and the table below. */
export function fillSections() {
  for (const section of document.querySelectorAll('section')) {
    const id = section.dataset['table']
    const title = section.querySelector('h2')
    if (id === undefined || title === null) continue
    title.id = `${id}-title`
    const table = made('table', '')
    table.id = id
    const wide = made('div', `wide ${section.className}`, table)
    wide.tabIndex = 0
    wide.role = 'group'
    section.prepend(made('div', 'tools', ...section.querySelectorAll(':scope > :not(ul)')))
    section.append(wide)
    for (const element of [section, wide, table]) element.setAttribute('aria-labelledby', title.id)
  }
}
