import { isDriftUnsure } from '#src/engine/account/reconcile-positions.ts'
import type { FoundChoice, UnownedOrder } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { StartRetries } from '#src/runtime/compose/start-retries.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { ReadingOutcome } from './account-reading.ts'
import type { Connectivity } from './connectivity.ts'

type StartParts = {
  monitor: {
    read(): Promise<ReadingOutcome>
    contact(): Connectivity
    found(): UnownedOrder[]
  }
  clock: Clock
  state: () => State
  /** Makes an event a step, with all queued events. */
  tell: (event: NewEvent) => void | Promise<void>
  /** Makes the queued events steps. */
  flush: () => void | Promise<void>
  /** Waits for the results of all cancel requests. */
  cancelled: () => Promise<void>
  foundOrders?: FoundChoice | undefined
  say: LogEvent
  signal?: AbortSignal | undefined
  onLost?: ((lost: Connectivity['lost']) => void) | undefined
}

/** Pause between two reads of an account that has changed in between. */
const readAgainMs = 1000
/** How many times the bot cancels orders that it has found. */
const cancelsMost = 3

/**
 * Reads positions, balances and changes of our orders before anything is placed. Positions that differ from ours are read
 * again, since the lists may show a fill late.
 */
export async function readAtStart(parts: StartParts): Promise<void> {
  const { monitor, clock, state, tell, flush, say, signal, onLost = () => {} } = parts
  const retries = new StartRetries({
    clock,
    signal,
    what: 'the bot',
    alert: (message) => say({ type: 'alert', message }),
    onLost,
  })
  for (let cancels = 0; ;) {
    const outcome = await monitor.read()
    void flush()
    if (outcome === 'lost') await retries.failed(monitor.contact().lost?.reason ?? 'it does not answer')
    else if (outcome === 'moved' || isDriftUnsure(state())) await clock.sleep(readAgainMs, signal)
    else if (await tellFound(parts, cancels === cancelsMost)) cancels += 1
    else break
  }
  retries.succeeded()
  void tell({ kind: 'accountRead' })
}

/** Whether the account must be read again, because orders that it has were cancelled. */
async function tellFound(
  { monitor, clock, state, tell, cancelled, foundOrders: choice = 'stop', signal }: StartParts,
  isLast: boolean,
): Promise<boolean> {
  const orders = monitor.found()
  if (orders.length === 0) return false
  await tell({ kind: 'found', orders, choice, ...(isLast && { isLast }) })
  const isOpen = orders.some(({ ended }) => !ended)
  const canCancel = state().venue.capabilities.includes('cancel')
  if (choice !== 'cancel' || isLast || !isOpen || !canCancel) return false
  await cancelled()
  await clock.sleep(readAgainMs, signal)
  return true
}
