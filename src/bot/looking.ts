import type { Client } from '#src/client/client.ts'
import type { NonceMode } from '#src/client/nonce.ts'
import { nonceWindowMs } from '#src/contract/envelope.ts'
import type { Command } from '#src/engine/commands.ts'
import type { Evidence } from '#src/engine/events.ts'
import type { State } from '#src/engine/state.ts'
import type { Clock } from '#src/time/clock.ts'
import { identityOf, ourOrder, type DatingClock } from './order-identity.ts'
import { endedOrders, mayHide, restingOrders, type List } from './order-lists.ts'
import type { Told } from './driver.ts'
import type { VenueClock } from './venue-clock.ts'

type Look = Extract<Command, { kind: 'look' }>

export type LookingParts = {
  client: Client
  clock: Pick<Clock, 'sleep'>
  venueClock: Pick<VenueClock, 'now' | 'speed' | 'isSure'>
  nonce: NonceMode
  /** The longest time between the admission of a request and its traces in the lists of the venue. */
  settleMs: number
  /** Whether the venue lists orders that rest. */
  listed: boolean
  /** The process ends: whoever looks gives up, and the next one looks again. */
  signal: AbortSignal
}

/** Two looks are at least so far apart: what a venue shows may lie behind what it has done. */
const apartMs = 2000
/** How wrong two clocks can be about each other. */
const clockErrorMs = 2000
/** By how much an order can have ended, by the venue's word, before we noted that we send it. */
const skewMs = 60_000
const looksMax = 4

/**
 * What became of orders that nobody answered for. First a fence, after which no older request can be admitted; then as
 * long as the venue may take for what it has admitted; then two looks that agree. `orders` are all that we know: what the
 * history says of others of ours comes first, because what they hold back is a part of the evidence.
 */
export async function look(
  parts: LookingParts,
  { ids, sentSince }: Look,
  orders: () => State['orders'],
): Promise<Told[]> {
  const { venueClock, settleMs, listed, signal } = parts
  const evidence = { kind: 'evidence', ids, fencedAt: venueClock.now() } as const
  const isFenced = await fence(parts)
  await pause(parts, settleMs)
  const since = sentSince - skewMs * venueClock.speed
  const findings = (glanced: Glance | null) => findingsOf(ids, glanced, orders(), venueClock)
  const found: Findings['found'] = {}
  let before = await glance(parts, since)
  for (let looks = 2; looks <= looksMax && !signal.aborted; looks++) {
    await pause(parts, Math.max(apartMs, settleMs))
    const after = await glance(parts, since)
    const [were, are] = [findings(before), findings(after)]
    Object.assign(found, were.found, are.found)
    if (isFenced && before && after && agree([before, were.found], [after, are.found], { ids, listed })) {
      const others = othersIn(after, ids, orders(), venueClock)
      return [...others, { ...evidence, found, strangers: are.strangers, listed, freeze: after.freeze }]
    }
    before = after
  }
  // Aborted or not: without agreement only what was found counts.
  return signal.aborted ? [] : [{ ...evidence, found, listed: false, freeze: null }]
}

/** Whether no request that left before can be admitted any more. */
async function fence(parts: LookingParts): Promise<boolean> {
  // A nonce of this kind is good for as long as the window is wide, whatever came after it.
  if (parts.nonce === 'window') await pause(parts, nonceWindowMs + clockErrorMs)
  // Calls leave one after the other with rising nonces, and what we ask about has come back, answered or not.
  const later = await parts.client.tradingBalance()
  return later.kind === 'answer'
}

/** In the time of the venue, which may run faster than ours. */
async function pause({ clock, venueClock, signal }: LookingParts, ms: number): Promise<void> {
  await clock.sleep(ms / venueClock.speed, signal).catch(() => undefined)
}

type Glance = {
  resting: List
  ended: List
  freeze: Evidence['freeze']
}

/**
 * First what rests, then what it holds back, then what has ended: an order that ends meanwhile is seen twice, and never
 * not at all.
 */
async function glance({ client, listed }: LookingParts, since: number): Promise<Glance | null> {
  const resting = listed ? await restingOrders(client) : empty
  const balance = await client.tradingBalance()
  const ended = await endedOrders(client, since)
  if (resting === null || ended === null || balance.kind !== 'answer') return null
  const freeze = Object.entries(balance.value).map(([currency, { freeze: held }]) => [currency, held])
  // What is held back in a currency that could not be read is not nothing.
  return { resting, ended, freeze: balance.unread ? null : Object.fromEntries(freeze) }
}

const empty: List = { orders: new Map(), unread: new Set() }

/** What lists show under the ids that are asked about: our orders, and those of others. */
type Findings = Required<Pick<Evidence, 'found' | 'strangers'>>

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
      if (identity === 'ours') findings.found[listed.id] = listed.progress
      else findings.strangers[listed.id] = { identity, text: listed.text }
    }
  }
  return findings
}

type Looked = [Glance, Findings['found']]

/** Where resting orders are not listed, also about all that has ended and is held back: others are concluded from it. */
function agree(
  [before, were]: Looked,
  [after, are]: Looked,
  { ids, listed }: { ids: string[]; listed: boolean },
): boolean {
  if (ids.some((id) => Object.hasOwn(were, id) !== Object.hasOwn(are, id))) return false
  const missing = ids.filter((id) => !Object.hasOwn(are, id))
  if (missing.length === 0) return true
  const lists = [before.resting, before.ended, after.resting, after.ended]
  if (lists.some(({ unread }) => missing.some((id) => mayHide(unread, id)))) return false
  if (listed) return true
  const [ends, endsNow] = [before.ended.orders, after.ended.orders]
  const isWhole = before.ended.unread.size + after.ended.unread.size === 0
  const sameEnds = ends.size === endsNow.size && [...endsNow.keys()].every((id) => ends.has(id))
  return isWhole && sameEnds && JSON.stringify(before.freeze) === JSON.stringify(after.freeze)
}

/** Other orders of ours that have ended. */
function othersIn(
  { ended }: Glance,
  ids: readonly string[],
  orders: State['orders'],
  clock: DatingClock,
): Told[] {
  const others = [...ended.orders.values()].filter((listed) => {
    const order = ourOrder({ orders }, listed, clock)
    return order !== undefined && order.status !== 'ended' && !ids.includes(listed.id)
  })
  if (others.length === 0) return []
  return [{ kind: 'seen', orders: others.map(({ id, progress }) => Object.assign({ id }, progress)) }]
}
