import type { Command, Look } from '#src/engine/commands.ts'
import type { SeenOrder } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { ourOrder } from '#src/runtime/account/order-identity.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { ListedOrder, Venue } from '#src/venue/port.ts'
import { cancelAtVenue } from './cancel-orders.ts'

export type CommandExecutorParts = {
  venue: Pick<Venue, 'submit' | 'cancel' | 'cancelMax' | 'account' | 'invest'>
  clock: Clock
  venueClock: VenueClock
  /** The longest time between what happens at the venue and its traces in the lists of the venue. */
  settleMs: number
  /** What is known of our orders at this moment. */
  state: () => Pick<State, 'orders' | 'venue'>
  tell: (event: NewEvent) => void
  /** Finds out what became of orders in doubt. */
  look: (about: Omit<Look, 'kind'>) => Promise<readonly NewEvent[]>
  /** How far orders have come that a list shows, with the times of their deals where those count. */
  inDealOrder: (listed: readonly ListedOrder[]) => Promise<SeenOrder[]>
  /** Whether orders of this kind may leave at this moment. */
  mayLeave: (strategy: string, role: 'entry' | 'exit') => boolean
  onBroken: (error: unknown) => void
}

type Queued = { strategy: string; role: 'entry' | 'exit'; ending: AbortController }

/** Carries commands out, each at most once; what comes of them is told. */
export class CommandExecutor {
  readonly #parts: CommandExecutorParts
  readonly #running = new Set<Promise<void>>()
  /** By strategy and role: ends what waits in the queue. */
  readonly #queued = new Map<string, Queued>()
  readonly #ending = new AbortController()

  constructor(parts: CommandExecutorParts) {
    this.#parts = parts
  }

  /** It was decided at this time of the venue: how long it is worth something is counted by our own time from here on. */
  carry(command: Command, decidedAt: number): void {
    const running: Promise<void> = this.#act(command, decidedAt)
      .catch((error: unknown) => this.#parts.onBroken(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /**
   * Call it after a halt or a stop: queued orders that may not be sent any more end as not sent. Orders in flight stay in
   * flight.
   */
  cancelQueued(): void {
    for (const [key, { strategy, role, ending }] of this.#queued) {
      if (this.#parts.mayLeave(strategy, role)) continue
      this.#queued.delete(key)
      ending.abort()
    }
  }

  /** Ends queued orders as not sent, and waits for the answers of those in flight. */
  async finish(): Promise<void> {
    for (const { ending } of this.#queued.values()) ending.abort()
    this.#ending.abort()
    await Promise.all(this.#running)
  }

  /** Whether it was waited for: at the end of the process nobody waits. */
  async #settled(): Promise<boolean> {
    const { clock, venueClock, settleMs } = this.#parts
    await clock.sleep(settleMs / venueClock.speed, this.#ending.signal).catch(() => {})
    return !this.#ending.signal.aborted
  }

  async #act(command: Command, decidedAt: number): Promise<void> {
    const { venue, clock, venueClock, state, tell, look, inDealOrder } = this.#parts
    switch (command.kind) {
      case 'submit': {
        const { chunk, strategy, orders, stopOnFail, priority, dueAt } = command
        const role = priority === 'exits' ? 'exit' : 'entry'
        const signal = this.#signalOf(strategy, role)
        // A deadline is a span of the venue's time when it is decided, and of our own time on the network.
        const endsAt = clock.monotonic() + dueAt - decidedAt
        const { answers, pausedMs: waitMs } = await venue.submit(orders, {
          stopOnFail,
          priority,
          signal,
          withinMs: () => Math.max(0, endsAt - clock.monotonic()),
          onTime: (at) => venueClock.heard(at),
        })
        const pausedMs = waitMs * venueClock.speed
        tell({ kind: 'answered', chunk, orders: answers, ...(pausedMs > 0 && { pausedMs }) })
        return
      }
      case 'cancel':
        await cancelAtVenue(
          {
            venue,
            isListed: state().venue.capabilities.includes('open_orders'),
            tell,
            settled: () => this.#settled(),
            isOurs: (listed) => ourOrder(state(), listed, venueClock) !== undefined,
            inDealOrder,
          },
          command.orders,
        )
        return
      case 'look':
        for (const event of await look(command)) tell(event)
        return
      case 'invest': {
        const signal = this.#signalOf(command.strategy, 'entry')
        tell({ kind: 'invested', id: command.id, ...(await venue.invest(command, signal)) })
      }
    }
  }

  /** It may have been halted in the very batch of events in which it was decided. */
  #signalOf(strategy: string, role: Queued['role']): AbortSignal {
    if (!this.#parts.mayLeave(strategy, role)) return AbortSignal.abort()
    const key = `${role} ${strategy}`
    let queued = this.#queued.get(key)
    if (!queued) this.#queued.set(key, (queued = { strategy, role, ending: new AbortController() }))
    return queued.ending.signal
  }
}
