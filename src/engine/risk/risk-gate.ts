import { widened, type Bounded } from '#src/core/money/bounded.ts'
import { Decimal, numberOf } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { ApprovedOrder, OrderDraft } from '#src/engine/commands.ts'
import type { AccountLimits } from '#src/engine/events.ts'
import { doubtfulOrders, openOrdersOfStrategy } from '#src/engine/state/open-orders.ts'
import { nearPriceOf } from '#src/engine/state/prices.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import { edgeAt, equityEdgeAt, everyEquity, isRecorded } from '#src/engine/state/validity.ts'
import { resultSum } from '#src/engine/holdings/result-bounds.ts'
import { marketOf } from './exposure.ts'
import { tallyAfter, tallyWith, type GateSums, type Tally } from './gate-sums.ts'
import {
  followsEquity,
  isEntry,
  limits,
  mostNow,
  type AboutStrategy,
  type Limit,
  type LimitName,
  type Measured,
  type Values,
} from './limits.ts'
import { openBlock, openBlockAlone, type CheckKind } from './order-checks.ts'

/**
 * Why an order is blocked, and the smallest change that would unblock it. The words are made when they are read: while a limit
 * blocks many rungs, nearly none is explained. They must be read before an order is sent, since that changes the sums.
 */
export type RiskBlock = { kind: BlockKind; words: () => { why: string; change: string } }
/** `behind`: the order waits for another order that is blocked. */
export type BlockKind = CheckKind | LimitName | 'behind'

export type GateResult = { approved: ApprovedOrder[]; blocked: ({ draft: OrderDraft } & RiskBlock)[] }

/**
 * Creates every `ApprovedOrder`: each draft is checked against every limit of its strategy and of the account, together with all
 * open orders and all drafts approved before it. With `stopOnFail` the drafts behind a blocked one of the same ladder wait for
 * it, because the venue would not place them either. Drafts after the first `most` approved ones are not checked.
 */
export function approveOrders(
  state: State,
  strategy: Strategy,
  drafts: readonly OrderDraft[],
  { stopOnFail = false, most = Infinity }: { stopOnFail?: boolean; most?: number } = {},
): GateResult {
  const result: GateResult = { approved: [], blocked: [] }
  if (drafts.length === 0) return result
  const doubtful = doubtfulOrders(state).filter((order) => order.strategy === strategy.name)
  let tally = tallyOf(state, strategy)
  const together = most < Infinity ? approvedTogether(drafts.slice(0, most), tally, doubtful) : undefined
  if (together) return { approved: together, blocked: [] }
  const stuck = new Map<string, { level: string; block: RiskBlock }>()
  for (const draft of drafts) {
    if (result.approved.length === most) break
    const first = stopOnFail ? stuck.get(draft.ladder) : undefined
    if (first) {
      const words = () => {
        const { why, change } = first.block.words()
        return { why: `it waits for level ${first.level} before it: ${why}`, change }
      }
      result.blocked.push({ draft, kind: 'behind', words })
      continue
    }
    const after = tallyAfter(tally, [draft])
    const open = openBlock(state, strategy, draft, doubtful, result.approved)
    const block = open ? { kind: open.kind, words: () => open } : brokenLimit(draft, tally, after)
    if (hasPassed(draft, block !== undefined)) {
      tally = after
      result.approved.push(draft)
    } else if (block) {
      result.blocked.push({ draft, ...block })
      stuck.set(draft.ladder, { level: draft.level, block })
    }
  }
  return result
}

/**
 * All of these drafts, if no check blocks one of them and all together are within the limits. No usage falls with another
 * order, so each of them is within the limits, too. Otherwise undefined.
 */
function approvedTogether(
  drafts: readonly OrderDraft[],
  before: Tally,
  doubtful: readonly Order[],
): ApprovedOrder[] | undefined {
  const { state, strategy } = before.near
  const after = tallyAfter(before, drafts)
  const approved: ApprovedOrder[] = []
  const checked: OrderDraft[] = []
  for (const draft of drafts) {
    const isFirst = !checked.some((other) => isAlike(draft, other))
    const isBlocked =
      (isFirst ? openBlock : openBlockAlone)(state, strategy, draft, doubtful, approved) !== undefined ||
      (isFirst && brokenLimit(draft, before, after) !== undefined)
    if (!hasPassed(draft, isBlocked)) return undefined
    if (isFirst) checked.push(draft)
    approved.push(draft)
  }
  return approved
}

const alike = ['ladder', 'market', 'positionSide', 'side', 'ioc'] as const

/**
 * Whether both are entries with the same answers of all limits, which read the price and the amount of an order only in the sums,
 * and of the checks that read nothing else of it.
 */
function isAlike(one: OrderDraft, other: OrderDraft): boolean {
  return one.role === 'entry' && other.role === 'entry' && alike.every((key) => one[key] === other[key])
}

function hasPassed(_draft: OrderDraft, isBlocked: boolean): _draft is ApprovedOrder {
  return !isBlocked
}

/** Current usage of a strategy's limits. */
export function tallyOf(state: State, strategy: Strategy): Tally {
  return tallyWith(state, strategy, openOrdersOfStrategy(state, strategy.name).size)
}

/** More than the rounding of a limit that is a share of the equity. */
const roundedTo = 2e-8

type LimitValues = { name: LimitName; limit: Limit; values: Values; keys: readonly string[] }
const known = new WeakMap<Strategy, { account: AccountLimits | undefined; limits: LimitValues[] }>()

/** All limits that have a value, in the order in which an order is checked against them. */
export function limitsOf({ venue }: State, strategy: Strategy): readonly LimitValues[] {
  const before = known.get(strategy)
  if (before && before.account === venue.limits) return before.limits
  const found: LimitValues[] = []
  let name: LimitName
  for (name in limits) {
    const limit: Limit = limits[name]
    const values = limit.most(strategy, venue.limits ?? {})
    const keys = Object.keys(values)
    if (keys.length > 0) found.push({ name, limit, values, keys })
  }
  known.set(strategy, { account: venue.limits, limits: found })
  return found
}

/**
 * One value of a limit, and the order that is measured. `most`: undefined while the equity is unknown that it depends on;
 * `isFollowing`: it changes with the equity.
 */
export type Measure = {
  name: LimitName
  limit: Limit
  key: string
  most: Decimal | undefined
  isFollowing: boolean
  by: Measured
}

/** The values of limits that an order is checked against. */
export function* measuresOf(sums: AboutStrategy, draft: OrderDraft): Generator<Measure> {
  const { state, strategy } = sums
  const by = { market: marketOf(strategy, draft), symbol: draft.market, side: draft.side }
  for (const { name, limit, values, keys } of limitsOf(state, strategy)) {
    const { checks = isEntry } = limit
    if (!limit.keys || !checks(draft)) continue
    for (const key of limit.keys(by, keys)) {
      const value = values[key]
      if (!value) continue
      const [most, isFollowing] = [mostNow(limit, value, sums), followsEquity(limit, value)]
      yield { name, limit, key, most, isFollowing, by }
    }
  }
}

/** The first limit that the order would break: in doubles, or with all digits if doubles leave a doubt. */
function brokenLimit(draft: OrderDraft, before: Tally, after: Tally): RiskBlock | undefined {
  for (const measure of measuresOf(after.near, draft)) {
    if (measure.isFollowing) recordEquity(measure, after.near)
    if (measure.limit.isResult) recordResult(measure, after.near)
    const certain = measure.limit.isPriced ? recordPrices(measure, before, after) : undefined
    if (
      !(certain ?? isWithin(measure, before.near, after.near) ?? isWithin(measure, before.exact, after.exact))
    )
      return { kind: measure.name, words: () => wordsOf(measure, after.exact) }
  }
  return undefined
}

/**
 * Records the equity at which the limit, which is rounded, is as large as its use. If that changes with prices, each equity
 * counts.
 */
function recordEquity({ limit, key, most, by }: Measure, after: GateSums<Bounded>): void {
  if (!isRecorded()) return
  const equity = Number(after.state.account?.equity ?? 0)
  const used = limit.used(after, key, by)
  if (limit.isPriced || !most?.gt(0) || used === undefined) everyEquity()
  else
    for (const error of [-1, 1])
      equityEdgeAt(equity, (equity * (used.value + error * (used.error + roundedTo))) / numberOf(most))
}

/** Shares of the price, the widest first: an answer that is certain for all prices up to there does not depend on the price. */
const priceShares = [0.004, 0.0005]

/**
 * Records how far prices may move without another answer: as far as the answer is certain for all prices in between. Returns the
 * certain answer.
 */
function recordPrices(measure: Measure, before: Tally, after: Tally): boolean | undefined {
  if (!isRecorded()) return undefined
  const { state, strategy } = after.near
  const within = (share: number) => {
    const priced = (price: Bounded) => widened(price, share)
    return isWithin(measure, before.near.at(priced), after.near.at(priced))
  }
  let certain: boolean | undefined
  const share = priceShares.find((each) => (certain = within(each)) !== undefined) ?? 0
  for (const { symbol } of Object.values(strategy.markets)) {
    const price = nearPriceOf(state, strategy, symbol)?.value
    if (price !== undefined) for (const sign of [-1, 1]) edgeAt(symbol, price, price * (1 + sign * share))
  }
  return certain
}

/** Records the price at which the loss of the day reaches the limit; of several prices, each change counts. */
function recordResult({ most }: Measure, { state, strategy, own }: GateSums<Bounded>): void {
  if (!own || !most || !isRecorded()) return
  const { base, amounts } = resultSum(strategy, own)
  const least = Number(own.worth.dayBegan) - numberOf(most)
  for (const [symbol, amount] of amounts) {
    const price = nearPriceOf(state, strategy, symbol)?.value
    if (price !== undefined) edgeAt(symbol, price, amounts.size === 1 ? (least - base) / amount : price)
  }
}

/**
 * Undefined if the error of the arithmetic leaves a doubt. No order is within an unknown limit. A limit that is exceeded already,
 * because it was lowered or an unknown outcome was resolved, blocks only orders that make it worse.
 */
export function isWithin<N>(
  { limit, key, most: value, by }: Measure,
  before: GateSums<N>,
  after: GateSums<N>,
): boolean | undefined {
  const { a } = after
  if (value === undefined) return false
  const [most, used] = [a.decimal(value), limit.used(after, key, by)]
  if (used === undefined) return false
  if (limit.stops === 'reached') {
    const isReached = a.isAtMost(most, used)
    return isReached === undefined ? undefined : !isReached
  }
  const fits = a.isAtMost(used, most)
  if (fits === true || limit.stops === 'above') return fits
  const isNoWorse = a.isAtMost(used, limit.used(before, key, by) ?? used)
  return isNoWorse === false ? fits : isNoWorse === true ? true : undefined
}

/** The printed amount is never smaller than the exact one: an order reduced by it really fits. */
function wordsOf(
  { name, limit, key, most, by }: Measure,
  exact: GateSums<Decimal>,
): ReturnType<RiskBlock['words']> {
  const what = labelOf(name, key)
  if (!most) {
    const why = `${what} is a share of the equity of the account, which is unknown`
    return { why, change: 'the next reading of the account resolves it' }
  }
  const used = limit.used(exact, key, by)
  if (!used) return { why: `${what} is unknown`, change: 'it must be known first', ...limit.unknown }
  const text = (number: Decimal) =>
    limit.digits === undefined ? number.toFixed() : number.toFixed(limit.digits, Decimal.ROUND_UP)
  const value = `${what} ${most.toFixed()}${limit.unit?.(exact.strategy) ?? ''}`
  const why =
    limit.stops === 'reached'
      ? `${value} is reached: ${text(used)} ${limit.what}`
      : `${value} would be ${text(used)} with this order`
  const change = limit.change?.(exact.strategy) ?? `${text(used.minus(most))} less is within the limit`
  return { why, change }
}

export function labelOf(name: LimitName, key: string): string {
  return key === '' ? name : `${name} ${key}`
}
