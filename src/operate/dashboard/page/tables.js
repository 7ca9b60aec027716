// The tables of the bot, and which of them have changed since they were drawn.

/**
 * @typedef {import('../tables/tables.ts').Tables} Tables
 * @typedef {keyof Tables} TableName
 */

/**
 * @template {TableName} Name
 * @typedef {Tables[Name][string]} RowOf
 */

/** @type {readonly TableName[]} */
export const tableNames = [
  'bot',
  'strategies',
  'markets',
  'ladders',
  'rungs',
  'orders',
  'holdings',
  'pairs',
  'trades',
  'balances',
  'limits',
  'rules',
  'values',
  'exits',
  'feeds',
  'lanes',
]

export class Told {
  /** @type {Map<string, Map<string, unknown>>} */
  #tables = new Map(tableNames.map((name) => [name, new Map()]))
  /** @type {Set<string>} */
  #changed = new Set()

  /**
   * Applies one message of the bot; the first one of a connection replaces all tables.
   * @param {{ whole?: boolean, set?: Record<string, Record<string, unknown>>, gone?: Record<string, string[]> }} message
   */
  take({ whole = false, set = {}, gone = {} }) {
    for (const name of tableNames) {
      const table = this.#tables.get(name)
      if (table === undefined) continue
      if (whole) table.clear()
      const [rows, ended] = [Object.entries(set[name] ?? {}), gone[name] ?? []]
      for (const [key, row] of rows) table.set(key, row)
      for (const key of ended) table.delete(key)
      if (whole || rows.length > 0 || ended.length > 0) this.#changed.add(name)
    }
  }

  /**
   * Returns and clears the names of the changed tables.
   * @returns {Set<string>}
   */
  changes() {
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }

  /**
   * @template {TableName} Name
   * @param {Name} name
   * @returns {ReadonlyMap<string, RowOf<Name>>}
   */
  rows(name) {
    // The bot has the same version as this page, so the type fits.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return /** @type {any} */ (this.#tables.get(name))
  }

  /** The only row of its table; undefined before the first message. */
  get bot() {
    return this.rows('bot').get('')
  }
}
