import type { Arithmetic } from '#src/core/money/bounded.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { moneyOfLimit } from '#src/strategy/file/capital.ts'
import type { EquityShare } from '#src/strategy/schema/quantities.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { dayEquityOf, knownEquity } from '#src/engine/account/equity.ts'
import { lostToday, moneyIn, sumIn } from '#src/engine/account/account-limits.ts'
import { investedOf } from '#src/engine/account/idle-money.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { AccountLimits } from '#src/engine/events.ts'
import { isFlatNow } from '#src/engine/exits/exit-prices.ts'
import { drawdownCapital, drawdownOf } from '#src/engine/holdings/profit-and-loss.ts'
import { rulesOf } from '#src/engine/rules/market-rules.ts'
import { pauseBest } from '#src/engine/rules/pauses.ts'
import type { State } from '#src/engine/state/state.ts'
import { mostMoney, mostOpened, worstLoss, type MarketExposure } from './exposure.ts'
import type { GateSums } from './gate-sums.ts'

/** The order whose side is measured in its market; without one, the larger side counts. */
export type Measured = { market: string; symbol: string; side: 'buy' | 'sell' }

/** A number, or a share: of the equity of the account, or of the capital of the strategy. */
export type LimitValue = Decimal | EquityShare | { ofCapital: Decimal }
export type Values = Readonly<Record<string, LimitValue | undefined>>

/** A limit of a strategy or of its account. */
export type Limit = {
  /** Its position in reports. */
  listed: number
  /** Its values by key, from the file of the strategy or the settings of the account; the key of a single value is empty. */
  most: (strategy: Strategy, account: Partial<AccountLimits>) => Values
  /** Current usage; undefined while it cannot be computed. */
  used: <N>(sums: GateSums<N>, key: string, by: Measured | undefined) => N | undefined
  /** The keys that an order is checked against, in this order. Without them the limit blocks no order: other code acts on it. */
  keys?: (by: Measured, all: readonly string[]) => readonly string[]
  /** Which drafts are checked. No limit blocks an exit that does not make its usage worse. */
  checks?: (draft: Pick<OrderDraft, 'role' | 'ioc' | 'activation'>) => boolean
  /**
   * `rising`: an order that does not increase the usage passes even beyond the limit. `above`: no order passes beyond the limit.
   * `reached`: no order passes at the limit either.
   */
  stops?: 'rising' | 'above' | 'reached'
  /** What it limits, if that is not money: an amount of the base currency, or a number, such as of orders. */
  measures?: 'amount' | 'number'
  /** Decimals of the usage in messages, rounded up. */
  digits?: number
  /** Unit after the value in messages. */
  unit?: (strategy: Strategy) => string
  /** What the usage is, in messages about a reached limit. */
  what?: string
  /** The message while the usage is unknown. */
  unknown?: { why: string; change: string }
  /** Whether it depends on the prices of all markets. */
  isPriced?: true
  /** Whether it depends on the result of the strategy. */
  isResult?: true
  /** A share of the equity counts from the equity at the start of the day. Default: from the current equity. */
  isOfDay?: true
  /** What would let the order pass, if a smaller order would not. */
  change?: (strategy: Strategy) => string
}

export const isEntry = ({ role }: Pick<OrderDraft, 'role'>): boolean => role === 'entry'
const single = (): readonly string[] => ['']
/** An order that changes nothing in the sum of a key passes. */
const everyKey = (_by: Measured, all: readonly string[]): readonly string[] => all
const none: Values = {}
const untilMidnight = (): string => 'the limit resets at 00:00 UTC'
const untilOneEnds = (): string => 'an open order must end first'

function valueOf(most: LimitValue | string | number | undefined): Values {
  if (most === undefined) return none
  return { '': typeof most === 'object' ? most : new Decimal(most) }
}

/** The parts of sums that do not depend on their arithmetic. */
export type AboutStrategy = Pick<GateSums<unknown>, 'state' | 'strategy' | 'own'>

/** The value of a limit now; undefined while the equity is unknown that it depends on. The risk gate records what it reads. */
export function mostNow({ isOfDay }: Limit, value: LimitValue, about: AboutStrategy): Decimal | undefined {
  if (Decimal.isDecimal(value)) return value
  const { state, strategy, own } = about
  if ('ofCapital' in value) return drawdownCapital(strategy, own?.worth)?.times(value.ofCapital)
  return moneyOfLimit(value, isOfDay ? dayEquityOf(own?.worth) : knownEquity(state))
}

/** Whether the value changes with each change of the equity. */
export function followsEquity({ isOfDay }: Limit, value: LimitValue): boolean {
  return isOfDay === undefined && !Decimal.isDecimal(value) && 'ofEquity' in value
}

function lostSince<N>(a: Arithmetic<N>, before = '0', result = '0'): N {
  return a.max(a.zero, a.minus(a.text(before), a.text(result)))
}

/** An order increases one side of its market, so that side counts. */
function notionalUsed<N>(
  { a, exposures }: GateSums<N>,
  key: string,
  by: Measured | undefined,
  group?: readonly string[],
): N {
  const sum = (of: (exposure: MarketExposure<N>, market: string) => N) => {
    let all = a.zero
    for (const [market, exposure] of exposures)
      if (group?.includes(market) !== false) all = a.plus(all, of(exposure, market))
    return all
  }
  const net = (side: 'buy' | 'sell') => sum((exposure) => mostMoney(a, exposure, side))
  const sideIn = (market: string) => (by && market === by.market ? by.side : null)
  if (key === 'total') return sum((exposure, market) => mostOpened(a, exposure, sideIn(market)))
  if (key === 'net') return by ? net(by.side) : a.max(net('buy'), net('sell'))
  const exposure = exposures.get(key)
  return exposure ? mostOpened(a, exposure, sideIn(key)) : a.zero
}

/** Whether a market has open orders, or a position that the venue would close. */
function isTaken<N>(
  state: State,
  strategy: Strategy,
  market: string,
  exposure: MarketExposure<N> | undefined,
): boolean {
  if (exposure === undefined || exposure.isEmpty) return false
  if (exposure.buy.least() !== undefined || exposure.sell.least() !== undefined) return true
  const { symbol = market } = strategy.markets[market] ?? {}
  const { position = '0' } = state.strategies[strategy.name]?.holdings[market] ?? {}
  const facts = state.venue.markets[symbol]
  return !facts || !isFlatNow(state, strategy, { position, symbol, market: rulesOf(facts) })
}

/** The value of each group of markets, as a limit on their sum or on their difference. */
function groupLimit(of: 'max_notional' | 'net', listed: number): Limit {
  return {
    listed,
    most: ({ risk: { groups = {} } }) =>
      Object.fromEntries(
        Object.entries(groups).flatMap(([name, { [of]: limit }]) => (limit ? [[name, limit] as const] : [])),
      ),
    used: (sums, group, by) => {
      const markets = sums.strategy.risk.groups?.[group]?.markets ?? []
      const isIn = by && markets.includes(by.market)
      return notionalUsed(sums, of === 'net' ? 'net' : 'total', isIn ? by : undefined, markets)
    },
    keys: everyKey,
    digits: 2,
  }
}

/** All limits, in the order in which an order is checked against them. */
export const limits = {
  max_open_orders: {
    listed: 3,
    measures: 'number',
    most: ({ risk }) => valueOf(risk.max_open_orders),
    used: ({ a, open }) => a.number(open),
    keys: single,
    // Protection is not left out for the number of orders.
    checks: ({ ioc, activation }) => !ioc && activation === undefined,
    stops: 'above',
    change: untilOneEnds,
  },
  order_rate: {
    listed: 4,
    measures: 'number',
    most: ({ risk: { order_rate: rate } }) => valueOf(rate?.orders),
    // Exits count as well: what they use is not available to entries.
    used: ({ a, sent }) => a.number(sent),
    keys: single,
    stops: 'above',
    unit: ({ risk: { order_rate: rate } }) => ` in ${rate?.per} ms`,
    change: ({ risk: { order_rate: rate } }) => `within ${rate?.per} ms there is room again`,
  },
  max_position: {
    listed: 2,
    measures: 'amount',
    most: ({ risk }) => risk.max_position ?? none,
    used: ({ a, exposures }, market, by) => {
      const exposure = exposures.get(market)
      return exposure ? mostOpened(a, exposure, by?.side ?? null, 'amount') : a.zero
    },
    keys: ({ market }) => [market],
  },
  max_notional: {
    listed: 1,
    most: ({ risk }) => risk.max_notional,
    used: notionalUsed,
    keys: ({ market }) => [market, 'total', 'net'],
    digits: 2,
  },
  'groups max_notional': groupLimit('max_notional', 14),
  'groups net': groupLimit('net', 15),
  'for_each active': {
    listed: 16,
    measures: 'number',
    most: ({ for_each: loops }) =>
      Object.fromEntries(
        Object.entries(loops).flatMap(([name, { active }]) =>
          active === undefined ? [] : [[name, new Decimal(active)] as const],
        ),
      ),
    used: ({ a, state, strategy, exposures }, loop) => {
      const { markets = {} } = strategy.for_each[loop] ?? {}
      const taken = Object.keys(markets).filter((market) =>
        isTaken(state, strategy, market, exposures.get(market)),
      )
      return a.number(taken.length)
    },
    keys: everyKey,
    change: () => 'another market of the loop must be flat first, without open orders',
  },
  per_week: {
    listed: 9,
    most: ({ risk }) => valueOf(risk.per_week),
    used: ({ entered }) => entered,
    keys: single,
    digits: 2,
  },
  'worst_case max_loss': {
    listed: 5,
    most: ({ risk }) => valueOf(risk.worst_case.max_loss),
    used: ({ a, exposures, priced }) => worstLoss(a, exposures, priced),
    keys: single,
    isPriced: true,
    digits: 2,
    unknown: { why: 'worst_case starts from a price that is unknown', change: 'a new quote resolves it' },
  },
  daily_loss: {
    listed: 8,
    most: ({ risk }) => valueOf(risk.daily_loss),
    used: ({ a, own }) => lostSince(a, own?.worth.dayBegan, own?.worth.result),
    keys: single,
    isResult: true,
    isOfDay: true,
    stops: 'reached',
    digits: 2,
    what: 'lost since 00:00 UTC',
    change: untilMidnight,
  },
  'drawdown pause': {
    listed: 6,
    most: ({ risk }) => valueOf({ ofCapital: risk.drawdown.pause.at }),
    used: ({ a, own }) => lostSince(a, own && pauseBest(own.worth), own?.worth.result),
  },
  'drawdown halt': {
    listed: 7,
    most: ({ risk }) => valueOf({ ofCapital: risk.drawdown.halt }),
    used: ({ a, own }) => a.text(own ? drawdownOf(own.worth).drawdown : '0'),
  },
  max_flex_per_day: {
    listed: 10,
    most: ({ risk }) => valueOf(risk.max_flex_per_day),
    used: ({ a, state, own }) => (own ? a.decimal(investedOf(state, own)) : a.zero),
  },
  'account max_open_orders': {
    listed: 12,
    measures: 'number',
    most: (_strategy, account) => valueOf(account.max_open_orders),
    used: ({ a, open, others }) => a.number(others.open + open),
    keys: single,
    checks: (draft) => isEntry(draft) && !draft.ioc,
    stops: 'above',
    change: untilOneEnds,
  },
  'account max_notional': {
    listed: 11,
    most: (_strategy, account) =>
      Object.fromEntries(
        Object.entries(account.max_notional ?? {}).map(([cap, most]) => [cap, new Decimal(most)]),
      ),
    used: ({ a, state, strategy, others, exposures }, cap, by) =>
      a.plus(sumIn(a, cap, others.notional), sumIn(a, cap, moneyIn(a, state, strategy, exposures, by))),
    keys: ({ symbol }, caps) => caps.filter((cap) => cap === 'total' || cap === symbol),
    digits: 2,
  },
  'account daily_loss': {
    listed: 13,
    most: (_strategy, account) => valueOf(account.daily_loss),
    used: ({ a, state, own, others }) => (own ? a.plus(lostToday(a, state, own), others.lost) : others.lost),
    keys: single,
    stops: 'reached',
    digits: 2,
    what: 'lost since 00:00 UTC',
    change: untilMidnight,
  },
} satisfies Record<string, Limit>

/** The name of the limit in messages and reports. */
export type LimitName = keyof typeof limits
