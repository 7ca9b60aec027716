import { Decimal } from '#src/core/money/decimal.ts'
import { capitalOf } from '#src/strategy/file/capital.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { allBut, usedOf } from '#src/engine/account/account-limits.ts'
import { investedOf } from '#src/engine/account/idle-money.ts'
import { openOrdersOf } from '#src/engine/state/open-orders.ts'
import { pauseBest } from '#src/engine/rules/pauses.ts'
import { tallyOf } from './risk-gate.ts'
import { mostAmount, mostEither, mostMoney, worstLoss, type MarketExposure } from './exposure.ts'
import type { State } from '#src/engine/state/state.ts'
import { drawdownOf } from '#src/engine/holdings/profit-and-loss.ts'

/** How much of a limit is used. Null is what cannot be known, such as a loss from a price that is unknown. */
export type LimitUsage = { limit: string; used: string | null; most: string }

/**
 * Every limit of a strategy that is used up by what it does, beside what is used of it by now; then those of the account.
 * What is not: how far from the price an order may be, and how long there may be silence or doubt.
 */
export function limitUsageOf(state: State, strategy: Strategy): LimitUsage[] {
  const { risk, name } = strategy
  const orders = [...openOrdersOf(state).values()].filter((order) => order.strategy === name)
  const { stakes, open, sent, entered } = tallyOf(state, strategy, orders, true)
  const all = [...stakes.values()]
  const sum = (of: (stake: MarketExposure) => Decimal) =>
    all.reduce((total, each) => total.plus(of(each)), zero)
  const at = (market: string, of: (stake: MarketExposure) => Decimal) => {
    const stake = stakes.get(market)
    return stake ? of(stake) : zero
  }
  const notional = Object.entries(risk.max_notional).map(([key, most]) => {
    const used =
      key === 'total'
        ? sum(mostEither)
        : key === 'net'
          ? Decimal.max(
              sum((stake) => mostMoney(stake, 'buy')),
              sum((stake) => mostMoney(stake, 'sell')),
            )
          : at(key, mostEither)
    return margin(`max_notional ${key}`, used, most)
  })
  const positions = Object.entries(risk.max_position ?? {}).map(([market, most]) =>
    margin(`max_position ${market}`, at(market, mostHeld), most),
  )
  const own = state.strategies[name]
  const lostSince = (before: string | undefined) =>
    Decimal.max(zero, new Decimal(before ?? 0).minus(own?.worth.result ?? 0))
  const from = (best: string | undefined, share: Decimal) =>
    [lostSince(best), share.times(capitalOf(strategy))] as const
  const { order_rate: rate, daily_loss: daily, per_week: weekly, max_flex_per_day: flex, drawdown } = risk
  return [
    ...notional,
    ...positions,
    margin('max_open_orders', new Decimal(open), new Decimal(risk.max_open_orders)),
    ...(rate ? [margin('order_rate', new Decimal(sent), new Decimal(rate.orders))] : []),
    margin('worst_case max_loss', worstLoss(stakes), risk.worst_case.max_loss),
    margin('drawdown pause', ...from(own && pauseBest(own.worth), drawdown.pause.at)),
    margin(
      'drawdown halt',
      own ? new Decimal(drawdownOf(own.worth).drawdown) : zero,
      drawdown.halt.times(capitalOf(strategy)),
    ),
    ...(daily ? [margin('daily_loss', lostSince(own?.worth.dayBegan), daily)] : []),
    ...(weekly ? [margin('per_week', entered, weekly)] : []),
    ...(flex ? [margin('max_flex_per_day', own ? investedOf(state.at, own) : zero, flex)] : []),
    ...accountMargins(state),
  ]
}

function accountMargins(state: State): LimitUsage[] {
  const { limits } = state.venue
  if (!limits) return []
  const all = allBut(state, null)
  const { max_open_orders: orders, max_notional: caps, daily_loss: daily } = limits
  return [
    ...Object.entries(caps).map(([cap, most]) =>
      margin(`account max_notional ${cap}`, usedOf(all, cap), new Decimal(most)),
    ),
    ...(orders === undefined
      ? []
      : [margin('account max_open_orders', new Decimal(all.open), new Decimal(orders))]),
    ...(daily === undefined
      ? []
      : [margin('account daily_loss', Decimal.max(zero, all.lost), new Decimal(daily))]),
  ]
}

const zero = new Decimal(0)

function mostHeld(stake: MarketExposure): Decimal {
  return Decimal.max(mostAmount(stake, 'buy'), mostAmount(stake, 'sell'))
}

function margin(limit: string, used: Decimal | undefined, most: Decimal): LimitUsage {
  return { limit, used: used?.toDecimalPlaces(8).toFixed() ?? null, most: most.toFixed() }
}
