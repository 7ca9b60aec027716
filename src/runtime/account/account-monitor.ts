import { hasOpen } from '#src/engine/state/open-orders.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { AccountMonitor } from '#src/runtime/loop/bot.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { resolveUnknown, type ResolveParts } from '#src/runtime/execute/resolve-unknown.ts'
import type { ListedOrder } from '#src/venue/port.ts'
import { readsByOrder } from './shared-client-ids.ts'
import { AccountReading, type ReadingParts } from './account-reading.ts'

export type AccountMonitorParts = ReadingParts &
  Omit<ResolveParts, 'listed' | 'signal' | 'clock' | 'inDealOrder'> & {
    clock: Pick<Clock, 'monotonic' | 'sleep'>
    state: () => State
    tell: (event: NewEvent) => void
    onBroken: (error: unknown) => void
  }

/** Interval of polls; a hint of a stream causes an earlier poll. */
const everyMs = 1000
/** Several hints cause one poll. */
const hintMs = 50

/** Polls orders, positions and balances, and resolves orders with unknown outcome. */
export function startAccountMonitor(parts: AccountMonitorParts): AccountMonitor {
  const { clock, venueClock, state, tell, onBroken, capabilities } = parts
  const account = readsByOrder(parts.venue.account, () => state().orders, venueClock)
  const venue = { ...parts.venue, account }
  // Orders of others since the end of the last process may have closed our positions.
  const since = hasOpen(state()) ? state().at : undefined
  const reading = new AccountReading({ ...parts, venue, ...(since !== undefined && { since }) })
  const closing = new AbortController()
  let dueAt = clock.monotonic()
  let busy: Promise<void> | undefined
  let looking: Promise<readonly NewEvent[]> = Promise.resolve([])

  function beat(): void {
    if (busy || closing.signal.aborted || clock.monotonic() < dueAt) return
    dueAt = clock.monotonic() + everyMs
    busy = readOnce()
      .catch(onBroken)
      .finally(() => {
        busy = undefined
      })
  }

  async function readOnce(): Promise<void> {
    for (const event of await reading.read(state())) tell(event)
  }

  const inDealOrder = (listed: readonly ListedOrder[]) => reading.inDealOrder(state(), listed)

  return {
    async read() {
      await busy
      await readOnce()
      return reading.outcome
    },
    beat,
    hint() {
      dueAt = Math.min(dueAt, clock.monotonic() + hintMs)
    },
    resolve(about) {
      const listed = capabilities.includes('open_orders')
      // One search after the other: each needs the call queue, and later ones profit from its pauses.
      looking = looking.then(() =>
        resolveUnknown(
          { ...parts, venue, listed, signal: closing.signal, inDealOrder },
          about,
          () => state().orders,
          tell,
        ),
      )
      return looking
    },
    inDealOrder,
    contact: () => reading.contact,
    report: () => reading.report,
    found: () => reading.found,
    giveUp: () => closing.abort(),
    async close() {
      closing.abort()
      await Promise.all([busy, looking])
    },
  }
}
