import { Decimal } from '#src/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema.ts'
import type { Draft } from './commands.ts'
import type { Block } from './risk-order.ts'
import { marketOf, mostLong, mostPosition, mostShort, worstLoss, type Stake, type Stakes } from './stakes.ts'
import type { State } from './state.ts'

/** What the gate adds up as it goes: all that may fill, what is open, what was sent and spent lately. */
export type Tally = { stakes: Stakes; open: number; sent: number; entered: Decimal }

/** The first limit that this order would break, with all that the tally holds: itself among it. */
export function limitBroken(state: State, strategy: Strategy, draft: Draft, tally: Tally): Block | undefined {
  const counted = countBroken(strategy, draft, tally)
  // What leaves a position makes none of the others worse, and must not be kept from it by them.
  if (counted || draft.role === 'exit') return counted
  return moneyBroken(strategy, draft, tally) ?? lossBroken(state, strategy, tally)
}

function countBroken({ risk }: Strategy, draft: Draft, tally: Tally): Block | undefined {
  const { max_open_orders: most, order_rate: rate } = risk
  if (!draft.ioc && tally.open > most) {
    const why = `max_open_orders ${most} would be ${tally.open} with this order`
    return { why, change: 'one of them must end first' }
  }
  if (!rate || tally.sent <= rate.orders) return undefined
  const why = `order_rate ${rate.orders} in ${rate.per} ms would be ${tally.sent} with this order`
  return { why, change: `within ${rate.per} ms there is room again` }
}

function moneyBroken(strategy: Strategy, draft: Draft, { stakes, entered }: Tally): Block | undefined {
  const { max_notional: notional, max_position: position, per_week: perWeek } = strategy.risk
  const market = marketOf(strategy, draft)
  const stake = stakes.get(market)
  if (!stake) throw new Error('the tally is without the order that it is for')
  const sum = (of: (each: Stake) => Decimal) =>
    [...stakes.values()].reduce((total, each) => total.plus(of(each)), new Decimal(0))
  return (
    over(`max_position ${market}`, position?.[market], () => mostPosition(stake)) ??
    over(`max_notional ${market}`, notional[market], () => either(stake), 2) ??
    over('max_notional total', notional['total'], () => sum(either), 2) ??
    over('max_notional net', notional['net'], () => Decimal.max(sum(mostLong), sum(mostShort)), 2) ??
    over('per_week', perWeek, () => entered, 2)
  )
}

function lossBroken(state: State, { name, risk }: Strategy, { stakes }: Tally): Block | undefined {
  const loss = worstLoss(stakes)
  if (!loss)
    return { why: 'worst_case begins from a price that is unknown', change: 'a new quote lets it go on' }
  const worst = over('worst_case max_loss', risk.worst_case.max_loss, () => loss, 2)
  const worth = state.strategies[name]?.worth
  const { daily_loss: most } = risk
  if (worst || !most || !worth) return worst
  const lost = new Decimal(worth.dayBegan).minus(worth.result)
  if (lost.lt(most)) return undefined
  return {
    why: `daily_loss ${most.toFixed()} is used up: ${lost.toFixed(2, Decimal.ROUND_UP)} lost since midnight UTC`,
    change: 'the next day begins anew',
  }
}

/** What is printed is never less than what it stands for: so much less would really fit. */
function over(
  what: string,
  most: Decimal | undefined,
  found: () => Decimal,
  digits?: number,
): Block | undefined {
  if (!most) return undefined
  const value = found()
  if (value.lte(most)) return undefined
  const text = (number: Decimal) =>
    digits === undefined ? number.toFixed() : number.toFixed(digits, Decimal.ROUND_UP)
  return {
    why: `${what} ${most.toFixed()} would be ${text(value)} with this order`,
    change: `${text(value.minus(most))} less would fit`,
  }
}

function either(stake: Stake): Decimal {
  return Decimal.max(mostLong(stake), mostShort(stake))
}
