// The top of the page: the bot, its connection, and the conditions that need the operator.

import { dress, itemsOf, made, part, say, showFigures } from './page-parts.js'
import { age, clock, counted, isOfLosses, money, ofLimit, plain, signed, toneOf } from './text.js'

/**
 * @typedef {import('./tables.js').Told} Told
 * @typedef {import('./connection.js').LineState} LineState
 * @typedef {{ grave: boolean, title: string, text: string }} Concern
 */

/** Share from which a loss limit is shown; other limits are shown only above 100 %. */
const nearlyAll = 0.9
const overAll = 1.000001
/** More conditions than this are shown as one. */
const concernsMax = 12
/** Maximum age of the account, in venue time at speed 1. */
const oldReadingMs = 15_000

/**
 * @param {Told} told
 * @param {Set<string>} changed
 */
export function drawHeader(told, changed) {
  const { bot } = told
  if (bot === undefined) return
  badges(told, bot)
  const read = bot.readAt === null ? 'account not read yet' : `account read ${age(bot.at - bot.readAt)} ago`
  const speed = bot.speed === 1 ? '' : ` · time × ${bot.speed}`
  say(part('about'), `${clock(bot.at)}${speed} · ${read} · ${bot.venueUrl} · process ${bot.pid}`)
  if (['bot', 'strategies'].some((name) => changed.has(name))) drawFigures(told, bot)
  drawConcerns(concernsOf(told, bot), told)
}

/**
 * @param {Told} told
 * @param {NonNullable<Told['bot']>} bot
 */
function badges(told, bot) {
  const [moneyBadge, stateBadge] = [part('money'), part('state')]
  moneyBadge.hidden = false
  stateBadge.hidden = false
  say(moneyBadge, bot.real ? 'LIVE' : 'paper')
  dress(moneyBadge, bot.real ? 'badge live' : 'badge')
  const names = [...told.rows('strategies').keys()].join(', ')
  const title = `${bot.stopped === null ? '' : 'stopped · '}${names} · ${bot.real ? 'LIVE' : 'paper'} · Rungs`
  if (document.title !== title) document.title = title
  const halted = [...told.rows('strategies').values()].filter((row) => row.halted !== null).length
  say(stateBadge, bot.stopped !== null ? 'stopped' : halted > 0 ? `${halted} halted` : 'running')
  dress(stateBadge, bot.stopped !== null || halted > 0 ? 'badge bad' : 'badge good')
  const [stop, resume] = [part('stop', HTMLButtonElement), part('resume', HTMLButtonElement)]
  stop.hidden = bot.stopped !== null
  resume.hidden = bot.stopped === null
}

/**
 * @param {Told} told
 * @param {NonNullable<Told['bot']>} bot
 */
function drawFigures(told, bot) {
  const rows = [...told.rows('strategies').values()]
  const sum = (/** @type {(row: (typeof rows)[number]) => string | number} */ of) =>
    String(rows.reduce((total, row) => total + Number(of(row)), 0))
  const [result, today] = [sum((row) => row.result), sum((row) => row.today)]
  const [deepest, most] = [largest(told, 'drawdown'), largest(told, 'maxDrawdown')]
  const doubtful = Number(sum((row) => row.doubtful))
  showFigures(part('figures'), [
    ['Equity', money(bot.equity), ''],
    ['Result', signed(result), toneOf(result)],
    ['Today', signed(today), toneOf(today)],
    ['Drawdown', deepest, ''],
    ['Max drawdown', most, ''],
    ['Fees', money(sum((row) => row.fees)), ''],
    ['Resting', plain(sum((row) => row.resting)), ''],
    ['In flight', plain(sum((row) => row.sending)), ''],
    ['Unknown outcome', plain(doubtful), doubtful > 0 ? 'bad' : ''],
  ])
}

/**
 * The largest drawdown of all strategies is shown, with its strategy.
 *
 * @param {Told} told
 * @param {'drawdown' | 'maxDrawdown'} of
 */
function largest(told, of) {
  const rows = [...told.rows('strategies')]
  const [first] = rows.toSorted(([, one], [, other]) => Number(other[of]) - Number(one[of]))
  if (first === undefined) return ''
  const [name, row] = first
  return rows.length === 1 ? money(row[of]) : `${money(row[of])} (${name})`
}

/** @param {NonNullable<Told['bot']>['exits']} exits */
function exitsText(exits) {
  if (exits === 'frozen') return 'Exits are frozen, too.'
  return exits === 'reduce' ? 'Exits close at most the position that the venue shows.' : 'Exits work.'
}

/**
 * @param {Told} told
 * @param {NonNullable<Told['bot']>} bot
 * @returns {Concern[]}
 */
function concernsOf(told, bot) {
  /** @type {Concern[]} */
  const found = []
  const add = (/** @type {boolean} */ grave, /** @type {string} */ title, /** @type {string} */ text) =>
    found.push({ grave, title, text })
  if (bot.stopped !== null)
    add(
      true,
      'Stopped',
      `${bot.stopped}. No entry is placed; open orders stay at the venue. ${exitsText(bot.exits)}`,
    )
  if (bot.lost !== null) {
    const since = bot.lostSince === null ? '' : ` for ${age(bot.at - bot.lostSince)}`
    add(true, `The venue does not answer${since}`, bot.lost)
  }
  if (bot.unread !== null) add(true, 'The account is not read completely', bot.unread)
  if (bot.drift !== null) add(true, 'Venue and bot disagree', bot.drift)
  if (
    bot.lost === null &&
    bot.unread === null &&
    bot.readAt !== null &&
    bot.at - bot.readAt > oldReadingMs * Math.max(1, bot.speed)
  ) {
    add(false, 'The account data is stale', `The account data is ${age(bot.at - bot.readAt)} old.`)
  }
  for (const [name, row] of told.rows('strategies')) {
    if (row.halted !== null) add(true, `${name} is halted`, `${row.halted}. ${exitsText(row.exits)}`)
    if (row.pauses !== null) add(false, `${name} is paused: exits only`, row.pauses)
    if (!row.running)
      add(
        false,
        `${name} is not running`,
        'Its file is not among the files of this run. The bot keeps the records of its orders.',
      )
  }
  const doubtful = [...told.rows('orders').values()].filter(({ status }) => status === 'doubtful')
  if (doubtful.length > 0) {
    const oldest = Math.min(...doubtful.map(({ doubtfulSince }) => doubtfulSince ?? bot.at))
    const text = `The oldest outcome has been unknown for ${age(bot.at - oldest)}. Limits count such orders in full until there is proof; see Orders.`
    add(true, `${counted(doubtful.length, 'order')} with unknown outcome`, text)
  }
  for (const { strategy, limit, used, most } of told.rows('limits').values()) {
    if (most === null)
      add(
        false,
        `${strategy}: ${limit}`,
        'This limit is a share of the equity, which is unknown. Entries wait.',
      )
    else if (used === null) add(false, `${strategy}: ${limit}`, 'The current use of this limit is unknown.')
    else if (Number(most) > 0 && Number(used) / Number(most) >= (isOfLosses(limit) ? nearlyAll : overAll))
      add(false, `${strategy}: ${limit}`, `${ofLimit(limit, used)} of ${ofLimit(limit, most)} used.`)
  }
  for (const { strategy, ladder, missing } of told.rows('ladders').values()) {
    if (missing !== null) add(false, `${strategy}.${ladder} places no orders`, missing)
  }
  return found
}

const concernItem = () => made('li', '', made('b', ''), made('span', ''))

/**
 * @param {Concern[]} concerns
 * @param {Told} told
 */
function drawConcerns(concerns, told) {
  concerns.sort((one, other) => Number(other.grave) - Number(one.grave))
  const left = concerns.slice(concernsMax)
  const more = { grave: left.some(({ grave }) => grave), title: `and ${left.length} more`, text: '' }
  const shown = left.length === 0 ? concerns : [...concerns.slice(0, concernsMax), more]
  for (const [item, { grave, title, text }] of itemsOf(part('attention'), shown, concernItem)) {
    dress(item, grave ? 'grave' : '')
    if (item.firstElementChild) say(item.firstElementChild, title)
    if (item.lastElementChild) say(item.lastElementChild, text)
  }
  const quiet = part('quiet')
  quiet.hidden = shown.length > 0
  const strategies = told.rows('strategies').size
  say(quiet, `No action needed: ${counted(strategies, 'strategy runs', 'strategies run')}.`)
  // Screen readers announce the headings once.
  say(
    part('said'),
    concerns
      .map(({ title }) => title.replaceAll(/ for \d.*$/g, ''))
      .slice(0, 5)
      .join('. '),
  )
}

/**
 * @param {LineState} state
 * @param {number} lastAt Time of the last message, by this computer's clock; 0 for never.
 */
export function drawLine(state, lastAt) {
  const text = part('line-text')
  const isOpen = state.kind === 'open'
  dress(part('line'), isOpen ? 'dot open' : state.kind === 'waiting' ? 'dot waiting' : 'dot lost')
  document.documentElement.classList.toggle('old', !isOpen && lastAt > 0)
  for (const id of ['stop', 'resume']) part(id, HTMLButtonElement).disabled = !isOpen
  const closed = part('closed')
  closed.hidden = state.kind === 'open' || state.kind === 'waiting'
  if (state.kind === 'open') say(text, 'connected')
  if (state.kind === 'waiting') say(text, 'connecting')
  if (state.kind === 'lost') {
    say(text, `reconnecting, attempt ${state.tries}`)
    say(part('closed-title'), lastAt > 0 ? 'The bot does not answer' : 'No bot answers here')
    const since = lastAt > 0 ? `Last data: ${clock(lastAt)} UTC. ` : ''
    say(
      part('closed-text'),
      `${since}The bot has stopped or is starting. This page reconnects when the bot answers. Open orders stay at the venue. Start the bot with: rungs run`,
    )
  }
  if (state.kind === 'refused') {
    say(text, 'no access')
    say(part('closed-title'), 'The token is wrong')
    say(
      part('closed-text'),
      'The program at this address did not prove that it knows the token of this page. It is another program, or the bot of another folder. The token was not sent. Open the whole link that rungs dashboard prints: the token is the part after #.',
    )
  }
}
