import type { Clock } from '#src/core/time/clock.ts'
import type { SimulatedTime } from './simulated-time.ts'

/** Key of `receivedAt` for prices that were polled. */
export const anyMarket = '*'

/** Thrown where the process was killed during an operation. */
export const killed = new Error('the process was killed')

/**
 * One process of the bot: running, frozen or dead. Inputs pass through `deliver`, operations through `operation`. A dead
 * process has no effect, although its promises still exist.
 */
export class SimulatedMachine {
  status: 'running' | 'frozen' | 'dead' = 'running'
  /** Signed requests that wait for their answers. */
  unanswered = 0
  /** Time of the last prices, by market. */
  readonly receivedAt = new Map<string, number>()
  readonly #waiting: (() => void)[] = []
  readonly #onOperation: (what: string) => void
  readonly #onKilled: (() => void)[] = []

  constructor(onOperation: (what: string) => void) {
    this.#onOperation = onOperation
  }

  /** Counts an operation; the plan may kill the process here. False if the process is dead. */
  operation(what: string): boolean {
    if (this.status !== 'dead') this.#onOperation(what)
    return this.status !== 'dead'
  }

  deliver(act: () => void): void {
    if (this.status === 'running') act()
    else if (this.status === 'frozen') this.#waiting.push(act)
  }

  freeze(): void {
    if (this.status === 'running') this.status = 'frozen'
  }

  thaw(): void {
    if (this.status !== 'frozen') return
    this.status = 'running'
    for (const act of this.#waiting.splice(0)) this.deliver(act)
  }

  onKilled(act: () => void): void {
    this.#onKilled.push(act)
  }

  kill(): void {
    if (this.status === 'dead') return
    this.status = 'dead'
    this.#waiting.length = 0
    for (const act of this.#onKilled) act()
  }
}

/** Never settles: its caller belongs to a process that has ended. */
export function never<Result>(): Promise<Result> {
  return new Promise(() => {})
}

type MachineClockParts = {
  time: SimulatedTime
  beginsAt: number
  machine: SimulatedMachine
  /** Error of the wall clock. */
  wall: { skewMs: number }
}

/** Clocks of the bot's computer: the wall clock can be wrong and can be stepped. */
export class MachineClock implements Clock {
  readonly #parts: MachineClockParts

  constructor(parts: MachineClockParts) {
    this.#parts = parts
  }

  now(): number {
    const { beginsAt, time, wall } = this.#parts
    return Math.floor(beginsAt + time.elapsed + wall.skewMs)
  }

  monotonic(): number {
    return this.#parts.time.elapsed
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { time, machine } = this.#parts
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (!machine.operation('sleep')) return never()
    return new Promise((resolve, reject) => {
      const cancel = time.after(ms, () =>
        machine.deliver(() => {
          signal?.removeEventListener('abort', aborted)
          resolve()
        }),
      )
      const aborted = () => {
        cancel()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', aborted, { once: true })
    })
  }
}
