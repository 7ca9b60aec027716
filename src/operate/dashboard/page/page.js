// The page of a running bot. It draws changes once a frame, and requests only candles and reasons.

import { actsOf } from './acts.js'
import { Connection } from './connection.js'
import { drawHeader, drawLine } from './header.js'
import { levelsOf } from './lists.js'
import { LogTail } from './log.js'
import { MarketChart } from './charts/market-chart.js'
import { made, namedChoices, offer, part, say } from './page-parts.js'
import { panelsOf } from './panels.js'
import { fillSections } from './table/table-sections.js'
import { StrategyPage } from './strategy-page.js'
import { tableNames, Told } from './tables.js'
import { day, plain } from './text.js'
import { whyOf } from './why.js'
import { WorthChart } from './charts/worth-chart.js'

/**
 * @typedef {import('./log.js').Line} Line
 * @typedef {import('./charts/market-chart.js').Candle} Candle
 * @typedef {import('./charts/market-chart.js').Curve} Curve
 * @typedef {import('./charts/market-chart.js').Fill} Fill
 */

const bars = /** @type {const} */ ([
  ['1m', '1 minute'],
  ['5m', '5 minutes'],
  ['15m', '15 minutes'],
  ['1h', '1 hour'],
  ['1d', '1 day'],
])
/** @type {Record<string, number | undefined>} */
const barLengths = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '1d': 86_400_000 }
const fillsMax = 1000
/** Minimum interval of requests for candles, independent of the speed of the venue. */
const renewalMs = 3000

fillSections()
const told = new Told()
const [token, port] = takenToken()
/** In the address, so that a reload keeps the selection. */
const place = new URL(location.href)
const choice = {
  strategy: place.searchParams.get('strategy') ?? '',
  market: place.searchParams.get('market') ?? '',
  bar: place.searchParams.get('bar') ?? '1m',
}
let lastAt = 0
/** Draw everything. */
let isAnew = true
let isWaiting = false
/** Query, market with interval, and time of the last request for candles. */
let charted = ''
let chartedSpan = ''
let chartedAt = 0
/** @type {Map<string, Fill[]>} */
const fills = new Map()
/** @type {Map<string, [at: number, price: string]>} */
const prices = new Map()

const connection = new Connection(token, port, onLine, onMessage)
const ask = actsOf((path, body) => connection.call(path, body))
/** @param {import('./acts.js').Act} what */
const act = (what) => ask(what, told.bot?.real ?? false)
const why = whyOf((path) => connection.call(path))
const panels = panelsOf({
  why: (what) => why.open(what),
  act,
  market: (symbol) => choose('market', symbol),
  strategy: (name) => choose('strategy', name),
})
const chart = new MarketChart(renewCandles)
const worth = new WorthChart((path) => connection.call(path))
const ofStrategy = new StrategyPage((path) => connection.call(path))
const log = new LogTail()

part('stop').addEventListener('click', () => act({ path: '/stop', strategy: null }))
part('resume').addEventListener('click', () => act({ path: '/resume', strategy: null }))
part('trades-csv').addEventListener('click', () => void saveTrades())
for (const name of /** @type {const} */ (['strategy', 'market', 'bar'])) {
  const select = part(name, HTMLSelectElement)
  select.addEventListener('change', () => choose(name, select.value))
}
fillJump()
if (token === '') onLine({ kind: 'refused' })
else void connection.open()

/** Moves the token and the port of the bot from the address into the storage of this tab. */
function takenToken() {
  const given = location.hash.slice(1)
  if (given !== '') {
    sessionStorage.setItem('token', given)
    history.replaceState(null, '', location.pathname + location.search)
  }
  const [kept = '', from = location.port] = (sessionStorage.getItem('token') ?? '').split('.')
  return /** @type {const} */ ([kept, from])
}

/**
 * @param {'strategy' | 'market' | 'bar'} name
 * @param {string} value
 */
function choose(name, value) {
  choice[name] = value
  if (value === '') place.searchParams.delete(name)
  else place.searchParams.set(name, value)
  history.replaceState(null, '', place.pathname + place.search)
  isAnew = true
  later()
}

/** A menu and not links: the part of an address behind # holds the token. */
function fillJump() {
  const select = part('jump', HTMLSelectElement)
  const titles = [...document.querySelectorAll('main h2')].filter(({ id }) => id !== '')
  select.append(
    new Option('section…', ''),
    ...titles.map(({ id, textContent }) => new Option(textContent, id)),
  )
  select.addEventListener('change', () => {
    const found = select.value === '' ? null : document.getElementById(select.value)
    // Without a selected strategy, its sections are hidden.
    const title = found?.closest('[hidden]') ? part('strategies-title') : found
    select.value = ''
    if (title === null) return
    title.tabIndex = -1
    title.focus({ preventScroll: true })
    title.scrollIntoView({ block: 'start' })
  })
}

/** The request needs the token, so a plain link would not do. */
async function saveTrades() {
  const button = part('trades-csv', HTMLButtonElement)
  button.disabled = true
  const text = await connection.text('/trades.csv').catch(() => undefined)
  button.disabled = false
  say(button, text === undefined ? 'Export failed: try again' : 'Export CSV')
  if (text === undefined) return
  const link = made('a', '')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = `rungs-trades-${day(told.bot?.at ?? 0)}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}

/** @param {import('./connection.js').LineState} state */
function onLine(state) {
  drawLine(state, lastAt)
  if (state.kind !== 'open') return
  // A new connection sends everything again.
  log.clear()
  fills.clear()
  charted = ''
  later()
}

/**
 * @param {string} event
 * @param {unknown} data
 */
function onMessage(event, data) {
  // The bot has the same version as this page, so the type fits.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const message = /** @type {any} */ (data)
  lastAt = Date.now()
  if (event === 'tables') {
    told.take(message)
    if (message.whole === true) isAnew = true
  } else if (event === 'log') takeLog(message)
  else if (event === 'price') for (const [market, price] of Object.entries(message)) prices.set(market, price)
  later()
}

/** @param {readonly Line[]} lines */
function takeLog(lines) {
  log.take(lines)
  for (const line of lines) {
    if (line.type !== 'fill') continue
    const { at, side, price, market } = line
    const own = fills.get(String(market)) ?? []
    own.push({ at: Number(at), side: side === 'buy' ? 'buy' : 'sell', price: String(price) })
    if (own.length > fillsMax) own.shift()
    fills.set(String(market), own)
    if (market === marketShown()) chart.fills(own)
  }
}

function later() {
  if (isWaiting) return
  isWaiting = true
  requestAnimationFrame(() => {
    isWaiting = false
    draw()
  })
}

function draw() {
  if (told.bot === undefined) return
  const changed = told.changes()
  if (isAnew) for (const name of tableNames) changed.add(name)
  isAnew = false
  part('main').hidden = false
  drawChoosers()
  drawHeader(told, changed)
  panels.draw(told, choice, changed)
  drawMarket(changed)
  worth.of(choice.strategy)
  const values = [...told.rows('values')].filter(([, row]) => row.strategy === choice.strategy)
  ofStrategy.show(choice.strategy, values, changed.has('values'))
  log.draw(told.rows('strategies').keys())
  if (changed.has('orders') || changed.has('rungs')) why.again()
  document.documentElement.dataset['drawn'] = 'yes'
}

function drawChoosers() {
  const strategies = told.rows('strategies')
  if (!strategies.has(choice.strategy)) choice.strategy = ''
  if (!marketsOffered().includes(choice.market)) choice.market = ''
  const described = [...strategies].map(
    ([name, { about }]) => /** @type {const} */ ([name, about === null ? name : `${name}: ${about}`]),
  )
  const choices = /** @type {const} */ ([['', `all ${strategies.size}`], ...described])
  offer(part('strategy', HTMLSelectElement), choices, choice.strategy)
  offer(part('market', HTMLSelectElement), [['', 'all'], ...namedChoices(marketsOffered())], choice.market)
  offer(part('bar', HTMLSelectElement), bars, choice.bar)
}

/** Markets of the selected strategy's ladders, or all. */
function marketsOffered() {
  const { strategy } = choice
  if (strategy === '') return [...told.rows('markets').keys()]
  const own = [...told.rows('ladders').values()].filter((ladder) => ladder.strategy === strategy)
  return [...new Set(own.map(({ market }) => market))]
}

/** The market of the chart: the selected one, or the first. */
function marketShown() {
  return choice.market || (marketsOffered()[0] ?? '')
}

/** @param {Set<string>} changed */
function drawMarket(changed) {
  const market = marketShown()
  say(part('chart-title'), market === '' ? 'Market' : market)
  if (market === '') return
  if (charted !== chartOf(market)) void loadCandles(market)
  const quote = told.rows('markets').get(market)
  if (quote) {
    const names = /** @type {const} */ (['last', 'bid', 'ask'])
    say(part('quote'), names.map((name) => `${name} ${plain(quote[name])}`).join('  '))
  }
  if (changed.has('rungs')) {
    const { strategy } = choice
    const rows = [...told.rows('rungs').values()]
    chart.rungs(rows.filter((row) => row.market === market && (strategy === '' || row.strategy === strategy)))
  }
  if (changed.has('exits') || changed.has('holdings')) chart.levels(levelsOf(told, market, choice.strategy))
  const price = prices.get(market)
  if (price === undefined) return
  prices.delete(market)
  chart.price(...price)
}

function renewCandles() {
  if (Date.now() - chartedAt > renewalMs) void loadCandles(marketShown())
}

/** @param {string} market */
function chartOf(market) {
  return new URLSearchParams({ market, bar: choice.bar, strategy: choice.strategy }).toString()
}

/** @param {string} market */
async function loadCandles(market) {
  const { bar } = choice
  const wanted = chartOf(market)
  // The curves belong to the strategy that was selected before.
  if (wanted !== charted) chart.curves([])
  const span = `${market} ${bar}`
  const isOther = span !== chartedSpan
  charted = wanted
  chartedAt = Date.now()
  // Without candles of the venue the chart begins with the first price.
  const none = isOther ? { candles: [], curves: [] } : undefined
  const found = await connection.call(`/candles?${wanted}`).catch(() => none)
  if (wanted !== charted || found === undefined) return
  chartedSpan = span
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { candles, curves } = /** @type {{ candles: Candle[], curves: Curve[] }} */ (found)
  chart.begin(candles, barLengths[bar] ?? 60_000, isOther)
  chart.curves(curves)
  chart.fills(fills.get(market) ?? [])
  isAnew = true
  later()
}
