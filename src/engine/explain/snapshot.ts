import type { Readings } from '#src/market/indicators/indicator-values.ts'
import { beginLadder, beginRule, beginStrategy } from '#src/engine/state/initial-state.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { allBut } from '#src/engine/account/account-limits.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { AccountLimits, MarketFacts } from '#src/engine/events.ts'
import { isStarting } from '#src/engine/state/session.ts'
import { areOrdersPaused } from '#src/engine/orders/order-pause.ts'
import { openOrdersOf } from '#src/engine/state/open-orders.ts'
import type { Drift } from '#src/engine/state/drift.ts'
import { readExitLabel } from '#src/strategy/schema/exit-labels.ts'
import { followsFills } from '#src/strategy/schema/ladder-schema.ts'
import { newOrder } from '#src/engine/orders/new-order.ts'
import type {
  Account,
  LadderState,
  Order,
  RuleState,
  RungState,
  State,
  StrategyState,
  Together,
} from '#src/engine/state/state.ts'

/**
 * The inputs of the decision about a ladder, cut out of the state: enough to repeat it and no more, since most of a journal are
 * explanations. Each part holds only the differences from its usual values.
 */
export type StateSnapshot = Pick<
  State,
  'at' | 'quotes' | 'futures' | 'depth' | 'trades' | 'stopped' | 'pausedUntil' | 'freedAt'
> & {
  markets: Record<string, MarketFacts>
  canCancel: boolean
  account: Pick<Account, 'equity' | 'available' | 'main'> | null
  lacking: Drift['lacking']
  /** The start of the session, shortly after it, if a loop chooses among its markets. */
  beganAt?: number
  /** If the account has limits: those, and the exposure of the other strategies. */
  limits?: AccountLimits
  elsewhere?: Together
  /** The numbers of chunks in flight. */
  chunks: string[]
  /** Open orders by id. */
  orders: Record<string, Partial<Order>>
  own: Partial<Omit<StrategyState, 'ladders' | 'rules'>> & {
    rules: Record<string, Partial<RuleState>>
    ladders: Record<string, Partial<Omit<LadderState, 'rungs'>> & { rungs: Partial<RungState>[] }>
  }
}

const noDraft: OrderDraft = {
  id: '',
  strategy: '',
  ladder: '',
  level: '',
  generation: 0,
  role: 'entry',
  market: '',
  side: 'buy',
  positionSide: 'LONG',
  price: '',
  amount: '',
  postOnly: false,
  ioc: false,
  rpi: false,
}
/** The usual values of an open order. */
export const usualOrder: Order = { ...newOrder(noDraft, { at: 0 }), status: 'resting' }
export const usualRung: RungState = {
  level: '',
  side: 'buy',
  price: '',
  amount: '',
  order: null,
  held: null,
  wait: { count: 0, until: 0 },
}
const ofOrder = [
  ...(['ladder', 'level', 'role', 'market', 'side', 'positionSide', 'price', 'amount'] as const),
  ...([
    'ioc',
    'status',
    'refusals',
    'filled',
    'armed',
    'isFormer',
    'activation',
    'restsSince',
    'rungPrice',
    'why',
  ] as const),
] as const
const ofRung = ['level', 'side', 'price', 'amount', 'order', 'held', 'resize', 'crossed', 'wait'] as const
const ofRule = ['trueSince', 'firedAt'] as const
const ofLadder = [
  'goal',
  'openedAt',
  'isDue',
  'anchor',
  'filled',
  'held',
  'left',
  'frozen',
  'omitted',
  'missing',
  'writtenOff',
] as const
const ofStrategy = ['pauses', 'halted', 'worth', 'throttled'] as const
/** No limit reads older spending, and no expression older fills. */
const spentMs = 7 * 86_400_000
const filledMs = 60_000

export function snapshotOf(
  state: State,
  { name, strategy, futures, depth, trades, candidates, canCancel }: Compiled,
  own: StrategyState,
): StateSnapshot {
  const { at, quotes, account, stopped, drift, freedAt } = state
  const symbols = new Set(Object.values(strategy.markets).map(({ symbol }) => symbol))
  const isOfIt = (symbol: string) => symbols.has(symbol)
  const orders: StateSnapshot['orders'] = {}
  for (const order of openOrdersOf(state).values())
    if (order.strategy === name) orders[order.id] = unusual(order, usualOrder, ofOrder)
  const chunks = Object.entries(state.chunks).filter(([, chunk]) => chunk.strategy === name)
  const { submit, risk } = strategy
  const sentMs = Math.max(submit.rate.per, risk.order_rate?.per ?? 0)
  return {
    at,
    stopped,
    ...(areOrdersPaused(state) && { pausedUntil: state.pausedUntil }),
    ...(freedAt !== undefined && Object.values(own.ladders).some(isBounded) && { freedAt }),
    ...(candidates.length > 0 && isStarting(state) && { beganAt: state.session?.beganAt ?? 0 }),
    canCancel,
    markets: some(state.venue.markets, isOfIt),
    quotes: copyOf(some(quotes, isOfIt)),
    ...(state.futures &&
      futures.length > 0 && {
        futures: copyOf(some(state.futures, (key) => futures.some(({ symbol }) => symbol === key))),
      }),
    ...(state.depth &&
      depth.length > 0 && {
        depth: copyOf(some(state.depth, (key) => depth.some((each) => each.key === key))),
      }),
    ...(state.trades && trades.length > 0 && { trades: tradesSeen(state.trades, trades) }),
    account: account && { equity: account.equity, available: account.available, main: account.main },
    lacking: { ...drift.lacking },
    ...(state.venue.limits && { limits: copyOf(state.venue.limits), elsewhere: allBut(state, name) }),
    chunks: chunks.map(([chunk]) => chunk),
    orders,
    own: {
      ...unusual(own, beginStrategy(''), ofStrategy),
      rules: mapped(own.rules, (rule) => unusual(rule, beginRule(), ofRule)),
      holdings: mapped(own.holdings, ({ position, cost, entry, realized, fees, fills }) => ({
        position,
        cost,
        entry,
        realized,
        fees,
        fills: fills.filter((fill) => fill.at > at - filledMs),
      })),
      spent: risk.per_week === undefined ? [] : own.spent.filter((spent) => spent.at > at - spentMs),
      sends: own.sends.filter((sent) => sent.at > at - sentMs),
      ...(own.signals && { signals: copyOf(own.signals) }),
      feeds: mapped(own.feeds, (known) => ({ ...known, readings: read(known.readings) })),
      ladders: Object.fromEntries(
        Object.entries(own.ladders).map(([ladder, mine]) => {
          const file = strategy.ladder[ladder]
          return [ladder, ladderSeen(mine, at, file !== undefined && followsFills(file))]
        }),
      ),
    },
  }
}

/** Only the sums that the strategy reads: no decision reads the single seconds. */
function tradesSeen(
  received: NonNullable<State['trades']>,
  feeds: Compiled['trades'],
): NonNullable<State['trades']> {
  const spansOf = (key: string) =>
    feeds.flatMap(({ symbol, spans }) => (symbol === key ? spans.map(String) : []))
  const own = some(received, (key) => feeds.some(({ symbol }) => symbol === key))
  return Object.fromEntries(
    Object.entries(own).map(([key, trades]) => {
      const windows = copyOf(some(trades.windows, (span) => spansOf(key).includes(span)))
      return [key, { ...trades, seconds: [], windows }]
    }),
  )
}

function ladderSeen(
  ladder: LadderState,
  at: number,
  isFollowing: boolean,
): StateSnapshot['own']['ladders'][string] {
  const { rungs, generations, open, exits } = ladder
  const levels = new Set(rungs.map(({ level }) => level))
  const isRung = (level: string) => levels.has(level)
  return {
    ...unusual(ladder, beginLadder(), ofLadder),
    ...(exits.leave !== null && { exits: { ...beginLadder().exits, leave: exits.leave } }),
    generations: some(generations, isRung),
    // A ladder that follows fills waits for the end of orders that are no longer of a rung.
    open: some(open, (label) => isRung(label) || (isFollowing && readExitLabel(label) === null)),
    rungs: rungs.map((rung) =>
      unusual(isWaiting(rung, at) ? rung : { ...rung, wait: usualRung.wait }, usualRung, ofRung),
    ),
  }
}

function isBounded({ rungs }: LadderState): boolean {
  return rungs.some(({ wait }) => wait.bound !== undefined)
}

function isWaiting({ wait: { until, bound } }: RungState, at: number): boolean {
  return until > at || bound !== undefined
}

/** Copies of the parts that differ from the usual values. */
function unusual<Value extends object, Key extends keyof Value>(
  value: Value,
  usual: Value,
  keys: readonly Key[],
): Partial<Pick<Value, Key>> {
  const found: Partial<Pick<Value, Key>> = {}
  for (const key of keys) {
    const [now, before] = [value[key], usual[key]]
    if (now === before) continue
    if (typeof now !== 'object' || JSON.stringify(now) !== JSON.stringify(before)) found[key] = copyOf(now)
  }
  return found
}

/** Copies plain data, such as the state, several times as fast as `structuredClone`. */
function copyOf<Value>(value: Value): Value
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => copyOf(each))
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = { ...value }
  for (const key in copy) if (typeof copy[key] === 'object') copy[key] = copyOf(copy[key])
  return copy
}

/** The values of indicators, without their internal state. */
function read(readings: Readings): Readings {
  return copyOf({
    ...readings,
    running: mapped(readings.running, (reading) => ({ ...reading, state: null })),
  })
}

function mapped<Value, Result>(
  all: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, map(value)]))
}

function some<Value>(all: Record<string, Value>, isWanted: (key: string) => boolean): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => isWanted(key)))
}
