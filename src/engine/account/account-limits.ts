import type { Arithmetic } from '#src/core/money/bounded.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { Event } from '#src/engine/events.ts'
import { openOrdersOf, openOrdersOfStrategy } from '#src/engine/state/open-orders.ts'
import { mostOpened, openPart, type Exposures } from '#src/engine/risk/exposure.ts'
import type { AccountParts } from '#src/engine/rules/compiled-strategy.ts'
import { keptExact, type KeptExposures } from '#src/engine/risk/kept-exposure.ts'
import type { State, StrategyState, Together } from '#src/engine/state/state.ts'
import { fileOf } from '#src/engine/state/strategy-texts.ts'
import { dayOf } from '#src/engine/state/ticks.ts'

/** The market of an exposure whose market is unknown: it counts in every market. */
const anywhere = ''

/** Keeps the account as it was last read, and tells which parts that strategies read have changed. */
export function takeAccount(
  state: State,
  { equity, available, freeze, main }: Extract<Event, { kind: 'account' }>,
): AccountParts {
  const before = state.account
  state.account = { at: state.at, equity, available, freeze, main }
  return {
    equity: before?.equity !== equity,
    balances: !before || !areSame(before.available, available) || !areSame(before.main, main),
  }
}

function areSame(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after)
}

/** The exposure of strategies, by symbol. */
export type Others<N> = { open: number; notional: ReadonlyMap<string, N>; lost: N }

/** All strategies but this one, including those that do not run: their holdings and all orders that may fill. */
export function othersIn<N>(kept: KeptExposures<N>, state: State, name: string): Others<N> {
  const { a } = kept
  const { open: before = 0, notional = {}, lost: lostBefore = '0' } = state.elsewhere ?? {}
  const sums = new Map(Object.entries(notional).map(([market, money]) => [market, a.text(money)]))
  let [open, lost] = [before, a.text(lostBefore)]
  open += openOrdersOf(state).size - openOrdersOfStrategy(state, name).size
  for (const [other, own] of Object.entries(state.strategies)) {
    if (other === name) continue
    lost = a.plus(lost, lostToday(a, state, own))
    for (const [market, money] of moneyOf(kept, state, other, own))
      sums.set(market, a.plus(money, sums.get(market) ?? a.zero))
  }
  return { open, notional: sums, lost }
}

/** The same as text, for the journal. */
export function allBut(state: State, name: string): Together {
  const { open, notional, lost } = othersIn(keptExact, state, name)
  const texts = [...notional].map(([market, money]) => [market, money.toFixed()] as const)
  return { open, notional: Object.fromEntries(texts), lost: lost.toFixed() }
}

/** Negative if the strategy has gained; a strategy that does not run counts as 0. */
export function lostToday<N>(a: Arithmetic<N>, { at }: State, { worth }: StrategyState): N {
  return worth.day === dayOf(at) ? a.minus(a.text(worth.dayBegan), a.text(worth.result)) : a.zero
}

/** The sum for a cap of the account, which is `total` or a market. */
export function sumIn<N>(
  { plus, zero }: Arithmetic<N>,
  cap: string,
  money: Iterable<readonly [market: string, money: N]>,
): N {
  let sum = zero
  for (const [market, each] of money)
    if (cap === 'total' || cap === market || market === anywhere) sum = plus(sum, each)
  return sum
}

/** By symbol. If the file cannot be compiled any more, all holdings and orders count in every market. */
function moneyOf<N>(
  kept: KeptExposures<N>,
  state: State,
  name: string,
  own: StrategyState,
): (readonly [string, N])[] {
  const { a } = kept
  const strategy = fileOf(own)
  if (strategy) return moneyIn(a, state, strategy, kept.read(state, strategy))
  const costs = Object.values(own.holdings).map(({ cost }) => a.text(cost))
  const orders = [...openOrdersOfStrategy(state, name)]
  return [
    ...costs.map((cost) => a.max(cost, a.minus(a.zero, cost))),
    ...orders.map((order) => openPart(a, order, order.filled).money),
  ].map((money) => [anywhere, money] as const)
}

/** The possible exposure of each market by symbol; in the market of `by`, on the side of `by`. */
export function moneyIn<N>(
  a: Arithmetic<N>,
  state: State,
  { markets }: Strategy,
  exposures: Exposures<N>,
  by?: { market: string; side: 'buy' | 'sell' },
): (readonly [string, N])[] {
  return [...exposures].map(([market, exposure]) => {
    const symbol = markets[market]?.symbol ?? (state.venue.markets[market] ? market : anywhere)
    return [symbol, mostOpened(a, exposure, market === by?.market ? by.side : null)] as const
  })
}
