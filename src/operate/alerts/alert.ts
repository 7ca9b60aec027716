import { vocabulary, type BotEvent, type Level } from '#src/core/log-events/vocabulary.ts'
import { printable } from '#src/operate/terminal/printable.ts'

/** Something that a person should hear of, before anybody knows who. */
export type Alert = {
  /** What of the log, or which of the conditions below. */
  type: string
  level: Level
  /** Alerts of one cause are told once in a while. */
  cause: string
  title: string
  text: string
}

/** What is no event but a state that lasts, or the end of all events. */
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

/** Events that a person is told of unless he says otherwise, as far as their level goes. */
export const usualEvents = [
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

// oxlint-disable typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
export const conditionTypes = Object.keys(conditions) as (keyof typeof conditions)[]
/** All but that of an alert which was lost: it would be lost as well. */
export const eventTypes = (Object.keys(vocabulary) as BotEvent['type'][]).filter(
  (type) => type !== 'alert-lost',
)
// oxlint-enable typescript/no-unsafe-type-assertion

/** Together within what Telegram (4096 signs) and ntfy (4096 bytes) take as one message. */
const titleMost = 120
const textMost = 1000
/** Said in the title, or of no use to a person. */
const leftOut = new Set(['type', 'at', 'strategy', 'ladder', 'rung', 'order', 'message', 'reason'])
/** What tells one cause from another, beside type and strategy. Orders are not among them: they come in crowds. */
const causing = ['rule', 'market', 'feed', 'currency', 'file', 'code', 'kind']

/** An event as an alert. `line` is that event as JSON without secrets; what strangers wrote in it stays plain text. */
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
    cause: [type, strategy, ...causing.map((name) => event[name])].map(textOf).filter(Boolean).join(' '),
    title: cut([type, about.join('.')].filter(Boolean).join(' '), titleMost),
    text: cut([...said, ...others].join('\n'), textMost),
  }
}

/** The same of a condition; `of` tells it from others of its kind. */
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
