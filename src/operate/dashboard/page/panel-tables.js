// The tables of the page: their columns.

import { part } from './page-parts.js'
import { TableView } from './table-view.js'
import { age, clock, isOfLosses, money, ofLimit, plain, rounded, signed, toneOf } from './text.js'

/**
 * @typedef {{ why: (what: string) => void, act: (act: import('./acts.js').Act) => void, market: (symbol: string) => void }} Deeds
 * @typedef {(at: number) => string} Since The time since a moment of the bot's time.
 */

/**
 * @template {import('./tables.js').TableName} Name
 * @typedef {import('./tables.js').RowOf<Name>} RowOf
 */

/**
 * @param {Deeds} deeds
 * @returns {TableView<RowOf<'rungs'>>}
 */
export function rungsTable(deeds) {
  return new TableView(part('rungs'), 'No ladder has rungs yet.', [
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
}

/**
 * @param {Deeds} deeds
 * @param {Since} since
 * @returns {TableView<RowOf<'orders'>>}
 */
export function ordersTable(deeds, since) {
  return new TableView(part('orders'), 'No active orders.', [
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
    { title: 'Age', className: 'number', text: ({ sentAt }) => since(sentAt) },
  ])
}

/**
 * @param {Deeds} deeds
 * @returns {TableView<RowOf<'strategies'>>}
 */
export function strategiesTable(deeds) {
  return new TableView(part('strategies'), 'No strategies.', [
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
}

/** @returns {TableView<RowOf<'holdings'>>} */
export function holdingsTable() {
  return new TableView(part('holdings'), 'No positions.', [
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
}

/** @returns {TableView<RowOf<'pairs'>>} */
export function pairsTable() {
  return new TableView(part('pairs'), 'No rung has filled.', [
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
}

/** @returns {TableView<RowOf<'limits'>>} */
export function limitsTable() {
  return new TableView(part('limits'), 'No limits.', [
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
}

/** @returns {TableView<RowOf<'rules'>>} */
export function rulesTable() {
  return new TableView(part('rules'), 'No rules.', [
    { title: 'Rule', className: 'name', text: (_, key) => key },
    { title: 'Value', text: ({ truth }) => truth, tone: ({ truth }) => `mark ${truth}` },
    { title: 'Inputs', className: 'leaves', text: ({ leaves }) => leaves },
    { title: 'Acted', className: 'number', text: ({ firedAt }) => (firedAt === null ? '' : clock(firedAt)) },
  ])
}

/**
 * @param {Deeds} deeds
 * @param {Since} since
 * @returns {TableView<RowOf<'markets'>>}
 */
export function marketsTable(deeds, since) {
  return new TableView(part('markets'), 'No markets.', [
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
    { title: 'Age', className: 'number', text: ({ at }) => since(at) },
  ])
}

/** @returns {TableView<RowOf<'lanes'>>} */
export function lanesTable() {
  return new TableView(part('lanes'), 'No calls yet.', [
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
}

/**
 * @param {Since} since
 * @returns {TableView<RowOf<'feeds'>>}
 */
export function feedsTable(since) {
  return new TableView(part('feeds'), 'No strategy has a feed.', [
    { title: 'Feed', className: 'name', text: (_, key) => key },
    { title: 'Market', text: ({ market }) => market },
    { title: 'Kind', className: 'spare', text: ({ kind }) => kind },
    {
      title: 'Last data',
      className: 'number',
      text: ({ heardAt }) => (heardAt === null ? 'never' : `${since(heardAt)} ago`),
    },
  ])
}

/**
 * The glossary's word for the state of an order or a rung.
 * @param {string} state
 */
export function stateText(state) {
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

/** @param {string} position */
function toneOfHeld(position) {
  return Number(position) > 0 ? 'gain' : Number(position) < 0 ? 'loss' : ''
}
