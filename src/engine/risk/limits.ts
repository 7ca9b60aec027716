import { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { LimitBlock } from './order-checks.ts'
import {
  marketOf,
  mostMoney,
  mostOpened,
  mostOpenedAmount,
  worstLoss,
  type MarketExposure,
  type Exposures,
} from './exposure.ts'
import type { State } from '#src/engine/state/state.ts'

/** What the gate adds up as it goes: all that may fill, what is open, what was sent and spent lately. */
export type GateSums = { stakes: Exposures; open: number; sent: number; entered: Decimal }

/**
 * The first limit that this order would break. A limit that is broken already, because it was lowered or something was
 * resolved, holds back what makes it worse, and nothing else.
 */
export function limitBroken(
  state: State,
  strategy: Strategy,
  draft: OrderDraft,
  before: GateSums,
  after: GateSums,
): LimitBlock | undefined {
  const crowded = openBroken(strategy, draft, after)
  // What leaves a position makes none of the others worse, and must not be kept from it by them.
  if (crowded || draft.role === 'exit') return crowded
  return (
    rateBroken(strategy, after) ??
    moneyBroken(strategy, draft, before, after) ??
    lossBroken(state, strategy, before, after)
  )
}

function openBroken({ risk }: Strategy, draft: OrderDraft, { open }: GateSums): LimitBlock | undefined {
  const { max_open_orders: most } = risk
  if (draft.ioc || open <= most) return undefined
  return {
    why: `max_open_orders ${most} would be ${open} with this order`,
    change: 'an open order must end first',
  }
}

/** Exits count as well: what they have used up is not there for entries. */
function rateBroken({ risk: { order_rate: rate } }: Strategy, tally: GateSums): LimitBlock | undefined {
  if (!rate || tally.sent <= rate.orders) return undefined
  const why = `order_rate ${rate.orders} in ${rate.per} ms would be ${tally.sent} with this order`
  return { why, change: `within ${rate.per} ms there is room again` }
}

/** An order makes one side of its market larger, so that is where it is measured. */
function moneyBroken(
  strategy: Strategy,
  draft: OrderDraft,
  before: GateSums,
  after: GateSums,
): LimitBlock | undefined {
  const { max_notional: notional, max_position: position, per_week: perWeek } = strategy.risk
  const { side } = draft
  const market = marketOf(strategy, draft)
  const over = (what: string, most: Decimal | undefined, of: (tally: GateSums) => Decimal, digits?: number) =>
    most && exceeded(what, most, () => of(before), of(after), digits)
  const here = (of: typeof mostOpened) => (tally: GateSums) => {
    const stake = tally.stakes.get(market)
    return stake ? of(stake, side) : new Decimal(0)
  }
  const sum = (of: (stake: MarketExposure, name: string) => Decimal) => (tally: GateSums) =>
    [...tally.stakes].reduce((sum, [name, stake]) => sum.plus(of(stake, name)), new Decimal(0))
  const total = sum((stake, name) => (name === market ? mostOpened(stake, side) : openedEither(stake)))
  const net = sum((stake) => mostMoney(stake, side))
  return (
    over(`max_position ${market}`, position?.[market], here(mostOpenedAmount)) ??
    over(`max_notional ${market}`, notional[market], here(mostOpened), 2) ??
    over('max_notional total', notional['total'], total, 2) ??
    over('max_notional net', notional['net'], net, 2) ??
    over('per_week', perWeek, ({ entered }) => entered, 2)
  )
}

export function openedEither(stake: MarketExposure): Decimal {
  return Decimal.max(mostOpened(stake, 'buy'), mostOpened(stake, 'sell'))
}

function lossBroken(
  state: State,
  { name, risk }: Strategy,
  before: GateSums,
  after: GateSums,
): LimitBlock | undefined {
  const loss = worstLoss(after.stakes)
  if (!loss)
    return { why: 'worst_case starts from a price that is unknown', change: 'a new quote resolves it' }
  const most = risk.worst_case.max_loss
  const worst = exceeded('worst_case max_loss', most, () => worstLoss(before.stakes) ?? loss, loss, 2)
  const worth = state.strategies[name]?.worth
  const { daily_loss: mostToday } = risk
  if (worst || !mostToday || !worth) return worst
  const lost = new Decimal(worth.dayBegan).minus(worth.result)
  return lost.lt(mostToday) ? undefined : dayLost('daily_loss', mostToday.toFixed(), lost)
}

export function dayLost(what: string, most: string, lost: Decimal): LimitBlock {
  return {
    why: `${what} ${most} is reached: ${lost.toFixed(2, Decimal.ROUND_UP)} lost since 00:00 UTC`,
    change: 'the limit resets at 00:00 UTC',
  }
}

/** What is printed is never less than what it stands for: so much less would really fit. */
export function exceeded(
  what: string,
  most: Decimal,
  before: () => Decimal,
  after: Decimal,
  digits?: number,
): LimitBlock | undefined {
  if (after.lte(most) || after.lte(before())) return undefined
  const text = (number: Decimal) =>
    digits === undefined ? number.toFixed() : number.toFixed(digits, Decimal.ROUND_UP)
  return {
    why: `${what} ${most.toFixed()} would be ${text(after)} with this order`,
    change: `${text(after.minus(most))} less is within the limit`,
  }
}
