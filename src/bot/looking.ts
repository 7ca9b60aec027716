import type { Client } from '#src/client/client.ts'
import type { NonceMode } from '#src/client/nonce.ts'
import { nonceWindowMs } from '#src/contract/envelope.ts'
import type { Command } from '#src/engine/commands.ts'
import type { Evidence, Progress } from '#src/engine/events.ts'
import type { Clock } from '#src/time/clock.ts'
import { endedOrders, restingOrders, type Listed } from './order-lists.ts'
import type { Told } from './driver.ts'
import type { VenueClock } from './venue-clock.ts'

type Look = Extract<Command, { kind: 'look' }>

export type LookingParts = {
  client: Client
  clock: Pick<Clock, 'sleep'>
  venueClock: Pick<VenueClock, 'now' | 'speed'>
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
 * long as the venue may take for what it has admitted; then two looks that agree. `isOpen` tells which other orders of
 * ours may be alive: what the history says of them comes first, because what they hold back is a part of the evidence.
 */
export async function look(
  parts: LookingParts,
  { ids, sentSince }: Look,
  isOpen: (id: string) => boolean,
): Promise<Told[]> {
  const { venueClock, settleMs, listed, signal } = parts
  const fencedAt = venueClock.now()
  const evidence = { kind: 'evidence', ids, fencedAt } as const
  const nothing: Told = { ...evidence, found: {}, listed: false, freeze: null }
  const isFenced = await fence(parts)
  await pause(parts, settleMs)
  const since = sentSince - skewMs * venueClock.speed
  let before = await glance(parts, since)
  for (let looks = 2; looks <= looksMax && !signal.aborted; looks++) {
    await pause(parts, Math.max(apartMs, settleMs))
    const after = await glance(parts, since)
    Object.assign(nothing.found, foundIn(ids, before), foundIn(ids, after))
    if (isFenced && before && after && agree(before, after, { ids, listed })) {
      const { found } = nothing
      return [...othersIn(after, ids, isOpen), { ...evidence, found, listed, freeze: after.freeze }]
    }
    before = after
  }
  // Aborted or not: without agreement only what was found counts.
  return signal.aborted ? [] : [nothing]
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
  resting: ReadonlyMap<string, Listed>
  ended: ReadonlyMap<string, Listed>
  freeze: Evidence['freeze']
}

/**
 * First what rests, then what it holds back, then what has ended: an order that ends meanwhile is seen twice, and never
 * not at all.
 */
async function glance({ client, listed }: LookingParts, since: number): Promise<Glance | null> {
  const resting = listed ? await restingOrders(client) : new Map<string, Listed>()
  const balance = await client.tradingBalance()
  const ended = await endedOrders(client, since)
  if (resting === null || ended === null || balance.kind !== 'answer') return null
  const freeze = Object.entries(balance.value).map(([currency, { freeze: held }]) => [currency, held])
  return { resting, ended, freeze: Object.fromEntries(freeze) }
}

function foundIn(ids: readonly string[], glanced: Glance | null): Record<string, Progress> {
  const [asked, found] = [new Set(ids), new Map<string, Progress>()]
  for (const list of [glanced?.resting, glanced?.ended]) {
    for (const { id, progress } of list?.values() ?? []) if (asked.has(id)) found.set(id, progress)
  }
  return Object.fromEntries(found)
}

/** Where resting orders are not listed, also about all that has ended and is held back: others are concluded from it. */
function agree(before: Glance, after: Glance, { ids, listed }: { ids: string[]; listed: boolean }): boolean {
  const [were, are] = [foundIn(ids, before), foundIn(ids, after)]
  if (ids.some((id) => Object.hasOwn(were, id) !== Object.hasOwn(are, id))) return false
  if (listed || ids.every((id) => Object.hasOwn(are, id))) return true
  const sameEnds =
    before.ended.size === after.ended.size && [...after.ended.keys()].every((id) => before.ended.has(id))
  return sameEnds && JSON.stringify(before.freeze) === JSON.stringify(after.freeze)
}

/** Other orders of ours that have ended. */
function othersIn({ ended }: Glance, ids: readonly string[], isOpen: (id: string) => boolean): Told[] {
  const others = [...ended.values()].filter(({ id }) => !ids.includes(id) && isOpen(id))
  if (others.length === 0) return []
  return [{ kind: 'seen', orders: others.map(({ id, progress }) => Object.assign({ id }, progress)) }]
}
