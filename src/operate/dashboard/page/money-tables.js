// The tables of positions and trades: their columns.

import { part } from './page-parts.js'
import { amounts, counts, numbers, profits } from './table/columns.js'
import { TableView } from './table/table-view.js'
import { age, dayAndClock, exitTexts, money, percent, plain, rounded, signed, toneOf } from './text.js'

/**
 * @template {import('./tables.js').TableName} Name
 * @typedef {import('./tables.js').RowOf<Name>} RowOf
 */

const spare = { className: 'number spare' }
const price = (/** @type {string} */ value) => plain(rounded(value))

/** @returns {TableView<RowOf<'trades'>>} */
export function tradesTable() {
  return new TableView(part('trades'), 'No trade is closed yet.', [
    {
      title: 'Closed at',
      text: ({ closedAt }) => dayAndClock(closedAt),
      value: ({ closedAt }) => closedAt,
    },
    { title: 'Strategy', className: 'name', text: ({ strategy }) => strategy },
    { title: 'Market', className: 'name', text: ({ market }) => market },
    { title: 'Rung', className: 'name spare', text: ({ ladder, rungs }) => `${ladder} ${rungs}`.trim() },
    { title: 'Side', text: ({ side }) => side, tone: ({ side }) => (side === 'long' ? 'buy' : 'sell') },
    numbers('Amount', ({ amount }) => amount, plain),
    numbers('Entry price', ({ entry }) => entry, price),
    numbers('Exit price', ({ close }) => close, price),
    profits('Profit', ({ profit }) => profit),
    profits('Percent', (row) => row.percent, percent),
    numbers('Fees', ({ fees }) => fees, money, spare),
    {
      title: 'Duration',
      className: 'number',
      text: ({ openedAt, closedAt }) => (openedAt === null ? '–' : age(closedAt - openedAt)),
      value: ({ openedAt, closedAt }) => (openedAt === null ? -1 : closedAt - openedAt),
      about: ({ openedAt }) => (openedAt === null ? '' : `opened at ${dayAndClock(openedAt)}`),
    },
    { title: 'Closed by', text: ({ kind }) => exitTexts[kind] ?? kind, about: ({ exit }) => exit },
  ])
}

/** @returns {TableView<RowOf<'holdings'>>} */
export function holdingsTable() {
  return new TableView(part('holdings'), 'No positions.', [
    { title: 'Strategy', className: 'name', text: ({ strategy }) => strategy },
    { title: 'Market', className: 'name', text: ({ market }) => market },
    {
      title: 'Side',
      text: ({ position }) => sideOf(position),
      tone: ({ position }) => ({ long: 'buy', short: 'sell', none: 'muted' })[sideOf(position)],
    },
    numbers('Amount', ({ position }) => position, plain),
    numbers('Entry price', ({ entry }) => entry, price),
    numbers('Mark price', ({ mark }) => mark, price),
    numbers('Notional', ({ worth }) => worth, money, spare),
    profits('Unrealized', ({ unrealized }) => unrealized),
    profits('Percent', (row) => row.percent, percent),
    numbers('Liquidation', ({ liquidation }) => liquidation, price),
    numbers(
      'Leverage',
      ({ leverage }) => (leverage === null ? null : String(leverage)),
      (value) => `${value}×`,
      spare,
    ),
    profits('Realized', ({ realized }) => realized),
    numbers('Fees', ({ fees }) => fees, money, spare),
  ])
}

/** @returns {TableView<RowOf<'balances'>>} */
export function balancesTable() {
  return new TableView(part('balances'), 'The balances are not read yet.', [
    { title: 'Currency', className: 'name', text: (_, key) => key },
    numbers('Available', ({ available }) => available, price),
    numbers('In orders', ({ frozen }) => frozen, price),
    numbers('Main balance', ({ main }) => main, price),
  ])
}

/** @returns {TableView<RowOf<'pairs'>>} */
export function pairsTable() {
  return new TableView(part('pairs'), 'No rung has filled.', [
    { title: 'Rung', className: 'name', text: (_, key) => key },
    counts('Pairs', ({ pairs }) => pairs),
    profits('Grid profit', ({ profit }) => profit),
    amounts('Open', ({ open }) => open, { tone: ({ open }) => toneOfHeld(open) }),
    {
      title: 'Floating',
      className: 'number',
      text: ({ open, floating }) => (Number(open) === 0 ? '' : signed(floating)),
      value: ({ floating }) => Number(floating),
      tone: ({ floating }) => toneOf(floating),
    },
  ])
}

/** @param {string} position */
function toneOfHeld(position) {
  return Number(position) > 0 ? 'gain' : Number(position) < 0 ? 'loss' : ''
}

/** @param {string} position */
function sideOf(position) {
  return Number(position) > 0 ? 'long' : Number(position) < 0 ? 'short' : 'none'
}
