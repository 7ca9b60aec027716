import type { Order, State } from '#src/engine/state/state.ts'
import type { SimulatedExchange } from './simulated-exchange.ts'
import type { SimulatedTime } from './simulated-time.ts'

/** The account is read every second. */
const readEveryMs = 1000
/**
 * Ended orders that a strategy may keep, besides one for each rung or exit and those of the last minutes: a minute until an
 * order may be forgotten, a minute between two times of that, and another one for a process that is frozen.
 */
const endedMost = 300
const endedMs = 240_000

type Counted = Pick<State, 'at' | 'chunks'> & {
  orders: Record<string, Pick<Order, 'id' | 'strategy' | 'status' | 'endedAt'>>
}

/** What has grown beyond its bound; `waiting` requests are in the client, which makes so many kinds of `reads`. */
export function excesses(state: Counted, about: { waiting: number; reads: number }): string[] {
  const found: string[] = []
  const orders = Object.values(state.orders)
  // A list may show the end of an order before the answer to its request arrives.
  const isRecent = ({ endedAt }: Pick<Order, 'endedAt'>) => endedAt === null || state.at - endedAt <= endedMs
  const recent = orders.filter(isRecent).length
  const chunks = Object.keys(state.chunks).length
  if (chunks > recent) found.push(`${chunks} requests are in flight for ${recent} orders`)
  // A request that waits places or cancels at least one order, or it is a read; of each read one is enough.
  const live = orders.filter(({ status }) => status !== 'ended').length
  const most = live + about.reads
  if (about.waiting > most) found.push(`${about.waiting} requests wait in the client, for ${live} orders`)
  const strategies = Map.groupBy(
    orders.filter((order) => !isRecent(order)),
    ({ strategy }) => strategy,
  )
  for (const [strategy, ended] of strategies) {
    const labels = new Set(ended.map(({ id }) => id.slice(0, id.lastIndexOf('.')))).size
    if (ended.length > endedMost + labels)
      found.push(`${strategy} remembers ${ended.length} old orders of ${labels} rungs and exits`)
  }
  return found
}

/** The clock of the machine is set an hour ahead, then an hour back: the next signed request may take twice the usual time. */
export async function stepClock(about: {
  time: SimulatedTime
  wall: { skewMs: number }
  oracle: { signedAt: number; fail(invariant: string, what: string): void }
  venue: SimulatedExchange
}): Promise<void> {
  const { time, wall, oracle, venue } = about
  const most = 2 * (readEveryMs + venue.executionDelayMs)
  for (const skewMs of [3_600_000, -3_600_000]) {
    const from = time.elapsed
    wall.skewMs = skewMs
    await time.runUntil(from + most)
    if (oracle.signedAt <= from)
      oracle.fail('I18', `no signed request leaves within ${most} ms of a step of the clock`)
  }
}
