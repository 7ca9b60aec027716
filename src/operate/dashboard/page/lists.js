// Ladders, unknown outcomes, and the prices of positions and their exits, as text.

import { dress, itemsOf, made, part, say } from './page-parts.js'
import { age, exitTexts, plain, rounded } from './text.js'

/**
 * @template {import('./tables.js').TableName} Name
 * @typedef {import('./tables.js').RowOf<Name>} RowOf
 */

/**
 * @typedef {import('./tables.js').Told} Told
 * @typedef {import('./charts/price-levels.js').Level} Level
 */

const laddersMax = 100

/** @param {readonly (readonly [string, RowOf<'ladders'>])[]} rows */
export function drawLadders(rows) {
  const lines = rows.slice(0, laddersMax).map(([key, row]) => {
    const { goal, episode, anchor, rungs, resting, filled, missing, position, entry } = row
    const parts = [
      `${key}: ${goal}`,
      episode === 0 ? '' : `episode ${episode}`,
      anchor === null ? '' : `from ${plain(rounded(anchor))}`,
      rungs === 0 ? 'no rungs' : `${resting} of ${rungs} resting`,
      filled === 0 ? '' : `${filled} filled`,
      Number(position) === 0
        ? ''
        : `position ${plain(position)}${entry === null ? '' : ` from ${plain(rounded(entry))}`}`,
      missing ?? '',
    ]
    return { text: parts.filter(Boolean).join(' · '), tone: missing === null ? '' : 'warn' }
  })
  const left = rows.length - lines.length
  if (left > 0) lines.push({ text: `and ${left} more: choose a strategy`, tone: '' })
  for (const [item, { text, tone }] of itemsOf(part('ladders'), lines, () => made('li', ''))) {
    say(item, text)
    dress(item, tone)
  }
}

const doubtItem = () =>
  made('li', '', made('b', ''), made('span', ''), made('code', ''), made('span', 'muted'))

/**
 * Orders with unknown outcome, their age, and the command to resolve them manually.
 * @param {readonly (readonly [string, RowOf<'orders'>])[]} rows
 * @param {number} now
 */
export function drawDoubts(rows, now) {
  // The table has all of them first.
  for (const [item, [key, { doubtfulSince, why }]] of itemsOf(part('doubts'), rows.slice(0, 10), doubtItem)) {
    const [name, text, command, about] = item.children
    if (!name || !text || !command || !about) continue
    say(name, key)
    const since = doubtfulSince === null ? '' : ` unknown outcome for ${age(now - doubtfulSince)}`
    say(
      text,
      `${since}${why === null ? '' : `: ${why}`}. The bot is resolving it. To resolve it manually, check the venue, then run `,
    )
    // A command to copy into a shell.
    say(command, `rungs resolve ${/^[\w.-]+$/.test(key) ? key : 'ORDER'} live --reason 'seen at the venue'`)
    say(about, ', or dead if the venue does not list it.')
  }
}

/** More labels would hide each other. */
const levelsMax = 40

/**
 * The lines of the chart: entry prices, stops and targets of the positions in a market.
 * @param {Told} told
 * @param {string} market
 * @param {string} strategy Empty for all.
 * @returns {Level[]}
 */
export function levelsOf(told, market, strategy) {
  const isShown = (/** @type {{ market: string, strategy: string }} */ row) =>
    row.market === market && (strategy === '' || row.strategy === strategy)
  const name = (/** @type {string} */ text, /** @type {{ strategy: string }} */ row) =>
    strategy === '' && told.rows('strategies').size > 1 ? `${row.strategy} ${text}` : text
  const entries = [...told.rows('holdings').values()].flatMap((row) =>
    isShown(row) && row.entry !== null
      ? [{ price: row.entry, text: name('entry', row), tone: /** @type {const} */ ('accent') }]
      : [],
  )
  const exits = [...told.rows('exits').values()].filter(isShown).map((row) => ({
    price: row.price,
    text: name(exitTexts[row.kind] ?? row.kind, row),
    tone:
      row.kind === 'stop' || row.kind === 'trail'
        ? /** @type {const} */ ('loss')
        : /** @type {const} */ ('buy'),
  }))
  return [...entries, ...exits].slice(0, levelsMax)
}
