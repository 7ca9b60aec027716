import { vocabulary, type BotEvent, type Level } from '#src/core/log-events/vocabulary.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { keysOf } from '#src/core/objects/objects.ts'

/** A notification for people, before it is routed to targets. */
export type Alert = {
  /** A log event, or one of the conditions below. */
  type: string
  level: Level
  /** Alerts of one cause are grouped. */
  cause: string
  title: string
  text: string
}

/** Alerts that no log event reports: states that last, and the end of the process. */
export const conditions = {
  'doubt-lasts': {
    level: 'error',
    about: 'An order has had an unknown outcome for longer than `after.doubt`.',
  },
  'stream-silent': { level: 'warn', about: 'No stream was connected for longer than `after.stream`.' },
  'account-unread': { level: 'error', about: 'The account was not read for longer than `after.account`.' },
  'daily-loss': { level: 'error', about: 'A strategy has reached its daily_loss.' },
  'process-ended': { level: 'info', about: 'The process has ended as requested.' },
  'process-failed': { level: 'error', about: 'The process has ended because of an error.' },
} as const satisfies Record<string, { level: Level; about: string }>

/** Events that targets accept by default, subject to their level. */
export const defaultEvents = [
  'started',
  'strategy-refused',
  'rule-missed',
  'paused',
  'resumed',
  'halted',
  'flattened',
  'stopped',
  'alert',
  'drift',
  'feed-stale',
  'error',
] as const satisfies readonly BotEvent['type'][]

export type AlertType = BotEvent['type'] | keyof typeof conditions

export const conditionTypes = keysOf(conditions)
/** All but `alert-lost`: its alert would be lost as well. */
export const eventTypes = keysOf(vocabulary).filter((type) => type !== 'alert-lost')

/** Together they fit into one message of Telegram (4096 characters) and ntfy (4096 bytes). */
const titleMost = 120
const textMost = 1000
/** Fields that the title contains, or that are of no use to a person. */
const leftOut = new Set(['type', 'at', 'strategy', 'ladder', 'rung', 'order', 'message', 'reason'])
/** Fields that distinguish causes, besides type and strategy. Orders are not among them: there are too many. */
const causeFields = ['rule', 'market', 'feed', 'currency', 'file', 'code', 'kind']

/** `line` is the event as JSON without secrets. Text from outside stays plain text. */
export function alertOf(type: BotEvent['type'], line: string): Alert {
  const event: Readonly<Record<string, unknown>> = JSON.parse(line)
  const { strategy, ladder, rung, order, message, reason } = event
  const about = order === undefined ? [strategy, ladder, rung].map(textOf).filter(Boolean) : [textOf(order)]
  const said = [message, reason].map(textOf).filter(Boolean)
  const others = Object.entries(event)
    .filter(([name]) => !leftOut.has(name))
    .map(([name, value]) => `${name} ${textOf(value)}`)
  return {
    type,
    level: vocabulary[type].level,
    cause: [type, strategy, ...causeFields.map((name) => event[name])].map(textOf).filter(Boolean).join(' '),
    title: cut([type, about.join('.')].filter(Boolean).join(' '), titleMost),
    text: cut([...said, ...others].join('\n'), textMost),
  }
}

/** `of` distinguishes conditions of one type. */
export function conditionAlert(type: keyof typeof conditions, of: string, text: string): Alert {
  const { level } = conditions[type]
  return {
    type,
    level,
    cause: `${type} ${of}`,
    title: cut([type, printable(of)].filter(Boolean).join(' '), titleMost),
    text: cut(printable(text), textMost),
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'string' ? printable(value) : JSON.stringify(value)
}
