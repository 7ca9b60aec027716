import type { Command, Look } from '#src/engine/commands.ts'
import type { SeenOrder } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { ourOrder } from '#src/runtime/account/order-identity.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { ListedOrder, Venue } from '#src/venue/port.ts'
import { SubmitRates } from './submit-rates.ts'
import { cancelAtVenue, tellReplaced, type CancelParts } from './cancel-orders.ts'

export type CommandExecutorParts = {
  venue: Pick<Venue, 'submit' | 'cancel' | 'cancelMax' | 'account' | 'invest'>
  clock: Clock
  venueClock: VenueClock
  /** Maximum delay of the venue's lists. */
  settleMs: number
  /** The current state of the engine. */
  state: () => Pick<State, 'orders' | 'venue' | 'at' | 'strategies' | 'chunks'>
  /** `submit.rate` of a strategy. */
  rateOf: ConstructorParameters<typeof SubmitRates>[0]['rateOf']
  tell: (event: NewEvent) => void
  /** Resolves orders with unknown outcome. */
  resolve: (about: Omit<Look, 'kind'>) => Promise<readonly NewEvent[]>
  /** Progress of listed orders, with the times of their deals. */
  inDealOrder: (listed: readonly ListedOrder[]) => Promise<SeenOrder[]>
  /** Whether orders of this kind may be sent now. */
  mayLeave: (strategy: string, role: 'entry' | 'exit') => boolean
  onBroken: (error: unknown) => void
}

type Queued = { strategy: string; role: 'entry' | 'exit'; ending: AbortController }

/** Executes commands, each at most once, and emits their results. */
export class CommandExecutor {
  readonly #parts: CommandExecutorParts
  readonly #rates: SubmitRates
  readonly #running = new Map<Promise<void>, Command['kind']>()
  /** Aborts queued orders, by strategy and role. */
  readonly #queued = new Map<string, Queued>()
  readonly #ending = new AbortController()

  constructor(parts: CommandExecutorParts) {
    this.#parts = parts
    const { clock, venueClock, rateOf } = parts
    this.#rates = new SubmitRates({ clock, speed: venueClock.speed, rateOf, state: parts.state() })
  }

  /** `decidedAt` is in venue time; deadlines count in local time from here on. */
  carry(command: Command, decidedAt: number): void {
    const running: Promise<void> = this.#act(command, decidedAt)
      .catch((error: unknown) => this.#parts.onBroken(error))
      .finally(() => this.#running.delete(running))
    this.#running.set(running, command.kind)
  }

  /**
   * Call it after a halt or a stop: queued orders that may not be sent any more end as not sent. Orders in flight stay in
   * flight.
   */
  cancelQueued(): void {
    if (this.#running.size === 0) return
    for (const [key, { strategy, role, ending }] of this.#queued) {
      if (this.#parts.mayLeave(strategy, role)) continue
      this.#queued.delete(key)
      ending.abort()
    }
  }

  /** Waits for the results of all cancel requests. */
  async cancelled(): Promise<void> {
    await Promise.all([...this.#running].filter(([, kind]) => kind === 'cancel').map(([running]) => running))
  }

  /** Ends queued orders as not sent, and waits for the answers of those in flight. */
  async finish(): Promise<void> {
    for (const { ending } of this.#queued.values()) ending.abort()
    this.#ending.abort()
    await Promise.all(this.#running.keys())
  }

  /** Waits for the lists of the venue; false if the process ends. */
  async #settled(): Promise<boolean> {
    const { clock, venueClock, settleMs } = this.#parts
    await clock.sleep(settleMs / venueClock.speed, this.#ending.signal).catch(() => {})
    return !this.#ending.signal.aborted
  }

  async #act(command: Command, decidedAt: number): Promise<void> {
    const { venue, clock, venueClock, tell, resolve: look } = this.#parts
    switch (command.kind) {
      case 'submit': {
        const { chunk, strategy, orders, stopOnFail, priority, dueAt, sendBy = dueAt } = command
        const role = priority === 'exits' ? 'exit' : 'entry'
        const signal = this.#signalOf(strategy, role)
        // A deadline is in venue time at the decision, and in local time on the network.
        const begins = clock.monotonic()
        const leftOf = (at: number) => Math.max(0, at - decidedAt - (clock.monotonic() - begins))
        const isEarly = this.#rates.waitMs(strategy, role) > 0
        const request = isEarly ? await this.#rates.turn(strategy, role, signal) : this.#rates.count(strategy)
        const { answers, pausedMs: waitMs } = await venue.submit(orders, {
          stopOnFail,
          priority,
          signal,
          withinMs: () => leftOf(dueAt),
          sendWithinMs: () => leftOf(sendBy),
          onTime: (at) => venueClock.heard(at),
        })
        this.#rates.answered(request)
        const pausedMs = waitMs * venueClock.speed
        tell({ kind: 'answered', chunk, orders: answers, ...(pausedMs > 0 && { pausedMs }) })
        const replaced = orders.flatMap(({ market, amends }, index) =>
          amends && answers[index]?.kind === 'accepted' ? [{ ...amends, market }] : [],
        )
        if (replaced.length > 0) await tellReplaced(this.#cancelParts(), replaced)
        return
      }
      case 'cancel':
        await cancelAtVenue(this.#cancelParts(), command.orders)
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

  #cancelParts(): CancelParts {
    const { venue, venueClock, state, tell, inDealOrder } = this.#parts
    return {
      venue,
      isListed: state().venue.capabilities.includes('open_orders'),
      tell,
      settled: () => this.#settled(),
      isOurs: (listed) => ourOrder(state(), listed, venueClock) !== undefined,
      inDealOrder,
    }
  }

  /** A halt can be in the same batch of events as the decision. */
  #signalOf(strategy: string, role: Queued['role']): AbortSignal {
    if (!this.#parts.mayLeave(strategy, role)) return AbortSignal.abort()
    const key = `${role} ${strategy}`
    let queued = this.#queued.get(key)
    if (!queued) this.#queued.set(key, (queued = { strategy, role, ending: new AbortController() }))
    return queued.ending.signal
  }
}
