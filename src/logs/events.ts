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
    about: 'A process has begun; whatever was on its way when the last one ended is in doubt.',
  },
  'venue-ready': {
    level: 'info',
    fields: ['url', 'capabilities', 'orders'],
    about: 'The venue answers; `orders` fit into one bulk there.',
  },
  'dashboard-ready': {
    level: 'info',
    fields: ['url'],
    about:
      'An operator is listened to at this address of this machine; rungs dashboard gives the whole link.',
  },
  'strategy-loaded': {
    level: 'info',
    fields: ['strategy', 'file?'],
    about: 'A strategy has passed every check and takes part.',
  },
  'strategy-reloaded': {
    level: 'info',
    fields: ['strategy', 'file?'],
    about: 'Its file has changed and passed every check: the new one acts from here on.',
  },
  'strategy-refused': {
    level: 'error',
    fields: ['strategy?', 'file?', 'problems', 'message'],
    about: 'A file has mistakes; the strategy stays as it was, or does not start.',
  },
  'rule-fired': {
    level: 'info',
    fields: ['strategy', 'rule'],
    about: 'All that the rule waits for is true, and its actions count.',
  },
  'rule-missed': {
    level: 'warn',
    fields: ['strategy', 'rule', 'reason'],
    about: 'A time of its schedule went by, and it is too late to make up for it.',
  },
  'goal-changed': {
    level: 'info',
    fields: ['strategy', 'ladder', 'goal', 'rule?', 'reason?'],
    about: 'What is wanted of a ladder: ensure, freeze, retire or none.',
  },
  'ladder-laid': {
    level: 'debug',
    fields: [...ofLadder, 'rungs', 'anchor?', 'episode?'],
    about: 'The prices and amounts of its rungs have been counted out anew.',
  },
  'episode-opened': {
    level: 'info',
    fields: [...ofLadder, 'episode'],
    about: 'A ladder begins; its anchor may be frozen for as long.',
  },
  'episode-closed': {
    level: 'info',
    fields: [...ofLadder, 'episode', 'result?'],
    about: 'A ladder has left all that it held.',
  },
  'bulk-sent': {
    level: 'info',
    fields: ['strategy', 'chunk', 'orders', 'kind?'],
    about: 'A chunk of orders leaves in one call; it is in the journal already.',
  },
  'order-accepted': {
    level: 'info',
    fields: [...ofOrder, 'price', 'amount', 'kind?'],
    about: 'The venue has taken the order.',
  },
  'order-refused': {
    level: 'warn',
    fields: [...ofOrder, 'code', 'message'],
    about: 'The venue has said no, in its own words; the order does not exist.',
  },
  'order-would-take': {
    level: 'info',
    fields: [...ofOrder, 'price', 'code', 'message'],
    about: 'It must rest and would have taken: the venue did not let it rest, and it is placed again.',
  },
  'order-not-attempted': {
    level: 'debug',
    fields: [...ofOrder],
    about: 'Its bulk stopped before it; it may be sent again.',
  },
  'order-not-sent': {
    level: 'warn',
    fields: [...ofOrder, 'kind', 'reason'],
    about: 'Not a byte of it left; it may be sent again.',
  },
  'order-unknown': {
    level: 'warn',
    fields: [...ofOrder, 'reason'],
    about: 'It may exist or not: it counts in full until that is proved.',
  },
  'order-resolved': {
    level: 'info',
    fields: [...ofOrder, 'outcome', 'reason?'],
    about: 'A doubt has ended, by proof or by an operator: placed or absent.',
  },
  'order-canceled': {
    level: 'info',
    fields: [...ofOrder, 'filled?', 'reason?'],
    about: 'We have taken it back.',
  },
  'order-ended': {
    level: 'info',
    fields: [...ofOrder, 'filled', 'reason?'],
    about: 'It rests no more: filled, or ended by the venue.',
  },
  fill: {
    level: 'info',
    fields: [...ofOrder, 'amount', 'price', 'money', 'fee'],
    about: 'A part of an order was executed; `price` is the average of this part.',
  },
  'exit-armed': {
    level: 'info',
    fields: [...ofLadder, 'kind', 'rung?', 'side?', 'price?', 'amount?'],
    about: 'A way out of a position stands ready.',
  },
  'exit-sent': {
    level: 'info',
    fields: [...ofOrder, 'kind', 'price', 'amount'],
    about: 'An order that leaves a position goes out.',
  },
  'exit-too-small': {
    level: 'warn',
    fields: [...ofLadder, 'side', 'kind', 'reason'],
    about:
      'An exit cannot be sent: at its price the whole position is worth less than the market takes. Logged once.',
  },
  'risk-blocked': {
    level: 'warn',
    fields: ['strategy', 'ladder', 'rung', 'market', 'reason', 'change?', 'order?'],
    about: 'A limit blocks an order. Logged once in ten minutes for each rung and reason.',
  },
  paused: {
    level: 'warn',
    fields: ['strategy', 'reason', 'rule?', 'until?'],
    about: 'No entries are placed; exits are. A pause by drawdown ends at `until`, in Unix milliseconds.',
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
      'No entry of this strategy leaves until an operator resumes it, and those at rest are cancelled; `exits` says ' +
      'whether its exits work.',
  },
  flattened: {
    level: 'warn',
    fields: ['strategy', 'message'],
    about: 'All that a strategy held was closed; or what is left is less than its market takes.',
  },
  stopped: {
    level: 'warn',
    fields: ['reason', 'exits?'],
    about: 'No entry of any strategy leaves until an operator resumes; exits work, unless they are frozen.',
  },
  alert: {
    level: 'warn',
    fields: ['message', 'strategy?', 'rule?', 'ladder?', 'order?', 'market?'],
    about: 'Somebody should look: a rule says so, or the bot does.',
  },
  drift: {
    level: 'error',
    fields: ['message', 'strategy?', 'order?', 'market?', 'currency?'],
    about: 'The venue and the bot do not agree: foreign orders, balances, positions, progress.',
  },
  'stream-connected': {
    level: 'info',
    fields: ['feed?', 'url?'],
    about: 'Frames come in, and all channels are subscribed to.',
  },
  'stream-lost': {
    level: 'warn',
    fields: ['reason', 'feed?', 'url?'],
    about: 'The connection broke or had a gap; it is made again.',
  },
  'feed-stale': {
    level: 'warn',
    fields: ['market', 'feed', 'ageMs', 'strategy?'],
    about: 'What is older than its limit is unknown, and unknown never acts.',
  },
  'flex-invested': {
    level: 'info',
    fields: ['strategy', 'currency', 'amount', 'outcome', 'message?'],
    about: 'Idle money was offered to a flex plan: accepted, refused or unknown.',
  },
  'kill-switch-refreshed': {
    level: 'debug',
    fields: ['market?'],
    about: 'The venue takes our orders back by itself if this stops coming.',
  },
  'journal-snapshot': {
    level: 'debug',
    fields: ['records', 'bytes?', 'tookMs?'],
    about: 'The state was stored as a whole: a start goes on from here.',
  },
  'alert-lost': {
    level: 'warn',
    fields: ['target', 'alerts', 'reason'],
    about: 'Somebody named by `--alerts` could not be told of so many alerts.',
  },
  error: {
    level: 'error',
    fields: ['kind', 'code', 'message', 'where?', 'strategy?', 'order?', 'market?'],
    about: 'Something failed that should not.',
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
    about: 'What the run came to: the last line of it.',
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
