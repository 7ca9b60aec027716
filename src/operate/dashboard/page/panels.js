// The tables of the page: which rows they show, and what stands in their columns.

import { drawDoubts, drawLadders } from './lists.js'
import { part, say } from './page-parts.js'
import { TableView } from './table-view.js'
import { age, clock, isOfLosses, money, ofLimit, plain, rounded, signed, toneOf } from './text.js'

/**
 * @typedef {import('./tables.js').Told} Told
 * @typedef {{ strategy: string, market: string }} Choice Empty for all of them.
 * @typedef {{ why: (what: string) => void, act: (act: import('./acts.js').Act) => void, market: (symbol: string) => void }} Deeds
 */

/**
 * @template {import('./tables.js').TableName} Name
 * @typedef {import('./tables.js').RowOf<Name>} RowOf
 */

/** @param {Deeds} deeds */
export function panelsOf(deeds) {
  /** When the bot was last heard, in its own time. */
  let now = 0
  /** @type {ReadonlyMap<string, RowOf<'strategies'>>} */
  let strategyRows = new Map()

  /** @type {TableView<RowOf<'rungs'>>} */
  const rungs = new TableView(part('rungs'), 'No ladder has rungs yet.', [
    {
      title: 'Rung',
      className: 'name',
      text: (_, key) => key,
      act: deeds.why,
      actLabel: (_, key) => `why ${key}`,
    },
    { title: 'Market', className: 'spare', text: ({ market }) => market },
    { title: 'Side', text: ({ side }) => side, tone: ({ side }) => side },
    { title: 'Price', className: 'number', text: ({ price }) => plain(price) },
    { title: 'Amount', className: 'number', text: ({ amount }) => plain(amount) },
    { title: 'State', text: ({ state }) => stateText(state), tone: ({ state }) => `mark ${state}` },
    { title: 'Why', className: 'long', text: ({ why }) => why ?? '', about: ({ why }) => why ?? '' },
  ])
  /** @type {TableView<RowOf<'orders'>>} */
  const orders = new TableView(part('orders'), 'No active orders.', [
    {
      title: 'Order',
      className: 'name',
      text: (_, key) => key,
      act: deeds.why,
      actLabel: (_, key) => `why ${key}`,
    },
    { title: 'Market', className: 'spare', text: ({ market }) => market },
    { title: 'Side', text: ({ side }) => side, tone: ({ side }) => side },
    { title: 'Price', className: 'number', text: ({ price }) => plain(price) },
    { title: 'Amount', className: 'number', text: ({ amount }) => plain(amount) },
    {
      title: 'Filled',
      className: 'number spare',
      text: ({ filled }) => (Number(filled) === 0 ? '' : plain(filled)),
    },
    { title: 'Kind', className: 'spare', text: ({ role }) => role },
    {
      title: 'State',
      text: ({ status, withdrawing }) => (withdrawing ? 'cancelling' : stateText(status)),
      tone: ({ status }) => `mark ${status}`,
      about: ({ why }) => why ?? '',
    },
    { title: 'Age', className: 'number', text: ({ sentAt }) => age(now - sentAt) },
  ])
  /** @type {TableView<RowOf<'strategies'>>} */
  const strategies = new TableView(part('strategies'), 'No strategies.', [
    { title: 'Strategy', className: 'name', text: (_, key) => key, about: ({ file }) => file ?? '' },
    {
      title: 'State',
      text: (row) => stateOf(row),
      tone: (row) => `mark ${stateOf(row)}`,
      about: ({ halted, pauses }) => halted ?? pauses ?? '',
    },
    {
      title: 'Result',
      className: 'number',
      text: ({ result }) => signed(result),
      tone: ({ result }) => toneOf(result),
    },
    {
      title: 'Today',
      className: 'number spare',
      text: ({ today }) => signed(today),
      tone: ({ today }) => toneOf(today),
    },
    {
      title: 'Grid profit',
      className: 'number',
      text: ({ gridProfit }) => signed(gridProfit),
      tone: ({ gridProfit }) => toneOf(gridProfit),
      about: ({ pairs }) => `${plain(pairs)} matched pairs, after the fees of both sides`,
    },
    {
      title: 'Floating',
      className: 'number',
      text: ({ floating }) => signed(floating),
      tone: ({ floating }) => toneOf(floating),
      about: ({ earlier }) => (earlier === '0' ? '' : `${signed(earlier)} earned before pairs were counted`),
    },
    { title: 'Drawdown', className: 'number', text: ({ drawdown }) => money(drawdown) },
    { title: 'Max drawdown', className: 'number spare', text: ({ maxDrawdown }) => money(maxDrawdown) },
    { title: 'Fees', className: 'number spare', text: ({ fees }) => money(fees) },
    { title: 'Resting', className: 'number', text: ({ resting }) => plain(resting) },
    {
      title: 'Halt',
      className: 'deed',
      text: ({ halted }) => (halted === null ? 'Halt' : ''),
      act: (key) => deeds.act({ path: '/halt', strategy: key }),
      actLabel: (_, key) => `Halt ${key}`,
    },
    {
      title: 'Resume',
      className: 'deed',
      text: ({ halted, pauses }) => (halted === null && pauses === null ? '' : 'Resume'),
      act: (key) => deeds.act({ path: '/resume', strategy: key }),
      actLabel: (_, key) => `Resume ${key}`,
    },
  ])
  /** @type {TableView<RowOf<'holdings'>>} */
  const holdings = new TableView(part('holdings'), 'No positions.', [
    { title: 'Position', className: 'name', text: (_, key) => key },
    { title: 'Market', className: 'spare', text: ({ market }) => market },
    {
      title: 'Amount',
      className: 'number',
      text: ({ position }) => plain(position),
      tone: ({ position }) => toneOfHeld(position),
    },
    {
      title: 'Entry',
      className: 'number',
      text: ({ entry }) => (entry === null ? '' : plain(rounded(entry))),
      about: ({ entry }) => entry ?? '',
    },
    { title: 'Notional', className: 'number', text: ({ worth }) => money(worth) },
    {
      title: 'Realized',
      className: 'number',
      text: ({ realized }) => signed(realized),
      tone: ({ realized }) => toneOf(realized),
    },
    { title: 'Fees', className: 'number spare', text: ({ fees }) => money(fees) },
  ])
  /** @type {TableView<RowOf<'pairs'>>} */
  const pairs = new TableView(part('pairs'), 'No rung has filled.', [
    { title: 'Rung', className: 'name', text: (_, key) => key },
    { title: 'Pairs', className: 'number', text: ({ pairs: count }) => plain(count) },
    {
      title: 'Grid profit',
      className: 'number',
      text: ({ profit }) => signed(profit),
      tone: ({ profit }) => toneOf(profit),
      about: ({ profit }) => profit,
    },
    {
      title: 'Open',
      className: 'number',
      text: ({ open }) => (Number(open) === 0 ? '' : plain(open)),
      tone: ({ open }) => toneOfHeld(open),
    },
    {
      title: 'Floating',
      className: 'number',
      text: ({ open, floating }) => (Number(open) === 0 ? '' : signed(floating)),
      tone: ({ floating }) => toneOf(floating),
    },
  ])
  /** @type {TableView<RowOf<'limits'>>} */
  const limits = new TableView(part('limits'), 'No limits.', [
    { title: 'Limit', className: 'name', text: (_, key) => key.replaceAll('_', ' ') },
    {
      title: 'Used of maximum',
      className: 'share',
      text: ({ limit, used, most }) =>
        `${used === null ? 'unknown' : ofLimit(limit, used)} of ${ofLimit(limit, most)}`,
      share: ({ limit, used, most }) =>
        used === null ? null : [Number(used), Number(most), isOfLosses(limit)],
    },
  ])
  /** @type {TableView<RowOf<'rules'>>} */
  const rules = new TableView(part('rules'), 'No rules.', [
    { title: 'Rule', className: 'name', text: (_, key) => key },
    { title: 'Value', text: ({ truth }) => truth, tone: ({ truth }) => `mark ${truth}` },
    { title: 'Inputs', className: 'leaves', text: ({ leaves }) => leaves },
    { title: 'Acted', className: 'number', text: ({ firedAt }) => (firedAt === null ? '' : clock(firedAt)) },
  ])
  /** @type {TableView<RowOf<'markets'>>} */
  const markets = new TableView(part('markets'), 'No markets.', [
    {
      title: 'Market',
      className: 'name',
      text: (_, key) => key,
      act: deeds.market,
      actLabel: (_, key) => `show ${key}`,
    },
    { title: 'Bid', className: 'number', text: ({ bid }) => plain(bid) },
    { title: 'Ask', className: 'number', text: ({ ask }) => plain(ask) },
    { title: 'Last', className: 'number', text: ({ last }) => plain(last) },
    { title: 'Age', className: 'number', text: ({ at }) => age(now - at) },
  ])
  /** @type {TableView<RowOf<'lanes'>>} */
  const lanes = new TableView(part('lanes'), 'No calls yet.', [
    { title: 'Queue or URL path', className: 'name', text: (_, key) => key },
    { title: 'Waiting', className: 'number', text: ({ waiting }) => plain(waiting) },
    {
      title: 'Calls in the rate window',
      className: 'share',
      text: ({ used, most, perMs }) =>
        used === null || most === null ? 'no limit' : `${plain(used)} of ${plain(most)} in ${age(perMs)}`,
      share: ({ used, most }) => (used === null || most === null ? null : [used, most, true]),
    },
    { title: 'Next in', className: 'number', text: ({ waitMs }) => (waitMs === 0 ? 'now' : `${waitMs} ms`) },
  ])
  /** @type {TableView<RowOf<'feeds'>>} */
  const feeds = new TableView(part('feeds'), 'No strategy has a feed.', [
    { title: 'Feed', className: 'name', text: (_, key) => key },
    { title: 'Market', text: ({ market }) => market },
    { title: 'Kind', className: 'spare', text: ({ kind }) => kind },
    {
      title: 'Last data',
      className: 'number',
      text: ({ heardAt }) => (heardAt === null ? 'never' : `${age(now - heardAt)} ago`),
    },
  ])

  return {
    /**
     * @param {Told} told
     * @param {Choice} choice
     * @param {Set<string>} changed
     */
    draw(told, choice, changed) {
      now = told.bot?.at ?? 0
      strategyRows = told.rows('strategies')
      const [ofStrategy, ofBoth] = sieves(choice)
      const isNew = (/** @type {string[]} */ ...names) => names.some((name) => changed.has(name))
      if (isNew('strategies'))
        strategies.show(
          [...strategyRows].filter(([key]) => choice.strategy === '' || key === choice.strategy),
        )
      if (isNew('holdings')) holdings.show(ofStrategy(told.rows('holdings')))
      if (isNew('pairs')) pairs.show(ofBoth(told.rows('pairs')))
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
 * The words of the glossary for a state of an order or a rung.
 * @param {string} state
 */
function stateText(state) {
  if (state === 'doubtful') return 'unknown'
  if (state === 'missing') return 'no order'
  return state === 'sending' || state === 'sent' ? 'in flight' : state
}

/** @param {RowOf<'strategies'>} row */
function stateOf({ running, halted, pauses }) {
  if (halted !== null) return 'halted'
  if (!running) return 'not running'
  return pauses === null ? 'running' : 'paused'
}

/**
 * As in a book: market by market, the highest price first.
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

/** @param {readonly string[]} states */
function tallied(states) {
  const counts = [...Map.groupBy(states, (state) => state)].map(
    ([state, all]) => `${plain(all.length)} ${state}`,
  )
  return counts.join(' · ')
}

/** @param {string} position */
function toneOfHeld(position) {
  return Number(position) > 0 ? 'gain' : Number(position) < 0 ? 'loss' : ''
}
