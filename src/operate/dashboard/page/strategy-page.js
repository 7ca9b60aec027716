// The selected strategy: its figures, its profit by day, the values of its expressions, and its file.

import { part, say, showFigures } from './page-parts.js'
import { numbers, profits } from './table/columns.js'
import { TableView } from './table/table-view.js'
import { plain, signed, toneOf } from './text.js'
import { yamlNodes } from './yaml-text.js'

/**
 * @typedef {import('../history/performance.ts').Performance} Performance
 * @typedef {Performance['days'][number]} Day
 * @typedef {import('./tables.js').RowOf<'values'>} Value
 */

/** The bot is asked this often for new figures. */
const renewalMs = 5000

export class StrategyPage {
  #name = ''
  #read
  #isAsking = false
  #text = ''
  /** @type {TableView<Day>} */
  #days = new TableView(part('days'), 'No trade is closed yet.', [
    { title: 'Day', className: 'name', text: ({ day }) => day },
    numbers('Trades', ({ trades }) => String(trades), plain),
    profits('Profit', ({ profit }) => profit),
  ])
  /** @type {TableView<Value>} */
  #values = new TableView(part('values'), 'The strategy has no named values.', [
    { title: 'Name', className: 'name', text: ({ name }) => name },
    { title: 'Value now', className: 'leaves', text: ({ value }) => value },
  ])

  /** @param {(path: string) => Promise<unknown>} read Reads from the bot. */
  constructor(read) {
    this.#read = read
    setInterval(() => void this.#renew(), renewalMs)
  }

  /**
   * @param {string} name Empty for none.
   * @param {readonly (readonly [string, Value])[]} values
   * @param {boolean} areNew
   */
  show(name, values, areNew) {
    part('one-strategy').hidden = name === ''
    if (areNew) this.#values.show(values)
    if (name === this.#name) return
    this.#name = name
    this.#text = ''
    say(part('file-title'), `Strategy file of ${name}`)
    part('file').replaceChildren()
    void this.#renew()
  }

  async #renew() {
    const name = this.#name
    if (name === '' || this.#isAsking || document.visibilityState === 'hidden') return
    this.#isAsking = true
    const query = new URLSearchParams({ name })
    const found = await this.#read(`/strategy?${query.toString()}`).catch(() => undefined)
    this.#isAsking = false
    if (name !== this.#name) return void this.#renew()
    if (found === undefined) return
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { text, performance } = /** @type {{ text: string, performance: Performance }} */ (found)
    if (text !== this.#text) part('file').replaceChildren(...yamlNodes(text))
    this.#text = text
    this.#days.show(performance.days.map((day) => [day.day, day]))
    drawFigures(performance)
  }
}

/** @param {Performance} performance */
function drawFigures({ trades, won, profit, profitFactor }) {
  showFigures(part('performance'), [
    ['Trades', plain(trades), ''],
    ['Win rate', trades === 0 ? '–' : `${((100 * won) / trades).toFixed(1)} %`, ''],
    ['Profit factor', plain(profitFactor), ''],
    ['Profit of trades', signed(profit), toneOf(profit)],
  ])
}
