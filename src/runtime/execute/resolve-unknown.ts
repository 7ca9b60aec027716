import { hash } from 'node:crypto'
import type { Look } from '#src/engine/commands.ts'
import type { Evidence, Search, SeenOrder } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { identityOf, ourOrder, type DatingClock } from '#src/runtime/account/order-identity.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { mayHide, type AccountReads, type ListedOrder, type OrderList, type Venue } from '#src/venue/port.ts'

export type ResolveParts = {
  venue: Pick<Venue, 'fence'> & {
    account: Pick<AccountReads, 'openOrders' | 'endedOrders' | 'balances'>
  }
  clock: Pick<Clock, 'sleep'>
  venueClock: Pick<VenueClock, 'now' | 'speed' | 'isSure'>
  /** Maximum time between the admission of a request and its listing. */
  settleMs: number
  /** Whether the venue lists open orders. */
  listed: boolean
  /** Progress of listed orders, with the times of their deals. */
  inDealOrder: (listed: readonly ListedOrder[]) => Promise<SeenOrder[]>
  /** Aborts the search at shutdown; the next process continues it. */
  signal: AbortSignal
}

/** Minimum distance of two reads: the lists of a venue may be late. */
const apartMs = 2000
/** Tolerance between the venue's end time of an order and our time of sending. */
const skewMs = 60_000
const looksMax = 4
/** Lists of another address prove nothing about orders that were sent to the primary one. */
const primary = { isPrimary: true } as const

/**
 * Resolves orders with unknown outcome. First a fence, after which no older request can be admitted; then the maximum delay of
 * the lists; then two reads that agree. Each step is emitted as progress, and a later search continues from it. Ends of our
 * other `orders` are applied first, because their frozen balance is part of the evidence.
 */
export async function resolveUnknown(
  parts: ResolveParts,
  { ids, sentSince, searched = {} }: Omit<Look, 'kind'>,
  orders: () => State['orders'],
  tell: (event: NewEvent) => void,
): Promise<NewEvent[]> {
  const { venueClock, settleMs, listed, signal } = parts
  const { speed } = venueClock
  const begunAt = venueClock.now()
  const searches = new Map(Object.entries(searched))
  const tellOf = (some: readonly string[]) => {
    const orders = Object.fromEntries([...searches].filter(([id]) => some.includes(id)))
    if (some.length > 0 && !signal.aborted) tell({ kind: 'searched', orders })
  }
  const unfenced = ids.filter((id) => !searches.has(id))
  const isFenced = unfenced.length === 0 || (!signal.aborted && (await fence(parts)))
  if (isFenced) for (const id of unfenced) searches.set(id, { fencedAt: venueClock.now() })
  if (isFenced) tellOf(unfenced)

  const since = sentSince - skewMs * speed
  const apart = Math.max(apartMs, settleMs)
  const dueOf = (id: string) => {
    const { fencedAt, look } = searches.get(id) ?? { fencedAt: begunAt }
    return look ? look.at + apart : fencedAt + settleMs
  }
  const found: Findings['found'] = {}
  let lookedAt = -Infinity
  for (let looks = 1; looks <= looksMax; looks++) {
    // If orders are inferred from the frozen balance, all of them must be due.
    const dueAt = (listed ? Math.min : Math.max)(...ids.map(dueOf))
    const at = Math.max(dueAt, lookedAt + apart, venueClock.now())
    await pause(parts, Math.min(at - venueClock.now(), apart))
    if (signal.aborted) break
    const glanced = await glance(parts, since)
    lookedAt = venueClock.now()
    const findings = findingsOf(ids, glanced, orders(), venueClock)
    Object.assign(found, findings.found)
    if (!isFenced || !glanced) break
    const isFound = (id: string) => Object.hasOwn(findings.found, id)
    const ready = ids.filter((id) => dueOf(id) <= at && (isFound(id) || !isHidden(id, glanced, listed)))
    const before = new Map(ready.map((id) => [id, searches.get(id)?.look]))
    const print = listed ? '' : printOf(glanced, since)
    for (const id of ready) {
      const look = { at: lookedAt, found: isFound(id), print }
      searches.set(id, { fencedAt: begunAt, ...searches.get(id), look })
    }
    const agreed = ready.filter((id) => agree(before.get(id), searches.get(id)?.look))
    const isProof = agreed.length > 0 && (listed || agreed.length === ids.length)
    tellOf(isProof ? ready.filter((id) => !agreed.includes(id)) : ready)
    if (isProof) {
      const firstLooks = agreed.map((id) => before.get(id)?.at ?? begunAt)
      const { strangers } = findings
      const evidence = {
        kind: 'evidence',
        ids: agreed,
        found: progressIn(found),
        strangers,
        listed,
        freeze: glanced.freeze,
      } as const
      const others = othersIn(glanced, ids, orders(), venueClock)
      return [
        ...(await fillsOf(parts, orders, found, others)),
        { ...evidence, fencedAt: Math.min(...firstLooks) },
      ]
    }
  }
  // Without agreement only found orders count.
  if (signal.aborted) return []
  const evidence = { kind: 'evidence', ids, fencedAt: begunAt, listed: false, freeze: null } as const
  return [...(await fillsOf(parts, orders, found)), { ...evidence, found: progressIn(found) }]
}

function progressIn(found: Findings['found']): Evidence['found'] {
  return Object.fromEntries(Object.entries(found).map(([id, { progress }]) => [id, progress]))
}

/** Found fills and ends of other orders, in the order of their deals. */
async function fillsOf(
  { inDealOrder }: ResolveParts,
  orders: () => State['orders'],
  found: Findings['found'],
  others: readonly ListedOrder[] = [],
): Promise<NewEvent[]> {
  const known = orders()
  const filled = Object.values(found).filter(({ id, progress }) => known[id]?.filled !== progress.filled)
  const seen = await inDealOrder([...filled, ...others])
  return seen.length === 0 ? [] : [{ kind: 'seen', orders: seen }]
}

/** Makes sure that no earlier request can be admitted any more; false if that fails. */
function fence(parts: ResolveParts): Promise<boolean> {
  return parts.venue.fence(async (ms) => {
    await pause(parts, ms)
    return !parts.signal.aborted
  })
}

/** Waits in venue time. */
async function pause({ clock, venueClock, signal }: ResolveParts, ms: number): Promise<void> {
  await clock.sleep(Math.max(0, ms) / venueClock.speed, signal).catch(() => undefined)
}

type Glance = {
  resting: OrderList
  ended: OrderList
  freeze: Evidence['freeze']
}

/** Reads open orders, then the frozen balance, then ended orders: an order that ends in between is seen at least once. */
async function glance({ venue, listed }: ResolveParts, since: number): Promise<Glance | null> {
  const { account } = venue
  const resting = listed ? await account.openOrders(primary) : nothingListed
  const balances = await account.balances(primary)
  const ended = await account.endedOrders(since, primary)
  if (resting.kind !== 'read' || ended.kind !== 'read' || balances.kind !== 'read') return null
  // An unreadable currency may be frozen.
  const freeze = balances.unread ? null : balances.value.freeze
  return { resting: resting.value, ended: ended.value, freeze }
}

const empty: OrderList = { orders: new Map(), unread: new Set() }
const nothingListed = { kind: 'read', value: empty } as const

/** Listed orders with the searched ids: ours, and those of others. */
type Findings = Required<Pick<Evidence, 'strangers'>> & { found: Record<string, ListedOrder> }

function findingsOf(
  ids: readonly string[],
  glanced: Glance | null,
  orders: State['orders'],
  clock: DatingClock,
): Findings {
  const asked = new Set(ids)
  const findings: Findings = { found: {}, strangers: {} }
  for (const list of [glanced?.resting, glanced?.ended]) {
    for (const listed of list?.orders.values() ?? []) {
      const order = asked.has(listed.id) ? orders[listed.id] : undefined
      if (!order) continue
      const identity = identityOf(order, listed, clock)
      if (identity === 'ours') findings.found[listed.id] = listed
      else findings.strangers[listed.id] = { identity, text: listed.text }
    }
  }
  return findings
}

function agree(one: Search['look'], other: Search['look']): boolean {
  if (!one || one.found !== other?.found) return false
  return one.found || one.print === other.print
}

/** Fingerprint of ended orders and frozen balance, from which open orders are inferred if they are not listed. */
function printOf({ ended, freeze }: Glance, since: number): string {
  const ends = [...ended.orders.values()].filter(({ endedAt }) => (endedAt ?? Infinity) >= since)
  return hash('sha256', JSON.stringify([ends.map(({ venueId }) => venueId).sort(), freeze]))
}

/** Whether an unreadable element may be this order, or evidence of it. */
function isHidden(id: string, { resting, ended }: Glance, listed: boolean): boolean {
  if (!listed && ended.unread.size > 0) return true
  return [resting, ended].some(({ unread }) => mayHide(unread, id))
}

/** Ends of our other orders. */
function othersIn(
  { ended }: Glance,
  ids: readonly string[],
  orders: State['orders'],
  clock: DatingClock,
): ListedOrder[] {
  return [...ended.orders.values()].filter((listed) => {
    const order = ourOrder({ orders }, listed, clock)
    return order !== undefined && order.status !== 'ended' && !ids.includes(listed.id)
  })
}
