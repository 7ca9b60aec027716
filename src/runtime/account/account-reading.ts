import type { Capability } from '#src/strategy/schema/strategy-schema.ts'
import type { UnownedOrder, SeenOrder } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'
import { isAccountUnread } from '#src/engine/state/session.ts'
import { BalanceReading } from './balance-reading.ts'
import { ConnectivityWatch, type Connectivity } from './connectivity.ts'
import { readOrderId } from '#src/engine/orders/order-ids.ts'
import { earliestOf } from '#src/engine/orders/unknown-orders.ts'
import { inDealOrder } from './fills-in-deal-order.ts'
import { identityOf } from './order-identity.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import {
  mayHide,
  type AccountReads,
  type AccountReport,
  type HeldPositions,
  type ListedOrder,
  type ReadResult,
} from '#src/venue/port.ts'

export type ReadingParts = {
  venue: { readonly account: AccountReads }
  capabilities: readonly Capability[]
  venueClock: Pick<VenueClock, 'now' | 'speed' | 'isSure'>
  /** Maximum delay of the venue's lists. */
  settleMs: number
  /** Start of the search for orders of others: the end of the last process if it left open orders, otherwise now. */
  since?: number
  /** Receives each unreadable element of an answer once. */
  onUnread?: (reason: string) => void
}

/** `whole`: all of the account was read. `moved`: it changed meanwhile and must be read again. `lost`: no answer. */
export type ReadingOutcome = 'whole' | 'moved' | 'lost'

/** Overlap of reads of the history, in addition to the delay of the lists. */
const backMs = 5000
/** An order may be missing in both lists for this time. */
const goneMs = 3000
/** An order that is listed as open for this time after its end has not ended. */
const risenMs = 60_000
/** An order that is in no list for this time is forgotten. */
const forgottenMs = 600_000

/**
 * Reads the account. Each read returns the changes since the last one: progress of our orders, orders of others, positions
 * and balances. A call without an answer gives nothing, and the next read repeats it.
 */
export class AccountReading {
  readonly #parts: ReadingParts
  /** Earlier orders of others are ignored. */
  readonly #beganAt: number
  /** End of the newest order of the history. */
  #newest: number | undefined
  /** Reported orders of others by the venue's id, with the time of their last listing. */
  readonly #foreign = new Map<string, number>()
  #found: readonly ListedOrder[] = []
  /** Our open orders that are not listed, with the time since when. */
  readonly #missing = new Map<string, number>()
  readonly #watch: ConnectivityWatch
  #positions = ''
  /** Whether the last read has positions and orders of one moment, and complete lists. */
  #isSteady = false
  readonly balances: BalanceReading
  #liquidation: AccountReport['liquidation'] = {}

  constructor(parts: ReadingParts) {
    this.#parts = parts
    this.#watch = new ConnectivityWatch(parts.venue.account, () => parts.venueClock.now(), parts.onUnread)
    this.balances = new BalanceReading(this.#watch.account, parts.venueClock)
    this.#beganAt = parts.since ?? parts.venueClock.now()
  }

  get contact(): Connectivity {
    return this.#watch.contact
  }

  get outcome(): ReadingOutcome {
    const { lost } = this.contact
    // An unreadable part stays unreadable: the bot starts with the rest of the account.
    if (lost !== null && lost.unreadable !== true) return 'lost'
    return this.#isSteady ? 'whole' : 'moved'
  }

  /** Liquidation prices and leverage at the last read. */
  get report(): AccountReport {
    return { liquidation: this.#liquidation, leverage: this.balances.leverage }
  }

  /** Orders with ids of this program that the journal did not know at the last read before `accountRead`. */
  get found(): UnownedOrder[] {
    return this.#found.map(({ progress, ...listed }) => {
      const { id, market, side, price, amount, placedAt } = listed
      return { id, market, side, price, amount, placedAt, ...progress }
    })
  }

  async orders(state: State): Promise<NewEvent[]> {
    const { capabilities } = this.#parts
    const { account } = this.#watch
    const areListed = capabilities.includes('open_orders')
    const resting = areListed ? valueOf(await account.openOrders()) : null
    // Read after the open orders, so that it contains an order that ends in between.
    const ended = valueOf(await account.endedOrders(this.#since(state)))
    const isAll = ended !== null && (resting !== null || !areListed)
    if (!isAll) this.#isSteady = false
    for (const { endedAt } of ended?.orders.values() ?? []) {
      this.#newest = Math.max(this.#newest ?? 0, endedAt ?? 0)
    }
    // The history was read later: its orders are not open any more.
    const still = [...(resting?.orders.values() ?? [])].filter(({ venueId }) => !ended?.orders.has(venueId))
    const listed = [...still, ...(ended?.orders.values() ?? [])]
    const { ours, strange } = this.#sorted(state, listed)
    if (isAccountUnread(state)) this.#keepFound(state, strange)
    const foreign = this.#foreignAmong(strange.filter((each) => !this.#found.includes(each)))
    if (isAll) this.#forgetForeign()
    const unread = new Set([...(resting?.unread ?? []), ...(ended?.unread ?? [])])
    const shown = new Set(ours.map(({ id }) => id))
    const gone = resting && ended ? this.#goneOf(state, (id) => !shown.has(id) && !mayHide(unread, id)) : []
    const news = ours.filter((each) => isNews(state, each))
    const seen = await this.inDealOrder(state, news)
    return [...(seen.length > 0 ? [{ kind: 'seen' as const, orders: seen }] : []), ...foreign, ...gone]
  }

  /** Adds the times of the deals to the fills of orders. */
  inDealOrder(state: State, listed: readonly ListedOrder[]): Promise<SeenOrder[]> {
    return inDealOrder(this.#parts.venue.account, state, listed)
  }

  /** Orders that are open in our state and in no list of the venue: the engine must resolve them. */
  #goneOf({ orders }: State, isMissing: (id: string) => boolean): NewEvent[] {
    const { venueClock, settleMs } = this.#parts
    const now = venueClock.now()
    const missing = Object.values(orders).filter(({ id, status }) => status === 'resting' && isMissing(id))
    const before = new Map(this.#missing)
    this.#missing.clear()
    const gone = missing.filter(({ id }) => {
      const since = before.get(id) ?? now
      const isGone = now - since > settleMs + goneMs * venueClock.speed
      if (!isGone) this.#missing.set(id, since)
      return isGone
    })
    if (gone.length === 0) return []
    const message = 'the venue does not list it'
    return [{ kind: 'withdrawn', orders: gone.map(({ id }) => ({ id, outcome: 'gone', message })) }]
  }

  /** Reads everything. Positions count only if they are equal before and after the read of the orders: then both match. */
  read(state: State): Promise<NewEvent[]> {
    return this.#watch.whole(() => this.#all(state))
  }

  async #all(state: State): Promise<NewEvent[]> {
    this.#isSteady = true
    const before = await this.#heldNow()
    const told = [...((await this.balances.read()) ?? []), ...(await this.orders(state))]
    const after = await this.#heldNow()
    if (!same(before, after)) this.#isSteady = false
    else if (after !== undefined) told.push(...this.#positionsNews(state, after))
    return told
  }

  /** Start of the read of the history: all open orders can have ended without a poll. */
  #since(state: State): number {
    const { venueClock, settleMs } = this.#parts
    const back = settleMs + backMs * venueClock.speed
    if (this.#newest !== undefined) return this.#newest - back
    const open = Object.values(state.orders).filter(({ status }) => status !== 'ended')
    return open.reduce((since, order) => Math.min(since, earliestOf(order)), this.#beganAt) - back
  }

  /** Separates our orders and those of others; an order that may be either is left out. */
  #sorted(state: State, listed: readonly ListedOrder[]): { ours: ListedOrder[]; strange: ListedOrder[] } {
    const [ours, strange]: [ListedOrder[], ListedOrder[]] = [[], []]
    for (const each of listed) {
      const order = state.orders[each.id]
      if (!order) {
        if (!wasGivenOut(state, each)) strange.push(each)
        continue
      }
      const identity = identityOf(order, each, this.#parts.venueClock)
      if (identity === 'ours') ours.push(each)
      if (identity === 'older' || identity === 'other' || this.#isRisen(state, each)) strange.push(each)
    }
    return { ours, strange: strange.filter(({ endedAt }) => (endedAt ?? Infinity) >= this.#beganAt) }
  }

  /** All that are open, and of the ended ones those with the tag of this journal. They are not reported again later. */
  #keepFound(state: State, strange: readonly ListedOrder[]): void {
    this.#found = strange.filter(({ id, endedAt }) => {
      const parts = readOrderId(id)
      return parts !== undefined && !state.orders[id] && (endedAt === null || parts.tag === state.tag)
    })
    for (const { venueId } of this.#found) this.#foreign.set(venueId, this.#parts.venueClock.now())
  }

  #foreignAmong(strange: readonly ListedOrder[]): NewEvent[] {
    const news = strange.filter(({ venueId }) => !this.#foreign.has(venueId))
    for (const { venueId } of strange) this.#foreign.set(venueId, this.#parts.venueClock.now())
    return news.length === 0 ? [] : [{ kind: 'foreign', orders: news.map(({ text }) => text) }]
  }

  /** Called after complete reads. */
  #forgetForeign(): void {
    const { venueClock, settleMs } = this.#parts
    const before = venueClock.now() - settleMs - forgottenMs * venueClock.speed
    for (const [venueId, listedAt] of this.#foreign) if (listedAt < before) this.#foreign.delete(venueId)
  }

  /** It rests, although the venue has told of its end, and longer ago than a list can be late. */
  #isRisen({ orders, at }: State, { id, endedAt }: ListedOrder): boolean {
    const order = orders[id]
    if (order === undefined || order.endedAt === null || order.venueId === null || endedAt !== null)
      return false
    return at - order.endedAt > risenMs * this.#parts.venueClock.speed
  }

  async #heldNow(): Promise<HeldPositions | undefined> {
    const answer = await this.#watch.account.positions()
    if (answer.kind !== 'read' || answer.unread) return undefined
    const { held, liquidation } = answer.value
    this.#liquidation = liquidation
    return held
  }

  #positionsNews({ drift }: State, held: HeldPositions): NewEvent[] {
    const unlisted = [...this.#missing.keys()]
    const text = JSON.stringify([held, unlisted])
    // During a drift each read emits positions. They include fills that the history shows late.
    const isKnown = drift.shown === undefined || same(drift.shown, held)
    if (text === this.#positions && drift.suspect === null && isKnown) return []
    this.#positions = text
    return [{ kind: 'positions', held, ...(unlisted.length > 0 && { unlisted }) }]
  }
}

function valueOf<Value>(read: ReadResult<Value>): Value | null {
  return read.kind === 'read' ? read.value : null
}

function same(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}

/** Whether an order of ours has come further than we know. */
function isNews(state: State, { id, progress }: ListedOrder): boolean {
  const order = state.orders[id]
  if (order === undefined) return false
  if (order.status === 'ended')
    return order.filled !== progress.filled || (order.venueId === null && !progress.ended)
  return (
    order.status !== 'resting' ||
    progress.ended ||
    order.filled !== progress.filled ||
    order.venueId !== progress.venueId
  )
}

/** An ended order with an id of ours stays ours after it is forgotten; an open one is ours only if it is known. */
function wasGivenOut(state: State, { id, endedAt }: ListedOrder): boolean {
  const parts = readOrderId(id)
  if (endedAt === null || parts === undefined || parts.tag !== state.tag) return false
  const { strategy, ladder, label, generation } = parts
  return generation <= (state.strategies[strategy]?.ladders[ladder]?.generations[label] ?? -1)
}
