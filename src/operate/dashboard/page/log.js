// The last log lines, filtered, the newest first.

import { made, namedChoices, offer, part, say } from './page-parts.js'
import { clock, counted } from './text.js'

/** @typedef {Readonly<Record<string, unknown>> & { level: string, time: string, type: string }} Line */

const levels = ['debug', 'info', 'warn', 'error']
const keptMax = 2000
const shownMax = 200
/** Fields with separate columns; all others follow with their names. */
const placed = new Set([
  'level',
  'time',
  'type',
  'at',
  'strategy',
  'ladder',
  'rung',
  'order',
  'market',
  'side',
])
const sentences = ['reason', 'message', 'change']

export class LogTail {
  /** @type {{ line: Line, text: string }[]} */
  #kept = []
  /** Lines that are not drawn yet. */
  #fresh = 0
  #body = made('tbody', 'rows')
  #level = part('log-level', HTMLSelectElement)
  #strategy = part('log-strategy', HTMLSelectElement)
  #text = part('log-text', HTMLInputElement)

  constructor() {
    const titles = ['Time', 'Level', 'Event', 'About', 'What'].map((title) => {
      const head = made('th', '', title)
      head.scope = 'col'
      return head
    })
    part('log').append(made('thead', '', made('tr', '', ...titles)), this.#body)
    for (const filter of [this.#level, this.#strategy, this.#text])
      filter.addEventListener('input', () => this.#drawAll())
  }

  /** A new connection sends the last lines again. */
  clear() {
    this.#kept = []
    this.#fresh = 0
    this.#body.replaceChildren()
  }

  /** @param {readonly Line[]} lines */
  take(lines) {
    for (const line of lines) this.#kept.push({ line, text: textOf(line) })
    this.#fresh += lines.length
    if (this.#kept.length > keptMax) this.#kept.splice(0, this.#kept.length - keptMax)
  }

  /** @param {Iterable<string>} strategies */
  draw(strategies) {
    const chosen = this.#strategy.value
    offer(this.#strategy, [['', 'all'], ...namedChoices(strategies)], chosen)
    if (this.#fresh === 0) return
    const fresh = this.#kept.slice(-this.#fresh)
    this.#fresh = 0
    this.#body.prepend(...this.#rowsOf(fresh))
    while (this.#body.childElementCount > shownMax) this.#body.lastElementChild?.remove()
    this.#count()
  }

  #drawAll() {
    this.#fresh = 0
    this.#body.replaceChildren(...this.#rowsOf(this.#kept))
    this.#count()
  }

  /**
   * The filtered lines, the newest first.
   * @param {readonly { line: Line, text: string }[]} lines
   */
  #rowsOf(lines) {
    const least = levels.indexOf(this.#level.value)
    const strategy = this.#strategy.value
    const words = this.#text.value.toLowerCase().split(/\s+/).filter(Boolean)
    const rows = []
    for (let index = lines.length - 1; index >= 0 && rows.length < shownMax; index -= 1) {
      const { line, text } = lines[index] ?? {}
      if (line === undefined || text === undefined) continue
      if (levels.indexOf(line.level) < least) continue
      if (strategy !== '' && line['strategy'] !== undefined && line['strategy'] !== strategy) continue
      if (!words.every((word) => text.includes(word))) continue
      rows.push(rowOf(line))
    }
    return rows
  }

  #count() {
    const shown = this.#body.childElementCount
    say(part('log-count'), shown === 0 ? 'no recent line matches' : counted(shown, 'line'))
  }
}

/** @param {Line} line */
function rowOf(line) {
  // Venue time, as everywhere on the page; local time is in the log file.
  const at = new Date(typeof line['at'] === 'number' ? line['at'] : line.time)
  const time = made('time', '', clock(at.getTime()))
  time.dateTime = at.toISOString()
  const cells = [
    made('td', 'when', time),
    made('td', 'level', line.level),
    made('td', 'type', line.type),
    made('td', 'name', aboutText(line)),
    made('td', 'what', whatText(line)),
  ]
  const row = made('tr', line.level, ...cells)
  // Roles, because the layout of narrow screens would remove the table semantics.
  row.role = 'row'
  for (const cell of cells) cell.role = 'cell'
  return row
}

/** @param {Line} line */
function textOf(line) {
  return [line.level, line.type, aboutText(line), whatText(line)].join(' ').toLowerCase()
}

/**
 * The id of an order, which contains the other names; otherwise the known names.
 * @param {Line} line
 */
function aboutText(line) {
  const { order, strategy, ladder, rung, market } = line
  const subject =
    order === undefined ? [strategy, ladder, rung].map(valueText).filter(Boolean).join('.') : order
  return [subject, market].map(valueText).filter(Boolean).join(' ')
}

/** @param {Line} line */
function whatText(line) {
  const { side, amount, price } = line
  const deal = [side, amount, price === undefined ? '' : `at ${valueText(price)}`].map(valueText)
  const others = Object.entries(line)
    .filter(([name]) => !placed.has(name) && !sentences.includes(name) && !['amount', 'price'].includes(name))
    .map(([name, value]) => `${name} ${valueText(value)}`)
  return [deal.filter(Boolean).join(' '), ...others, ...sentences.map((name) => valueText(line[name]))]
    .filter(Boolean)
    .join(' · ')
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function valueText(value) {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
