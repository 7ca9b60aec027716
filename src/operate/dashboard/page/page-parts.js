// Finds elements by id, and creates elements that contain only text.

/**
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function part(id, kind) {
  const found = document.getElementById(id)
  if (!(found instanceof (kind ?? HTMLElement))) throw new Error(`the page has no ${id}`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return /** @type {Kind} */ (found)
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {...(string | Node)} inside
 */
export function made(tag, className, ...inside) {
  const element = document.createElement(tag)
  if (className !== '') element.className = className
  element.append(...inside)
  return element
}

/**
 * Changes the text only if it differs.
 * @param {Node} node
 * @param {string} text
 */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/**
 * @param {Element} element
 * @param {string} className
 */
export function dress(element, className) {
  if (element.className !== className) element.className = className
}

/**
 * The items of a list, one for each row. Those of earlier rows are used again.
 * @template Row
 * @param {HTMLElement} list
 * @param {readonly Row[]} rows
 * @param {() => HTMLElement} make
 * @returns {[item: Element, row: Row][]}
 */
export function itemsOf(list, rows, make) {
  list.hidden = rows.length === 0
  while (list.childElementCount > rows.length) list.lastElementChild?.remove()
  return rows.map((row, index) => [list.children[index] ?? list.appendChild(make()), row])
}

/**
 * @param {HTMLSelectElement} select
 * @param {readonly (readonly [value: string, text: string])[]} choices
 * @param {string} chosen
 */
export function offer(select, choices, chosen) {
  const print = JSON.stringify(choices)
  if (select.dataset['offered'] !== print) {
    select.dataset['offered'] = print
    select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)))
  }
  if (select.value !== chosen) select.value = chosen
}

/** @param {Iterable<string>} names */
export function namedChoices(names) {
  return [...names].map((name) => /** @type {const} */ ([name, name]))
}

/**
 * Shows numbers with their titles. The titles of a list never change.
 * @param {HTMLElement} list
 * @param {readonly [title: string, text: string, tone: string][]} figures
 */
export function showFigures(list, figures) {
  if (list.childElementCount === 0)
    for (const [title] of figures) list.append(made('div', '', made('dt', '', title), made('dd', '')))
  for (const [index, [, text, tone]] of figures.entries()) {
    const value = list.children[index]?.lastElementChild
    if (!value) continue
    say(value, text)
    dress(value, tone)
  }
}
