import { Decimal } from '#src/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema.ts'
import { allBut, usedOf } from './account.ts'
import { living } from './living.ts'
import { mostAmount, mostEither, mostMoney, stakesOf, worstLoss, type Stake } from './stakes.ts'
import type { State } from './state.ts'

/** How much of a limit is used. Null is what cannot be known, such as a loss from a price that is unknown. */
export type Margin = { limit: string; used: string | null; most: string }

/** Every limit of a strategy that counts money, amounts or orders, beside what is used of it by now; then the account's. */
export function marginsOf(state: State, strategy: Strategy): Margin[] {
  const { risk, name } = strategy
  const orders = [...living(state).values()].filter((order) => order.strategy === name)
  const stakes = stakesOf(state, strategy, orders)
  const all = [...stakes.values()]
  const sum = (of: (stake: Stake) => Decimal) => all.reduce((total, each) => total.plus(of(each)), zero)
  const at = (market: string, of: (stake: Stake) => Decimal) => {
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
  const worth = state.strategies[name]?.worth
  const lost = worth && new Decimal(worth.dayBegan).minus(worth.result)
  return [
    ...notional,
    ...positions,
    margin('max_open_orders', new Decimal(orders.length), new Decimal(risk.max_open_orders)),
    margin('worst_case max_loss', worstLoss(stakes), risk.worst_case.max_loss),
    ...(risk.daily_loss ? [margin('daily_loss', lost && Decimal.max(zero, lost), risk.daily_loss)] : []),
    ...accountMargins(state),
  ]
}

function accountMargins(state: State): Margin[] {
  const { limits } = state.venue
  if (!limits) return []
  const all = allBut(state, null)
  const { max_open_orders: orders, max_notional: caps } = limits
  return [
    ...Object.entries(caps).map(([cap, most]) =>
      margin(`account max_notional ${cap}`, usedOf(all, cap), new Decimal(most)),
    ),
    ...(orders === undefined
      ? []
      : [margin('account max_open_orders', new Decimal(all.open), new Decimal(orders))]),
  ]
}

const zero = new Decimal(0)

function mostHeld(stake: Stake): Decimal {
  return Decimal.max(mostAmount(stake, 'buy'), mostAmount(stake, 'sell'))
}

function margin(limit: string, used: Decimal | undefined, most: Decimal): Margin {
  return { limit, used: used?.toDecimalPlaces(8).toFixed() ?? null, most: most.toFixed() }
}
