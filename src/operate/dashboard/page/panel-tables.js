// The tables of the page: their columns.

import { part } from './page-parts.js'
import { amounts, buttons, counts, keys, numbers, profits } from './table/columns.js'
import { TableView } from './table/table-view.js'
import { age, clock, isOfLosses, money, ofLimit, plain, signed } from './text.js'

/**
 * @typedef {{ why: (what: string) => void, act: (act: import('./acts.js').Act) => void, market: (symbol: string) => void, strategy: (name: string) => void }} Deeds
 * @typedef {(at: number) => string} Since The time since a moment of the bot's time.
 */

/**
 * @template {import('./tables.js').TableName} Name
 * @typedef {import('./tables.js').RowOf<Name>} RowOf
 */

const spare = { className: 'number spare' }

/**
 * @param {Deeds} deeds
 * @returns {TableView<RowOf<'rungs'>>}
 */
export function rungsTable(deeds) {
  return new TableView(part('rungs'), 'No ladder has rungs yet.', [
    keys('Rung', 'why', deeds.why),
    { title: 'Market', className: 'spare', text: ({ market }) => market },
    { title: 'Side', text: ({ side }) => side, tone: ({ side }) => side },
    numbers('Price', ({ price }) => price, plain),
    numbers('Amount', ({ amount }) => amount, plain),
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
    keys('Order', 'why', deeds.why),
    { title: 'Market', className: 'spare', text: ({ market }) => market },
    { title: 'Side', text: ({ side }) => side, tone: ({ side }) => side },
    numbers('Price', ({ price }) => price, plain),
    numbers('Amount', ({ amount }) => amount, plain),
    amounts('Filled', ({ filled }) => filled, spare),
    { title: 'Kind', className: 'spare', text: ({ role }) => role },
    {
      title: 'State',
      text: ({ status, withdrawing }) => (withdrawing ? 'cancelling' : stateText(status)),
      tone: ({ status }) => `mark ${status}`,
      about: ({ why }) => why ?? '',
    },
    {
      title: 'Age',
      className: 'number',
      text: ({ sentAt }) => since(sentAt),
      value: ({ sentAt }) => -sentAt,
    },
    buttons(
      'Cancel',
      (key) => deeds.act({ path: '/cancel', strategy: key }),
      ({ role, status, withdrawing }) => role === 'entry' && status === 'resting' && !withdrawing,
      'deed spare',
    ),
  ])
}

/**
 * @param {Deeds} deeds
 * @returns {TableView<RowOf<'strategies'>>}
 */
export function strategiesTable(deeds) {
  const acts = (/** @type {'/pause' | '/halt' | '/resume'} */ path) => (/** @type {string} */ strategy) =>
    deeds.act({ path, strategy })
  return new TableView(part('strategies'), 'No strategies.', [
    { ...keys('Strategy', 'show', deeds.strategy), about: ({ file }) => file ?? '' },
    {
      title: 'Description',
      className: 'long spare',
      text: (row) => row.about ?? '',
      about: (row) => row.about ?? '',
    },
    {
      title: 'State',
      text: (row) => stateOf(row),
      tone: (row) => `mark ${stateOf(row)}`,
      about: ({ halted, pauses }) => halted ?? pauses ?? '',
    },
    profits('Result', ({ result }) => result),
    profits('Today', ({ today }) => today, signed, spare),
    profits('Grid profit', ({ gridProfit }) => gridProfit, signed, {
      about: ({ pairs }) => `${plain(pairs)} matched pairs, after the fees of both sides`,
    }),
    profits('Floating', ({ floating }) => floating, signed, {
      about: ({ earlier }) => (earlier === '0' ? '' : `${signed(earlier)} earned before pairs were counted`),
    }),
    numbers('Drawdown', ({ drawdown }) => drawdown, money),
    numbers('Max drawdown', ({ maxDrawdown }) => maxDrawdown, money, spare),
    numbers('Fees', ({ fees }) => fees, money, spare),
    counts('Resting', ({ resting }) => resting),
    buttons('Pause', acts('/pause'), isFree, 'deed spare'),
    buttons('Halt', acts('/halt'), ({ halted }) => halted === null),
    buttons('Resume', acts('/resume'), (row) => !isFree(row)),
  ])
}

/** @returns {TableView<RowOf<'limits'>>} */
export function limitsTable() {
  return new TableView(part('limits'), 'No limits.', [
    { title: 'Limit', className: 'name', text: (_, key) => key.replaceAll('_', ' ') },
    {
      title: 'Used of maximum',
      className: 'share',
      text: ({ limit, used, most }) => `${ofLimit(limit, used)} of ${ofLimit(limit, most)}`,
      value: ({ used, most }) => Number(used ?? -1) / (Number(most) || 1),
      share: ({ limit, used, most }) =>
        used === null || most === null ? null : [Number(used), Number(most), isOfLosses(limit)],
    },
  ])
}

/** @returns {TableView<RowOf<'rules'>>} */
export function rulesTable() {
  return new TableView(part('rules'), 'No rules.', [
    { title: 'Rule', className: 'name', text: (_, key) => key },
    { title: 'Value', text: ({ truth }) => truth, tone: ({ truth }) => `mark ${truth}` },
    { title: 'Inputs', className: 'leaves', text: ({ leaves }) => leaves },
    {
      title: 'Acted',
      className: 'number',
      text: ({ firedAt }) => (firedAt === null ? '' : clock(firedAt)),
      value: ({ firedAt }) => firedAt ?? 0,
    },
  ])
}

/**
 * @param {Deeds} deeds
 * @param {Since} since
 * @returns {TableView<RowOf<'markets'>>}
 */
export function marketsTable(deeds, since) {
  return new TableView(part('markets'), 'No markets.', [
    keys('Market', 'show', deeds.market),
    { title: 'Bid', className: 'number', text: ({ bid }) => plain(bid), value: (row) => Number(row.bid) },
    { title: 'Ask', className: 'number', text: ({ ask }) => plain(ask), value: (row) => Number(row.ask) },
    { title: 'Last', className: 'number', text: ({ last }) => plain(last), value: (row) => Number(row.last) },
    { title: 'Age', className: 'number', text: ({ at }) => since(at), value: ({ at }) => -at },
  ])
}

/** @returns {TableView<RowOf<'lanes'>>} */
export function lanesTable() {
  return new TableView(part('lanes'), 'No calls yet.', [
    { title: 'Queue or URL path', className: 'name', text: (_, key) => key },
    counts('Waiting', ({ waiting }) => waiting),
    {
      title: 'Calls in the rate window',
      className: 'share',
      text: ({ used, most, perMs }) =>
        used === null || most === null ? 'no limit' : `${plain(used)} of ${plain(most)} in ${age(perMs)}`,
      share: ({ used, most }) => (used === null || most === null ? null : [used, most, true]),
    },
    {
      title: 'Next in',
      className: 'number',
      text: ({ waitMs }) => (waitMs === 0 ? 'now' : `${waitMs} ms`),
      value: ({ waitMs }) => waitMs,
    },
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
function isFree({ halted, pauses }) {
  return halted === null && pauses === null
}

/** @param {RowOf<'strategies'>} row */
function stateOf({ running, halted, pauses }) {
  if (halted !== null) return 'halted'
  if (!running) return 'not running'
  return pauses === null ? 'running' : 'paused'
}
