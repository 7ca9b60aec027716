import type { Fields } from './fields.ts'

/**
 * The words of the log: what the bot has to say, one name for each thing that happens. The lines of the log files, the
 * notes of the engine and what `rungs run --json` prints are the same objects, so a name or a field is never changed.
 * Only what stands here can be logged: fields are allowed by name, none is left out by name.
 */

type FieldName = keyof Fields
export type Level = 'debug' | 'info' | 'warn' | 'error'
/** A mark of interrogation says that the field may be missing. */
type Row = { level: Level; fields: readonly (FieldName | `${FieldName}?`)[]; about: string }

const ofOrder = ['strategy', 'ladder', 'rung', 'order', 'market', 'side'] as const
const ofLadder = ['strategy', 'ladder', 'market'] as const

export const vocabulary = {
  started: {
    level: 'info',
    fields: ['strategies', 'version?'],
    about:
      'A process has started. Orders that were in flight when the last process ended have an unknown outcome.',
  },
  'venue-ready': {
    level: 'info',
    fields: ['url', 'capabilities', 'orders'],
    about: 'The venue answers; `orders` is the maximum number of orders in a bulk.',
  },
  'dashboard-ready': {
    level: 'info',
    fields: ['url'],
    about: 'The dashboard listens at this address of this machine; rungs dashboard prints the whole link.',
  },
  'strategy-loaded': {
    level: 'info',
    fields: ['strategy', 'file?'],
    about: 'A strategy is valid and starts.',
  },
  'strategy-reloaded': {
    level: 'info',
    fields: ['strategy', 'file?'],
    about: 'The strategy file has changed and is valid: the new version is active.',
  },
  'strategy-refused': {
    level: 'error',
    fields: ['strategy?', 'file?', 'problems', 'message'],
    about: 'A file is invalid; the strategy stays unchanged, or does not start.',
  },
  'rule-fired': {
    level: 'info',
    fields: ['strategy', 'rule'],
    about: 'The rule is true, with all its conditions on time, and its actions take effect.',
  },
  'rule-missed': {
    level: 'warn',
    fields: ['strategy', 'rule', 'reason'],
    about: 'A scheduled time was missed, and it is too late to act.',
  },
  'goal-changed': {
    level: 'info',
    fields: ['strategy', 'ladder', 'goal', 'rule?', 'reason?'],
    about: 'The goal of a ladder changed: ensure, freeze, retire or none.',
  },
  'ladder-laid': {
    level: 'debug',
    fields: [...ofLadder, 'rungs', 'anchor?', 'episode?'],
    about: 'Prices and amounts of the rungs were recomputed.',
  },
  'episode-opened': {
    level: 'info',
    fields: [...ofLadder, 'episode'],
    about: 'An episode of a ladder starts; its anchor may be frozen until the episode ends.',
  },
  'episode-closed': {
    level: 'info',
    fields: [...ofLadder, 'episode', 'result?'],
    about: 'An episode of a ladder ends: its position is flat.',
  },
  'bulk-sent': {
    level: 'info',
    fields: ['strategy', 'chunk', 'orders', 'kind?'],
    about: 'A chunk of orders is sent in one request; the journal already holds it.',
  },
  'order-accepted': {
    level: 'info',
    fields: [...ofOrder, 'price', 'amount', 'kind?'],
    about: 'The venue accepted the order.',
  },
  'order-refused': {
    level: 'warn',
    fields: [...ofOrder, 'code', 'message'],
    about: 'The venue refused the order, with its message; the order does not exist.',
  },
  'order-would-take': {
    level: 'info',
    fields: [...ofOrder, 'price', 'code', 'message'],
    about: 'The order is maker only and would take: the venue refused it, and the bot places it again.',
  },
  'order-not-attempted': {
    level: 'debug',
    fields: [...ofOrder],
    about: 'The bulk stopped before the order; the bot may send it again.',
  },
  'order-not-sent': {
    level: 'warn',
    fields: [...ofOrder, 'kind', 'reason'],
    about: 'The order was not sent; the bot may send it again.',
  },
  'order-unknown': {
    level: 'warn',
    fields: [...ofOrder, 'reason'],
    about:
      'The outcome of the order is unknown: it counts in full against all limits until the outcome is proved.',
  },
  'order-resolved': {
    level: 'info',
    fields: [...ofOrder, 'outcome', 'reason?'],
    about: 'An unknown outcome was resolved, by proof or by an operator: placed or absent.',
  },
  'order-canceled': {
    level: 'info',
    fields: [...ofOrder, 'filled?', 'reason?'],
    about: 'The bot cancelled the order.',
  },
  'order-ended': {
    level: 'info',
    fields: [...ofOrder, 'filled', 'reason?'],
    about: 'The order is no longer open: filled, or ended by the venue.',
  },
  fill: {
    level: 'info',
    fields: [...ofOrder, 'amount', 'price', 'money', 'fee'],
    about: 'A part of an order was filled; `price` is the average of this part.',
  },
  'exit-armed': {
    level: 'info',
    fields: [...ofLadder, 'kind', 'rung?', 'side?', 'price?', 'amount?'],
    about: 'An exit of a position is active.',
  },
  'exit-sent': {
    level: 'info',
    fields: [...ofOrder, 'kind', 'price', 'amount'],
    about: 'An exit order of a position is sent.',
  },
  'exit-too-small': {
    level: 'warn',
    fields: [...ofLadder, 'side', 'kind', 'reason'],
    about: 'An exit cannot be sent: its notional is below the minimum of the market. Logged once.',
  },
  'risk-blocked': {
    level: 'warn',
    fields: ['strategy', 'ladder', 'rung', 'market', 'reason', 'change?', 'order?'],
    about: 'A limit blocks an order. Logged once in ten minutes for each rung and reason.',
  },
  paused: {
    level: 'warn',
    fields: ['strategy', 'reason', 'rule?', 'until?'],
    about: 'Entries are paused; exits work. A pause by drawdown ends at `until`, in Unix milliseconds.',
  },
  resumed: {
    level: 'info',
    fields: ['strategy?', 'reason?', 'rule?'],
    about: 'A pause, a halt or a stop has ended.',
  },
  halted: {
    level: 'error',
    fields: ['strategy', 'reason', 'exits?', 'rule?'],
    about:
      'Entries of this strategy stop until an operator resumes it, and its open entries are cancelled; `exits` tells ' +
      'whether exits work.',
  },
  flattened: {
    level: 'warn',
    fields: ['strategy', 'message'],
    about: 'All positions of a strategy are closed; or the rest is below the minimum of the market.',
  },
  stopped: {
    level: 'warn',
    fields: ['reason', 'exits?'],
    about:
      'Entries of all strategies stop until an operator resumes them; exits work unless they are frozen.',
  },
  alert: {
    level: 'warn',
    fields: ['message', 'strategy?', 'rule?', 'ladder?', 'order?', 'market?'],
    about: 'An operator should act: a rule or the bot requests it.',
  },
  drift: {
    level: 'error',
    fields: ['message', 'strategy?', 'order?', 'market?', 'currency?'],
    about: 'Venue and bot disagree: external orders, balances, positions or fills.',
  },
  'stream-connected': {
    level: 'info',
    fields: ['feed?', 'url?'],
    about: 'The stream is connected and subscribed to all channels.',
  },
  'stream-lost': {
    level: 'warn',
    fields: ['reason', 'feed?', 'url?'],
    about: 'The stream disconnected or had a gap; the bot reconnects.',
  },
  'feed-stale': {
    level: 'warn',
    fields: ['market', 'feed', 'ageMs', 'strategy?'],
    about: 'A value is older than its limit: it is stale, and a strategy never acts on it.',
  },
  'flex-invested': {
    level: 'info',
    fields: ['strategy', 'currency', 'amount', 'outcome', 'message?'],
    about: 'The bot offered idle money to a flex plan: accepted, refused or unknown.',
  },
  'kill-switch-refreshed': {
    level: 'debug',
    fields: ['market?'],
    about: 'Heartbeat of the kill switch: the venue cancels the orders of the bot when it stops.',
  },
  'journal-snapshot': {
    level: 'debug',
    fields: ['records', 'bytes?', 'tookMs?'],
    about: 'The whole state was stored: the next start continues from it.',
  },
  'alert-lost': {
    level: 'warn',
    fields: ['target', 'alerts', 'reason'],
    about: 'Alerts to a target of `--alerts` failed; `alerts` is their number.',
  },
  error: {
    level: 'error',
    fields: ['kind', 'code', 'message', 'where?', 'strategy?', 'order?', 'market?'],
    about: 'An unexpected error.',
  },
  summary: {
    level: 'info',
    fields: [
      'accepted',
      'refused',
      'unknown',
      'placed?',
      'absent?',
      'doubtful?',
      'fills',
      'tookMs',
      'agrees?',
      'readAgeMs?',
      'result?',
      'fees?',
      'strategies?',
      'reason?',
    ],
    about: 'Result of the run: the last line.',
  },
} as const satisfies Record<string, Row>

type EventType = keyof typeof vocabulary
type NameOf<Type extends EventType> = (typeof vocabulary)[Type]['fields'][number]
type Missable<Name> = Name extends `${infer Bare extends FieldName}?` ? Bare : never

/** One thing that happened. `at` is the time of the venue, in milliseconds. */
export type BotEvent = {
  [Type in EventType]: { type: Type; at: number } & {
    [Name in Extract<NameOf<Type>, FieldName>]: Fields[Name]
  } & { [Name in Missable<NameOf<Type>>]?: Fields[Name] | undefined }
}[EventType]
