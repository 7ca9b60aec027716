import { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { accountBroken, allBut } from '#src/engine/account/account-limits.ts'
import type { ApprovedOrder, OrderDraft } from '#src/engine/commands.ts'
import { openOrdersOf } from '#src/engine/state/open-orders.ts'
import { limitBroken, type GateSums } from './limits.ts'
import { allSurelyPass } from './fast-risk-gate.ts'
import { openBlock, type LimitBlock } from './order-checks.ts'
import { emptyExposure, marketOf, openedBy, openOf, exposuresOf, withOrder } from './exposure.ts'
import type { Order, State } from '#src/engine/state/state.ts'

const weekMs = 604_800_000

export type GateResult = { approved: ApprovedOrder[]; blocked: ({ draft: OrderDraft } & LimitBlock)[] }

/**
 * The only maker of Approved: each draft is held against every limit of its strategy and of the account, together with
 * all that is alive and all that was approved before it. With `stopOnFail` the ones behind a blocked draft of the same
 * ladder wait for it, because the venue would not place them without it either; otherwise they stand for themselves.
 */
export function approveOrders(
  state: State,
  strategy: Strategy,
  drafts: readonly OrderDraft[],
  stopOnFail: boolean,
): GateResult {
  if (drafts.length === 0) return { approved: [], blocked: [] }
  const alive: Order[] = []
  for (const order of openOrdersOf(state).values()) if (order.strategy === strategy.name) alive.push(order)
  if (!state.venue.limits && allSurelyPass(state, strategy, alive, drafts))
    return { approved: drafts.filter((draft) => hasPassed(draft, undefined)), blocked: [] }
  return judgeEach(state, strategy, alive, drafts, stopOnFail)
}

/** With all the digits, one after the other. */
export function judgeEach(
  state: State,
  strategy: Strategy,
  alive: readonly Order[],
  drafts: readonly OrderDraft[],
  stopOnFail: boolean,
): GateResult {
  const doubtful = alive.filter(({ status }) => status === 'doubtful')
  // Exits break no limit of money, so that among themselves they are only counted.
  const isWeighed = drafts.some(({ role }) => role === 'entry')
  let tally = tallyOf(state, strategy, alive, isWeighed)
  const others = isWeighed && state.venue.limits ? allBut(state, strategy.name) : undefined
  const verdict: GateResult = { approved: [], blocked: [] }
  const stuck = new Map<string, { level: string; block: LimitBlock }>()
  for (const draft of drafts) {
    const first = stopOnFail ? stuck.get(draft.ladder) : undefined
    if (first) {
      const why = `it waits for level ${first.level} before it: ${first.block.why}`
      verdict.blocked.push({ draft, why, change: first.block.change })
      continue
    }
    const after = tallyWith(state, strategy, tally, draft, isWeighed)
    const block =
      openBlock(state, strategy, draft, doubtful, verdict.approved) ??
      limitBroken(state, strategy, draft, tally, after) ??
      (others && draft.role === 'entry'
        ? accountBroken(state, strategy, draft, others, tally, after)
        : undefined)
    if (hasPassed(draft, block)) {
      tally = after
      verdict.approved.push(draft)
    } else if (block) {
      verdict.blocked.push({ draft, ...block })
      stuck.set(draft.ladder, { level: draft.level, block })
    }
  }
  return verdict
}

/** What is at stake by now, and what was sent and spent within the times that limits look back. */
export function tallyOf(
  state: State,
  strategy: Strategy,
  alive: readonly Order[],
  isWeighed: boolean,
): GateSums {
  const { order_rate: rate } = strategy.risk
  const own = state.strategies[strategy.name]
  let sent = 0
  for (const { at, orders } of own?.sends ?? []) if (rate && at > state.at - rate.per) sent += orders
  if (!isWeighed) return { stakes: new Map(), open: alive.length, sent, entered: new Decimal(0) }
  let entered = new Decimal(0)
  for (const { at, money } of own?.spent ?? []) if (at > state.at - weekMs) entered = entered.plus(money)
  for (const order of alive) {
    if (order.role === 'entry') entered = entered.plus(openOf(order).money)
  }
  return { stakes: exposuresOf(state, strategy, alive), open: alive.length, sent, entered }
}

function tallyWith(
  state: State,
  strategy: Strategy,
  tally: GateSums,
  draft: OrderDraft,
  isWeighed: boolean,
): GateSums {
  const sent = tally.sent + 1
  // One in doubt that is sent again counts already, as if it were placed.
  if (state.orders[draft.id]) return { ...tally, sent }
  // What is immediate or cancelled never stays open.
  const counted = { ...tally, open: tally.open + (draft.ioc ? 0 : 1), sent }
  if (!isWeighed) return counted
  const market = marketOf(strategy, draft)
  const stake = tally.stakes.get(market) ?? emptyExposure(state, strategy, market)
  const open = openedBy(draft, '0')
  return {
    ...counted,
    stakes: new Map(tally.stakes).set(market, withOrder(stake, draft, open)),
    entered: draft.role === 'entry' ? tally.entered.plus(open.money) : tally.entered,
  }
}

function hasPassed(_draft: OrderDraft, block: LimitBlock | undefined): _draft is ApprovedOrder {
  return block === undefined
}
