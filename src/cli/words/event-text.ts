import { counted } from '#src/cli/words/text.ts'
import { styleText } from 'node:util'
import { moneyText } from '#src/core/money/decimal.ts'
import { printable } from '#src/operate/terminal/printable.ts'

/** An event in the form of the log. */
export type Said = { level: string; time: string; type: string } & Readonly<Record<string, unknown>>

const styles: Readonly<Record<string, 'dim' | 'yellow' | 'red'>> = {
  debug: 'dim',
  warn: 'yellow',
  error: 'red',
}
/** Longer names are rare. */
const typeWidth = 19
const aboutWidth = 20
const narrowest = 60
/** Fields with a place of their own; all others follow with their names. */
const placed = new Set([
  'level',
  'time',
  'type',
  'at',
  'strategy',
  'ladder',
  'rung',
  'order',
  'market',
  'side',
  // The reason of the pause names this time.
  'until',
])
const sentences = ['reason', 'message', 'change']

/** The width of a line: that of the terminal. Files and pipes have no limit. */
export function columnsOf(stream: { columns?: number }): number {
  return stream.columns ?? Number.POSITIVE_INFINITY
}

/** One line for people, cut at this width unless the whole text matters; colours are for terminals. */
export function eventText(event: Said, width: number): string {
  const { level, time, type } = event
  const { about, text: details } = wordsOf(event)
  const isNarrow = width < narrowest
  const parts = [
    `${time.slice(5, 19).replace('T', ' ')}Z`,
    (level === 'info' ? '' : level).padEnd(5),
    type.padEnd(typeWidth),
    about.padEnd(aboutWidth),
    details,
  ]
  // Columns would leave no room for their content.
  const line = isNarrow ? parts.map((part) => part.trimEnd()).filter(Boolean) : parts
  const text = printable(line.join(' ').trimEnd())
  const isWhole = isNarrow || level === 'warn' || level === 'error' || type === 'summary'
  const cut = text.length > width && !isWhole ? `${text.slice(0, width - 1)}…` : text
  const style = styles[level]
  return style === undefined ? cut : styleText(style, cut)
}

/** The summary of a run, in words. */
function summaryText(event: Said): string {
  const { reason, placed, absent, doubtful, result, fees, tookMs, agrees, difference, readAgeMs } = event
  if (reason !== undefined) return textOf(reason)
  const of = (name: string) => Number(event[name] ?? 0)
  return [
    counted(of('fills'), 'fill'),
    `${counted(of('accepted'), 'order')} accepted`,
    ...(of('refused') === 0 ? [] : [`${of('refused')} refused`]),
    ...(of('unknown') === 0 ? [] : [`${of('unknown')} unknown ${doubtText({ placed, absent, doubtful })}`]),
    ...(result === undefined ? [] : [`result ${moneyText(textOf(result))}`]),
    ...(fees === undefined ? [] : [`fees ${moneyText(textOf(fees))}`]),
    `took ${secondsText(tookMs)}`,
    ...(agrees === undefined
      ? []
      : [agrees === true ? 'bot and venue agree' : `bot and venue disagree: ${textOf(difference)}`]),
    // At a venue that does not answer any more, they agreed at the last reading.
    ...(readAgeMs === undefined ? [] : [`as read ${secondsText(readAgeMs)} earlier by the venue clock`]),
  ].join(', ')
}

/** Orders without an answer, and how that ended. */
export function doubtText(counts: { placed?: unknown; absent?: unknown; doubtful?: unknown }): string {
  const { placed, absent, doubtful } = counts
  if (placed === undefined) return 'resolved'
  const known = `${textOf(placed)} placed, ${textOf(absent)} absent`
  return Number(doubtful) === 0
    ? `resolved (${known}, none left)`
    : `(${known}, ${textOf(doubtful)} still unknown)`
}

function secondsText(ms: unknown): string {
  return `${(Number(ms) / 1000).toFixed(1)} s`
}

/** The subject of an event, and its other fields. */
export function wordsOf(event: Said): { about: string; text: string } {
  const about = [subject(event), textOf(event['market'])].filter(Boolean).join(' ')
  return { about, text: event.type === 'summary' ? summaryText(event) : rest(event) }
}

/** The subject of an event: an order by its id, which names the rest, else the names that are known. */
function subject(event: Said): string {
  const { order, strategy, ladder, rung } = event
  if (order !== undefined) return textOf(order)
  return [strategy, ladder, rung].map(textOf).filter(Boolean).join('.')
}

function rest(event: Said): string {
  const { side, amount, price } = event
  const deal = [textOf(side), textOf(amount), price === undefined ? '' : `at ${textOf(price)}`]
  const others = Object.entries(event)
    .filter(
      ([name]) => !placed.has(name) && !sentences.includes(name) && name !== 'amount' && name !== 'price',
    )
    .map(([name, value]) => `${name} ${textOf(value)}`)
  const said = sentences.map((name) => textOf(event[name]))
  return [deal.filter(Boolean).join(' '), ...others, ...said].filter(Boolean).join('  ')
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
