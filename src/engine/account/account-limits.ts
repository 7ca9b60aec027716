import { Decimal } from '#src/core/money/decimal.ts'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { Event } from '#src/engine/events.ts'
import { openOrdersOf } from '#src/engine/state/open-orders.ts'
import { dayLost, exceeded, openedEither, type GateSums } from '#src/engine/risk/limits.ts'
import type { LimitBlock } from '#src/engine/risk/order-checks.ts'
import { marketOf, mostOpened, openOf, exposuresOf, type Exposures } from '#src/engine/risk/exposure.ts'
import type { Order, State, StrategyState, Together } from '#src/engine/state/state.ts'
import { dayOf } from '#src/engine/holdings/profit-and-loss.ts'

/** Where what nobody can tell the market of counts: in every one. */
const anywhere = ''

/** What the account has, as it was read. */
export function takeAccount(
  state: State,
  { equity, available, freeze, main }: Extract<Event, { kind: 'account' }>,
): void {
  state.account = { at: state.at, equity, available, freeze, main }
}

/** All strategies but this one, also those that do not run: what they hold, and all of their orders that may fill. */
export function allBut(state: State, name: string | null): Together {
  const { open = 0, notional = {}, lost: before = '0' } = state.elsewhere ?? {}
  const sums = new Map(Object.entries(notional).map(([market, money]) => [market, new Decimal(money)]))
  const orders = [...openOrdersOf(state).values()].filter(({ strategy }) => strategy !== name)
  const byStrategy = Map.groupBy(orders, ({ strategy }) => strategy)
  let lost = new Decimal(before)
  for (const [other, own] of Object.entries(state.strategies)) {
    if (other === name) continue
    lost = lost.plus(lostToday(state, own))
    for (const [market, money] of moneyOf(state, own, byStrategy.get(other) ?? []))
      sums.set(market, money.plus(sums.get(market) ?? 0))
  }
  return {
    open: open + orders.length,
    notional: Object.fromEntries([...sums].map(([market, money]) => [market, money.toFixed()])),
    lost: lost.toFixed(),
  }
}

/** Below zero where it has gained; one that does not run is not known to lose. */
function lostToday({ at }: State, { worth }: StrategyState): Decimal {
  return worth.day === dayOf(at) ? new Decimal(worth.dayBegan).minus(worth.result) : new Decimal(0)
}

/** The first limit of the account that this order would break, as `limitBroken` for those of its strategy. */
export function accountBroken(
  state: State,
  strategy: Strategy,
  draft: OrderDraft,
  others: Together,
  before: GateSums,
  after: GateSums,
): LimitBlock | undefined {
  const {
    max_notional: caps = {},
    max_open_orders: most = Infinity,
    daily_loss: daily,
  } = state.venue.limits ?? {}
  const open = others.open + after.open
  if (!draft.ioc && open > most)
    return {
      why: `account max_open_orders ${most} would be ${open} with this order`,
      change: 'an open order must end first',
    }
  const own = marketOf(strategy, draft)
  for (const [cap, money] of Object.entries(caps)) {
    if (cap !== 'total' && cap !== draft.market) continue
    // An order makes one side of its market larger, so that is where it is measured.
    const of = ({ stakes }: GateSums) =>
      [...moneyIn(state, strategy, stakes, (market) => (market === own ? draft.side : null))].reduce(
        (sum, [market, opened]) => (isIn(cap, market) ? sum.plus(opened) : sum),
        usedOf(others, cap),
      )
    const block = exceeded(`account max_notional ${cap}`, new Decimal(money), () => of(before), of(after), 2)
    if (block) return block
  }
  const mine = state.strategies[strategy.name]
  const lost = mine ? lostToday(state, mine).plus(others.lost) : new Decimal(others.lost)
  return daily === undefined || lost.lt(daily) ? undefined : dayLost('account daily_loss', daily, lost)
}

/** Of a cap of the account, by its name: `total` or a market. */
export function usedOf({ notional }: Together, cap: string): Decimal {
  return Object.entries(notional).reduce(
    (sum, [market, money]) => (isIn(cap, market) ? sum.plus(money) : sum),
    new Decimal(0),
  )
}

function isIn(cap: string, market: string): boolean {
  return cap === 'total' || cap === market || market === anywhere
}

/** By market of the venue. Of a file that is none any more, all that is held and ordered counts, in whatever market. */
function moneyOf(state: State, own: StrategyState, orders: readonly Order[]): [string, Decimal][] {
  const strategy = fileOf(own)
  if (strategy) return moneyIn(state, strategy, exposuresOf(state, strategy, orders), () => null)
  return [
    ...Object.values(own.holdings).map(({ cost }) => new Decimal(cost).abs()),
    ...orders.map((order) => openOf(order).money),
  ].map((money) => [anywhere, money])
}

function moneyIn(
  state: State,
  { markets }: Strategy,
  stakes: Exposures,
  sideIn: (market: string) => 'buy' | 'sell' | null,
): [string, Decimal][] {
  return [...stakes].map(([market, stake]) => {
    const side = sideIn(market)
    const symbol = markets[market]?.symbol ?? (state.venue.markets[market] ? market : anywhere)
    return [symbol, side === null ? openedEither(stake) : mostOpened(stake, side)]
  })
}

const fileByState = new WeakMap<StrategyState, { text: string; strategy: Strategy | null }>()

function fileOf(own: StrategyState): Strategy | null {
  const { text } = own
  let known = fileByState.get(own)
  if (known?.text !== text) {
    const found = readStrategyText(text)
    fileByState.set(own, (known = { text, strategy: Array.isArray(found) ? null : found.strategy }))
  }
  return known.strategy
}
