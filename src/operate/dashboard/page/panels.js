// The tables of the page: their rows.

import { drawDoubts, drawLadders } from './lists.js'
import { part, say } from './page-parts.js'
import { balancesTable, holdingsTable, pairsTable, tradesTable } from './money-tables.js'
import {
  feedsTable,
  lanesTable,
  limitsTable,
  marketsTable,
  ordersTable,
  rulesTable,
  rungsTable,
  strategiesTable,
  stateText,
} from './panel-tables.js'
import { age, counted, plain } from './text.js'

/**
 * @typedef {import('./tables.js').Told} Told
 * @typedef {{ strategy: string, market: string }} Choice Empty for all of them.
 */

/**
 * @template {import('./tables.js').TableName} Name
 * @typedef {import('./tables.js').RowOf<Name>} RowOf
 */

/** @param {import('./panel-tables.js').Deeds} deeds */
export function panelsOf(deeds) {
  /** Time of the last message, in venue time. */
  let now = 0
  const since = (/** @type {number} */ at) => age(now - at)
  const rungs = rungsTable(deeds)
  const orders = ordersTable(deeds, since)
  const strategies = strategiesTable(deeds)
  const holdings = holdingsTable()
  const pairs = pairsTable()
  const trades = tradesTable()
  const balances = balancesTable()
  const limits = limitsTable()
  const rules = rulesTable()
  const markets = marketsTable(deeds, since)
  const lanes = lanesTable()
  const feeds = feedsTable(since)

  return {
    /**
     * @param {Told} told
     * @param {Choice} choice
     * @param {Set<string>} changed
     */
    draw(told, choice, changed) {
      now = told.bot?.at ?? 0
      const [ofStrategy, ofBoth] = sieves(choice)
      const isNew = (/** @type {string[]} */ ...names) => names.some((name) => changed.has(name))
      if (isNew('strategies'))
        strategies.show(
          [...told.rows('strategies')].filter(([key]) => choice.strategy === '' || key === choice.strategy),
        )
      if (isNew('holdings')) holdings.show(ofStrategy(told.rows('holdings')))
      if (isNew('pairs')) pairs.show(ofBoth(told.rows('pairs')))
      if (isNew('balances')) balances.show([...told.rows('balances')])
      if (isNew('trades')) {
        const rows = ofBoth(told.rows('trades'))
        trades.show(rows.sort(([, one], [, other]) => other.closedAt - one.closedAt))
        say(part('trades-count'), tradesText(rows.map(([, row]) => row)))
      }
      if (isNew('limits')) limits.show(ofStrategy(told.rows('limits')))
      if (isNew('rules')) rules.show(ofStrategy(told.rows('rules')))
      if (isNew('feeds', 'bot')) feeds.show(ofStrategy(told.rows('feeds')))
      if (isNew('lanes')) lanes.show([...told.rows('lanes')])
      if (isNew('markets', 'bot')) markets.show([...told.rows('markets')])
      if (isNew('ladders')) drawLadders(ofBoth(told.rows('ladders')))
      if (isNew('rungs')) {
        const rows = ofBoth(told.rows('rungs'))
        rungs.show(rows.sort(([, one], [, other]) => inBook(one, other)))
        say(part('rungs-count'), tallied(rows.map(([, { state }]) => stateText(state))))
      }
      if (isNew('orders', 'bot')) {
        const rows = ofBoth(told.rows('orders'))
        orders.show(rows.sort(([, one], [, other]) => doubtFirst(one, other)))
        say(part('orders-count'), tallied(rows.map(([, { status }]) => stateText(status))))
        drawDoubts(
          rows.filter(([, { status }]) => status === 'doubtful'),
          now,
        )
      }
    },
  }
}

/** @param {Choice} choice */
function sieves({ strategy, market }) {
  /** @template {{ strategy: string }} Row */
  const ofStrategy = (/** @type {ReadonlyMap<string, Row>} */ rows) =>
    [...rows].filter(([, row]) => strategy === '' || row.strategy === strategy)
  /** @template {{ strategy: string, market: string }} Row */
  const ofBoth = (/** @type {ReadonlyMap<string, Row>} */ rows) =>
    ofStrategy(rows).filter(([, row]) => market === '' || row.market === market)
  return /** @type {const} */ ([ofStrategy, ofBoth])
}

/**
 * Like a book: by market, the highest price first.
 * @param {Pick<RowOf<'rungs'>, 'market' | 'price'>} one
 * @param {Pick<RowOf<'rungs'>, 'market' | 'price'>} other
 */
function inBook(one, other) {
  if (one.market !== other.market) return one.market < other.market ? -1 : 1
  return Number(other.price) - Number(one.price)
}

/**
 * @param {RowOf<'orders'>} one
 * @param {RowOf<'orders'>} other
 */
function doubtFirst(one, other) {
  const [first, second] = [one, other].map(({ status }) => Number(status === 'doubtful'))
  return (second ?? 0) - (first ?? 0) || inBook(one, other)
}

/** @param {readonly RowOf<'trades'>[]} rows */
function tradesText(rows) {
  if (rows.length === 0) return ''
  const won = rows.filter(({ profit }) => Number(profit) > 0).length
  return `${counted(rows.length, 'trade')} · ${Math.round((100 * won) / rows.length)} % with a profit`
}

/** @param {readonly string[]} states */
function tallied(states) {
  const counts = [...Map.groupBy(states, (state) => state)].map(
    ([state, all]) => `${plain(all.length)} ${state}`,
  )
  return counts.join(' · ')
}
