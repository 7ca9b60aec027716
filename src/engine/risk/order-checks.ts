import { allOf, decide, type Arithmetic } from '#src/core/money/bounded.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import { nearestNumber } from '#src/core/money/units.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { closableBy } from '#src/engine/exits/closable.ts'
import { ownOpposite } from './own-opposite.ts'
import { exitKindOf } from '#src/engine/exits/exit-kinds.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { MarketFacts } from '#src/engine/events.ts'
import { stopReason } from '#src/engine/rules/halts.ts'
import { lossPause, operatorPause, timeText } from '#src/engine/rules/pauses.ts'
import {
  blocksEntries,
  everyFeed,
  nearPriceOf,
  priceIn,
  priceOf,
  receivedAt,
  staleAfterMs,
} from '#src/engine/state/prices.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import { edgeAt, isYoung } from '#src/engine/state/validity.ts'

/** What blocks an order whatever its size and whatever else is open. */
export type CheckKind =
  | 'standstill'
  | 'positions'
  | 'market'
  | 'id'
  | 'unlisted'
  | 'market rules'
  | 'no price'
  | 'stale price'
  | 'price_band'
  | 'pause'
  | 'leaving'
  | 'own order'
  | 'in_doubt'
  | 'silent feed'
  | 'stale feed'

type CheckBlock = { kind: CheckKind; why: string; change: string }

type Check = (
  state: State,
  strategy: Strategy,
  draft: OrderDraft,
  doubtful: readonly Order[],
  /** Approved drafts before this one. */
  approved: readonly OrderDraft[],
) => CheckBlock | undefined

/** The first check that blocks this order. */
export const openBlock: Check = (...order) =>
  firstBlock(order[2].role === 'entry' ? forEntries : always, order)

/** The same for an entry, if the checks that read only its ladder, market and sides do not block it. */
export const openBlockAlone: Check = (...order) => firstBlock(entriesAlone, order)

function firstBlock(checks: readonly Check[], order: Parameters<Check>): ReturnType<Check> {
  for (const check of checks) {
    const block = check(...order)
    if (block) return block
  }
  return undefined
}

const halt: Check = (state, { name }, { role }) => {
  const block = stopReason(state, name, role)
  return block && { kind: 'standstill', ...block }
}

/** A position that could not be closed again is not opened. */
const positions: Check = (state, { name }, draft, _doubtful, approved) => {
  const why = draft.role === 'entry' ? lackIn(state, draft) : uncovered(state, name, draft, approved)
  return why === undefined
    ? undefined
    : { kind: 'positions', why, change: 'it continues when the positions agree again' }
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
  if (draft.activation !== undefined) return undefined
  const own = state.strategies[strategy]?.ladders[draft.ladder]
  const closable = closableBy(state, draft, own, approved)
  return closable?.most.lt(draft.amount) === true ? closable.why : undefined
}

const allowed: Check = (state, { markets, ladder }, draft) => {
  const own = markets[ladder[draft.ladder]?.market ?? '']
  const side = own?.positionSide === 'short' ? 'SHORT' : 'LONG'
  if (own?.symbol === draft.market && side === draft.positionSide) return undefined
  const change = 'a strategy trades only the markets of its file'
  const why = `${draft.market} ${draft.positionSide} is not the market of ${draft.ladder}`
  return { kind: 'market', why, change }
}

const ownId: Check = (state, _strategy, draft) => {
  const known = state.orders[draft.id]
  const isSame =
    known?.status !== 'ended' &&
    (['market', 'side', 'positionSide', 'price', 'amount'] as const).every(
      (key) => known?.[key] === draft[key],
    )
  if (!known || isSame) return undefined
  const why = `${draft.id} was another order`
  return { kind: 'id', why, change: 'the next order of the level may be placed' }
}

const venueRules: Check = (state, _strategy, draft) => {
  const facts = state.venue.markets[draft.market]
  if (!facts) {
    const why = `the venue does not list ${draft.market}`
    return { kind: 'unlisted', why, change: 'the bot trades only listed markets' }
  }
  const block = digitsBlock(draft, facts)
  if (block) return { kind: 'market rules', ...block }
  if (decide((a) => isSizeTaken(a, draft, facts))) return undefined
  return { kind: 'market rules', ...sizeBlock(draft, facts) }
}

function isSizeTaken<N>(
  a: Arithmetic<N>,
  { price, amount: size }: OrderDraft,
  { minAmount, minTotal, maxTotal }: MarketFacts,
): boolean | undefined {
  const amount = a.text(size)
  const total = a.times(amount, a.text(price))
  return allOf(
    a.isAtMost(a.text(minAmount), amount),
    a.isAtMost(a.text(minTotal), total),
    a.isAtMost(total, a.text(maxTotal)),
  )
}

type Words = { why: string; change: string }

function digitsBlock({ price, amount, market }: OrderDraft, facts: MarketFacts): Words | undefined {
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
  return undefined
}

function sizeBlock({ price, amount, market }: OrderDraft, facts: MarketFacts): Words {
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
  return {
    why: `${total.toFixed()} is above the maximum notional of ${market}`,
    change: `the maximum is ${facts.maxTotal}`,
  }
}

function fits(text: string, digits: number): boolean {
  if (nearestNumber(text, digits) > 0) return true
  return isDecimalText(text) && new Decimal(text).gt(0) && new Decimal(text).decimalPlaces() <= digits
}

const freshPrice: Check = (state, strategy, { market }) => {
  const found = nearPriceOf(state, strategy, market)
  const change = 'a new quote or candle resolves it'
  if (!found) return { kind: 'no price', why: `no price of ${market} is known`, change }
  if (!found.isFresh) return { kind: 'stale price', why: `the last price of ${market} is stale`, change }
  return undefined
}

const priceBand: Check = (state, strategy, draft) => {
  // It trades at the price of the market, whatever price activates it.
  if (draft.activation !== undefined) return undefined
  const band = strategy.risk.price_band
  const now = band && nearPriceOf(state, strategy, draft.market)?.value
  if (!band || now === undefined) return undefined
  for (const sign of [-1, 1]) edgeAt(draft.market, now, Number(draft.price) / (1 + sign * band.toNumber()))
  if (decide((a) => isInBand(a, state, strategy, draft, band))) return undefined
  const price = priceOf(state, strategy, draft.market)?.price ?? new Decimal(draft.price)
  const most = percent(band)
  const far = percent(new Decimal(draft.price).minus(price).abs().div(price))
  return {
    kind: 'price_band',
    why: `price_band ${most}: ${draft.price} is ${far} away from ${price.toFixed()}`,
    change: `the order must be within ${most} of the price`,
  }
}

function isInBand<N>(
  a: Arithmetic<N>,
  state: State,
  strategy: Strategy,
  draft: OrderDraft,
  band: Decimal,
): boolean | undefined {
  const now = priceIn(a, state, strategy, draft.market) ?? a.zero
  const [price, room] = [a.text(draft.price), a.times(a.decimal(band), now)]
  return allOf(a.isAtMost(price, a.plus(now, room)), a.isAtMost(a.minus(now, room), price))
}

function percent(ratio: Decimal): string {
  return `${ratio.times(100).toDecimalPlaces(3, Decimal.ROUND_UP).toFixed()}%`
}

const freshFeeds: Check = (state, strategy, draft) => {
  for (const [name, feed] of everyFeed(strategy)) {
    if (!blocksEntries(state, strategy, feed, draft.market)) continue
    const at = receivedAt(state, strategy, name)
    const kind = feed.source === 'candles' ? 'candle' : 'quote'
    if (at !== null && isYoung(state, kind, at, staleAfterMs(feed))) continue
    const why =
      at === null
        ? `nothing was received from the feed ${name}`
        : `the feed ${name} is ${state.at - at} ms old`
    const block = at === null ? 'silent feed' : 'stale feed'
    return { kind: block, why, change: `data younger than ${staleAfterMs(feed)} ms resolves it` }
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
  const changes: Readonly<Record<string, string>> = {
    [lossPause]: `${ends}, or with rungs resume ${name}`,
    [operatorPause]: `the pause ends with rungs resume ${name}`,
  }
  const change = changes[found[0]] ?? `the pause ends with ${found[0]}`
  return { kind: 'pause', why: `entries are paused by ${found[0]}: ${found[1]}`, change }
}

const leaving: Check = (state, { name }, { ladder }) => {
  const by = state.strategies[name]?.ladders[ladder]?.exits.leave ?? null
  const exit = by === null ? undefined : exitKindOf(by)
  if (exit === undefined) return undefined
  return {
    kind: 'leaving',
    why: `${ladder} closes its position by its ${exit.text}`,
    change: 'the next episode starts when the position is flat',
  }
}

const selfTrade: Check = (state, strategy, draft) => {
  const other = ownOpposite(state, strategy, draft)
  if (!other) return undefined
  const why = `${other.id} rests at ${other.price}, and the order would trade with it`
  return { kind: 'own order', why, change: 'the bot places it when that order has filled or moved' }
}

const doubt: Check = (state, { risk }, draft, doubtful) => {
  if (doubtful.length === 0 || state.orders[draft.id]) return undefined
  const { block } = risk.in_doubt
  const found = doubtful.find(
    (order) =>
      order.market === draft.market &&
      (block === 'market' || order.ladder === draft.ladder) &&
      (block !== 'level' || order.level === draft.level),
  )
  if (!found) return undefined
  return {
    kind: 'in_doubt',
    why: `in_doubt blocks the ${block}: the outcome of ${found.id} is unknown`,
    change: `the bot proves the outcome, or rungs resolve ${found.id} sets it`,
  }
}

const always = [halt, positions, allowed, ownId, venueRules, freshPrice, priceBand]
const entriesAlone = [ownId, venueRules, priceBand, selfTrade, doubt]
const forEntries = [...always, pause, leaving, selfTrade, doubt, freshFeeds]
