import { Decimal } from '#src/core/money/decimal.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import { nearestNumber } from '#src/core/money/units.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { closableBy } from '#src/engine/exits/closable.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { MarketFacts } from '#src/engine/events.ts'
import { standstill } from '#src/engine/rules/halts.ts'
import { timeText } from '#src/engine/rules/pauses.ts'
import { receivedAt, priceOf, staleAfterMs } from '#src/engine/state/prices.ts'
import type { Order, State } from '#src/engine/state/state.ts'

/** A double here is off by far less than this share of the numbers it was made of, and limits are met with more than it. */
export const relativeTolerance = 1e-9

/** What stands in the way of an order, and the smallest change that would remove it. */
export type LimitBlock = { why: string; change: string }

type Check = (
  state: State,
  strategy: Strategy,
  draft: OrderDraft,
  doubtful: readonly Order[],
  /** Drafts that were checked before it and pass. */
  approved: readonly OrderDraft[],
) => LimitBlock | undefined

/** The first thing that stands in the way of this order whatever its size and whatever else is at stake. */
export const openBlock: Check = (state, strategy, draft, doubtful, approved) =>
  firstOf(
    draft.role === 'entry' ? [...always, ...forEntries] : always,
    state,
    strategy,
    draft,
    doubtful,
    approved,
  )

/** What stands in the way of any entry like this one: of its ladder, for its market and its side. */
export const ladderBlock = (state: State, strategy: Strategy, draft: OrderDraft): LimitBlock | undefined =>
  firstOf(ofLadder, state, strategy, draft, [], [])

function firstOf(checks: readonly Check[], ...about: Parameters<Check>): LimitBlock | undefined {
  for (const check of checks) {
    const block = check(...about)
    if (block) return block
  }
  return undefined
}

const halt: Check = (state, { name }, { role }) => standstill(state, name, role)

/** What could not be left again is not entered. */
const positions: Check = (state, { name }, draft, _doubtful, approved) => {
  const why = draft.role === 'entry' ? lackIn(state, draft) : uncovered(state, name, draft, approved)
  return why === undefined ? undefined : { why, change: 'it continues when the positions agree again' }
}

function lackIn({ drift }: State, { market }: OrderDraft): string | undefined {
  const lack = drift.lacking[market]?.why
  return lack === undefined ? undefined : `positions: ${lack}`
}

function uncovered(
  state: State,
  strategy: string,
  draft: OrderDraft,
  approved: readonly OrderDraft[],
): string | undefined {
  const own = state.strategies[strategy]?.ladders[draft.ladder]
  const closable = closableBy(state, draft, own, approved)
  return closable?.most.lt(draft.amount) === true ? closable.why : undefined
}

const allowed: Check = (state, { markets, ladder }, draft) => {
  const own = markets[ladder[draft.ladder]?.market ?? '']
  const side = own?.positionSide === 'short' ? 'SHORT' : 'LONG'
  if (own?.symbol === draft.market && side === draft.positionSide) return undefined
  const change = 'a strategy trades only the markets of its file'
  return { why: `${draft.market} ${draft.positionSide} is not the market of ${draft.ladder}`, change }
}

const ownId: Check = (state, _strategy, draft) => {
  const known = state.orders[draft.id]
  const isSame =
    known?.status !== 'ended' &&
    (['market', 'side', 'positionSide', 'price', 'amount'] as const).every(
      (key) => known?.[key] === draft[key],
    )
  if (!known || isSame) return undefined
  return { why: `${draft.id} was another order`, change: 'the next order of the level may be placed' }
}

const venueRules: Check = (state, _strategy, draft) => {
  const facts = state.venue.markets[draft.market]
  if (!facts)
    return { why: `the venue does not list ${draft.market}`, change: 'the bot trades only listed markets' }
  return surelyTaken(facts, draft) ? undefined : numbersBlock(draft, facts)
}

/** Its numbers, if they are so far from every limit of the venue that doubles prove them to be within. None says nothing. */
export function surelyTaken(
  facts: MarketFacts | undefined,
  draft: OrderDraft,
): { price: number; amount: number } | undefined {
  if (!facts) return undefined
  const price = nearestNumber(draft.price, facts.priceDigits)
  const amount = nearestNumber(draft.amount, facts.amountDigits)
  const total = price * amount
  const { minAmount, minTotal, maxTotal } = limitsOf(facts)
  // What was no number fits nowhere.
  const isTaken = price > 0 && below(minAmount, amount) && below(minTotal, total) && below(total, maxTotal)
  return isTaken ? { price, amount } : undefined
}

type Limits = { minAmount: number; minTotal: number; maxTotal: number }
const limitsByMarket = new WeakMap<MarketFacts, Limits>()

/** Of a market, which is asked for with every order. */
function limitsOf(facts: MarketFacts): Limits {
  let limits = limitsByMarket.get(facts)
  if (!limits) {
    const [minAmount, minTotal] = [Number(facts.minAmount), Number(facts.minTotal)]
    limits = { minAmount, minTotal, maxTotal: Number(facts.maxTotal) }
    limitsByMarket.set(facts, limits)
  }
  return limits
}

export function below(least: number, most: number): boolean {
  return least < most * (1 - relativeTolerance)
}

function numbersBlock({ price, amount, market }: OrderDraft, facts: MarketFacts): LimitBlock | undefined {
  if (!fits(price, facts.priceDigits))
    return {
      why: `${price} is not a valid price of ${market}`,
      change: `it may have at most ${facts.priceDigits} decimals`,
    }
  if (!fits(amount, facts.amountDigits))
    return {
      why: `${amount} is not a valid amount of ${market}`,
      change: `it may have at most ${facts.amountDigits} decimals`,
    }
  const total = new Decimal(amount).times(price)
  if (new Decimal(amount).lt(facts.minAmount))
    return {
      why: `${amount} is below the minimum amount of ${market}`,
      change: `the minimum is ${facts.minAmount}`,
    }
  if (total.lt(facts.minTotal))
    return {
      why: `${total.toFixed()} is below the minimum notional of ${market}`,
      change: `the minimum is ${facts.minTotal}`,
    }
  if (total.gt(facts.maxTotal))
    return {
      why: `${total.toFixed()} is above the maximum notional of ${market}`,
      change: `the maximum is ${facts.maxTotal}`,
    }
  return undefined
}

function fits(text: string, digits: number): boolean {
  return isDecimalText(text) && new Decimal(text).gt(0) && new Decimal(text).decimalPlaces() <= digits
}

const priceBand: Check = (state, strategy, draft) => {
  const found = priceOf(state, strategy, draft.market)
  if (!found?.isFresh) {
    const why = found ? `the last price of ${draft.market} is stale` : `no price of ${draft.market} is known`
    return { why, change: 'a new quote or candle resolves it' }
  }
  const band = strategy.risk.price_band
  if (!band) return undefined
  const far = new Decimal(draft.price).minus(found.price).abs().div(found.price)
  if (far.lte(band)) return undefined
  const most = percent(band)
  return {
    why: `price_band ${most}: ${draft.price} is ${percent(far)} away from ${found.price.toFixed()}`,
    change: `the order must be within ${most} of the price`,
  }
}

function percent(ratio: Decimal): string {
  return `${ratio.times(100).toDecimalPlaces(3, Decimal.ROUND_UP).toFixed()}%`
}

const freshFeeds: Check = (state, strategy, draft) => {
  for (const [name, feed] of Object.entries(strategy.feeds)) {
    if (strategy.markets[feed.market]?.symbol !== draft.market) continue
    const at = receivedAt(state, strategy, name)
    if (at !== null && state.at - at <= staleAfterMs(feed)) continue
    const why =
      at === null
        ? `nothing was received from the feed ${name}`
        : `the feed ${name} is ${state.at - at} ms old`
    return { why, change: `data younger than ${staleAfterMs(feed)} ms resolves it` }
  }
  return undefined
}

const pause: Check = (state, { name }) => {
  const own = state.strategies[name]
  const [found] = Object.entries(own?.pauses ?? {})
  if (!found) return undefined
  const ends =
    own?.pausedUntil === undefined
      ? 'the pause ends by itself'
      : `the pause ends at ${timeText(own.pausedUntil)}`
  const change =
    found[0] === 'drawdown' ? `${ends}, or with rungs resume ${name}` : `the pause ends with ${found[0]}`
  return { why: `entries are paused by ${found[0]}: ${found[1]}`, change }
}

const leaving: Check = (state, { name }, { ladder }) => {
  const by = state.strategies[name]?.ladders[ladder]?.exits.leave ?? null
  if (by === null) return undefined
  const exit = { st: 'stop', tr: 'trailing stop', ag: 'max_age exit', fl: 'flattening' }[by]
  return {
    why: `${ladder} closes its position by its ${exit}`,
    change: 'the next episode starts when the position is flat',
  }
}

const doubt: Check = (state, { risk }, draft, doubtful) => {
  if (state.orders[draft.id]) return undefined
  const { block } = risk.in_doubt
  const found = doubtful.find(
    (order) =>
      order.market === draft.market &&
      (block === 'market' || order.ladder === draft.ladder) &&
      (block !== 'level' || order.level === draft.level),
  )
  if (!found) return undefined
  return {
    why: `in_doubt blocks the ${block}: the outcome of ${found.id} is unknown`,
    change: `the bot proves the outcome, or rungs resolve ${found.id} sets it`,
  }
}

const always = [halt, positions, allowed, ownId, venueRules, priceBand]
const forEntries = [pause, leaving, doubt, freshFeeds]
const ofLadder = [halt, positions, allowed, pause, leaving, freshFeeds]
