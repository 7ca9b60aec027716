import type { Fields } from './fields.ts'

/**
 * The log events: one name for each thing that happens. The lines of the log files, the events of the engine and the
 * output of `rungs run --json` are the same objects, so a name or a field never changes. Only listed fields can be
 * logged: the list allows fields, and forbids none.
 */

type FieldName = keyof Fields
export type Level = 'debug' | 'info' | 'warn' | 'error'
/** A question mark means that the field may be missing. A run shows a routine event only with `--verbose`. */
type Row = { level: Level; isRoutine?: true; fields: readonly (FieldName | `${FieldName}?`)[]; about: string }

const ofOrder = ['strategy', 'ladder', 'rung', 'order', 'market', 'side'] as const
const ofOutcomes = ['accepted', 'refused', 'unknown', 'placed?', 'absent?', 'doubtful?', 'fills'] as const
const ofResult = ['result?', 'fees?', 'strategies?', 'reason?'] as const
const ofLadder = ['strategy', 'ladder', 'market'] as const

export const vocabulary = {
  started: {
    level: 'info',
    fields: ['strategies', 'version?'],
    about:
      'A process has started. If orders were in flight when the last process ended, their outcome is unknown.',
  },
  'venue-ready': {
    level: 'info',
    fields: ['url', 'capabilities', 'orders'],
    about: 'The venue answers. `orders` is the maximum number of orders in a bulk.',
  },
  'leverage-differs': { level: 'warn', fields: ['reason'], about: 'The account may have another leverage.' },
  'leverage-set': { level: 'info', fields: ['leverage', 'reason'], about: 'The start has set the leverage.' },
  'dashboard-ready': {
    level: 'info',
    fields: ['url'],
    about: 'The dashboard listens at this address of this machine. `rungs dashboard` prints the whole link.',
  },
  'lease-waiting': {
    level: 'info',
    fields: ['holder'],
    about:
      'Another process of the fleet trades for the account. This standby follows it, and takes over when it ends.',
  },
  'lease-taken': {
    level: 'info',
    fields: ['epoch'],
    about: 'In the fleet, only this process may trade for the account, until it ends or loses the lease.',
  },
  'strategy-loaded': {
    level: 'info',
    isRoutine: true,
    fields: ['strategy', 'file?'],
    about: 'A strategy is valid and starts.',
  },
  'strategy-reloaded': {
    level: 'info',
    fields: ['strategy', 'file?'],
    about: 'The strategy file has changed and is valid. The bot uses the new version.',
  },
  'strategy-refused': {
    level: 'error',
    fields: ['strategy?', 'file?', 'problems', 'message'],
    about:
      'A strategy file is invalid. A running strategy keeps its old version; a new strategy does not start.',
  },
  'rule-fired': {
    level: 'info',
    fields: ['strategy', 'rule'],
    about: 'All conditions of the rule are true, and the bot executes its actions.',
  },
  'rule-missed': {
    level: 'warn',
    fields: ['strategy', 'rule', 'reason'],
    about: 'The bot could not act at a scheduled time of the rule, and now it is too late.',
  },
  'goal-changed': {
    level: 'info',
    isRoutine: true,
    fields: ['strategy', 'ladder', 'goal', 'rule?', 'reason?'],
    about: 'The goal of a ladder has changed. `goal` is the new goal: ensure, freeze, retire or none.',
  },
  'ladder-laid': {
    level: 'debug',
    fields: [...ofLadder, 'rungs', 'anchor?', 'episode?'],
    about: 'The bot has recomputed the prices and amounts of the rungs.',
  },
  'episode-opened': {
    level: 'info',
    isRoutine: true,
    fields: [...ofLadder, 'episode'],
    about:
      'An episode of a ladder starts. An anchor of the kind `at episode_start` stays fixed until the episode ends.',
  },
  'episode-closed': {
    level: 'info',
    fields: [...ofLadder, 'episode', 'result?'],
    about: 'An episode of a ladder has ended: the ladder has no position any more.',
  },
  'bulk-sent': {
    level: 'info',
    isRoutine: true,
    fields: ['strategy', 'chunk', 'orders', 'kind?'],
    about:
      'The bot sends a request with one or more orders. `orders` is the number of orders, and `chunk` is the ' +
      'number of the request. The journal already contains the orders.',
  },
  'order-accepted': {
    level: 'info',
    isRoutine: true,
    fields: [...ofOrder, 'price', 'amount', 'kind?'],
    about: 'The venue accepted the order.',
  },
  'order-refused': {
    level: 'warn',
    fields: [...ofOrder, 'code', 'message'],
    about: 'The venue has refused the order; `message` is its reason. The order does not exist.',
  },
  'order-would-take': {
    level: 'info',
    isRoutine: true,
    fields: [...ofOrder, 'price', 'code', 'message'],
    about:
      'The venue has refused a maker only order, because the order would execute at once. The bot sends an ' +
      'exit again at once, without maker only; `submit.on_cross` says when the bot sends an entry again.',
  },
  'order-not-attempted': {
    level: 'debug',
    fields: [...ofOrder],
    about:
      'The order was in a bulk. After an earlier order of the bulk failed, the venue did not try to place ' +
      'this order. The bot can send the order again later.',
  },
  'order-not-sent': {
    level: 'warn',
    fields: [...ofOrder, 'kind', 'reason'],
    about: 'The bot could not send the order. It can send the order again later.',
  },
  'order-unknown': {
    level: 'warn',
    fields: [...ofOrder, 'reason'],
    about: 'The outcome of the order is unknown. Until there is proof, each limit counts the order in full.',
  },
  'order-resolved': {
    level: 'info',
    fields: [...ofOrder, 'outcome', 'reason?'],
    about: 'The bot or an operator has resolved an unknown outcome: the order was placed or is absent.',
  },
  'order-canceled': {
    level: 'info',
    isRoutine: true,
    fields: [...ofOrder, 'filled?', 'reason?'],
    about: 'The bot has cancelled the order.',
  },
  'order-ended': {
    level: 'info',
    isRoutine: true,
    fields: [...ofOrder, 'filled', 'reason?'],
    about:
      'The order can no longer fill. `reason` says why, for example `filled`. After a cancel by the bot, the ' +
      'event is `order-canceled`.',
  },
  fill: {
    level: 'info',
    fields: [...ofOrder, 'amount', 'price', 'money', 'fee'],
    about: 'A part of an order was filled; `price` is the average of this part.',
  },
  'exit-armed': {
    level: 'info',
    isRoutine: true,
    fields: [...ofLadder, 'kind', 'rung?', 'side?', 'price?', 'amount?'],
    about:
      'The bot has decided to close a position, or a part of it. `kind` names the exit, such as `mirror` or ' +
      '`stop`.',
  },
  'exit-sent': {
    level: 'info',
    isRoutine: true,
    fields: [...ofOrder, 'kind', 'price', 'amount'],
    about: 'The bot sends an exit order for a position.',
  },
  'exit-too-small': {
    level: 'warn',
    fields: [...ofLadder, 'side', 'kind', 'reason'],
    about:
      'The bot cannot send an exit, because its notional is below the minimum of the market. Logged once.',
  },
  'risk-blocked': {
    level: 'warn',
    fields: ['strategy', 'ladder', 'rung', 'market', 'kind', 'reason', 'change?', 'order?', 'rule?'],
    about:
      'A limit blocks an order. `kind` names the limit or the check, such as `max_notional` or `price_band`, or ' +
      '`close daily_loss` if a rule closes no share. The bot logs the same kind for the same rung at most once in ten minutes.',
  },
  paused: {
    level: 'warn',
    fields: ['strategy', 'reason', 'rule?', 'until?'],
    about:
      'Entries are paused; exits work. If drawdown caused the pause, it ends at `until`, in Unix milliseconds.',
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
      'The strategy has halted. The bot cancels the open entries of the strategy, and places no new entries ' +
      'until an operator runs `rungs resume`. `exits` says whether exits work.',
  },
  flattened: {
    level: 'warn',
    fields: ['strategy', 'message'],
    about: 'All positions of a strategy are closed, or what remains is below the minimum of the market.',
  },
  stopped: {
    level: 'warn',
    fields: ['reason', 'exits?'],
    about:
      'An operator has stopped all strategies, or the start has found open orders that the journal does not know. The ' +
      'bot places no new entries until an operator runs `rungs resume`. `exits` says whether exits work.',
  },
  alert: {
    level: 'warn',
    fields: ['message', 'strategy?', 'rule?', 'ladder?', 'order?', 'market?'],
    about: 'A rule or the bot asks the operator to act.',
  },
  drift: {
    level: 'error',
    fields: ['message', 'strategy?', 'order?', 'market?', 'currency?'],
    about: 'Venue and bot disagree about orders, balances, positions or fills.',
  },
  'stream-connected': {
    level: 'info',
    isRoutine: true,
    fields: ['feed?', 'url?'],
    about: 'The stream is connected and subscribed to all channels.',
  },
  'stream-lost': {
    level: 'warn',
    fields: ['reason', 'feed?', 'url?'],
    about: 'The stream has disconnected or has missed messages. The bot reconnects.',
  },
  'feed-stale': {
    level: 'warn',
    fields: ['market?', 'feed', 'ageMs', 'strategy?'],
    about:
      'A value is too old (stale), and no new value has come for ten seconds. The strategy does not act on this value. ' +
      'If the feed has no value yet, the age counts from the start of the process.',
  },
  'signal-received': { level: 'info', fields: ['signal', 'value'], about: 'A value of a signal has come.' },
  'signal-refused': { level: 'warn', fields: ['reason'], about: 'A text sets no signal, see `reason`.' },
  'flex-invested': {
    level: 'info',
    fields: ['strategy', 'currency', 'amount', 'outcome', 'message?'],
    about:
      'The bot has sent a request to invest idle money in a flexible savings plan of the venue. `outcome` ' +
      'is the outcome of this request: accepted, refused or unknown.',
  },
  'kill-switch-refreshed': {
    level: 'debug',
    fields: ['market?'],
    about:
      'The bot has refreshed the kill switch (a timer at the venue). If the refreshes end, the venue ' +
      'cancels the orders of the bot.',
  },
  'journal-snapshot': {
    level: 'debug',
    fields: ['records', 'bytes?', 'tookMs?'],
    about: 'The bot has stored its whole state in the journal. The next start continues from this state.',
  },
  'alert-lost': {
    level: 'warn',
    fields: ['target', 'alerts', 'reason'],
    about: 'The bot could not send alerts to a target of `--alerts`. `alerts` is the number of lost alerts.',
  },
  error: {
    level: 'error',
    fields: ['kind', 'code', 'message', 'where?', 'strategy?', 'order?', 'market?'],
    about: 'An unexpected error has occurred.',
  },
  summary: {
    level: 'info',
    fields: [...ofOutcomes, 'tookMs', 'agrees?', 'difference?', 'readAgeMs?', ...ofResult],
    about: 'The result of the run. This is the last line.',
  },
} as const satisfies Record<string, Row>

type EventType = keyof typeof vocabulary
type NameOf<Type extends EventType> = (typeof vocabulary)[Type]['fields'][number]
type Missable<Name> = Name extends `${infer Bare extends FieldName}?` ? Bare : never

/** One event. `at` is the time of the venue, in milliseconds. */
export type BotEvent = {
  [Type in EventType]: { type: Type; at: number } & {
    [Name in Extract<NameOf<Type>, FieldName>]: Fields[Name]
  } & { [Name in Missable<NameOf<Type>>]?: Fields[Name] | undefined }
}[EventType]
