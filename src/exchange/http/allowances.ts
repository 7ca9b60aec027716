import { RollingWindow, type RateLimit } from '#src/venues/whitebit/contract/rolling-window.ts'

/** Rolling windows by name, at most so many: a crowd of addresses cannot fill the memory. */
export class Allowances {
  static readonly #most = 10_000
  readonly #enabled: boolean
  readonly #windows = new Map<string, RollingWindow>()

  constructor(enabled: boolean) {
    this.#enabled = enabled
  }

  /** Counts a call and returns 0, or returns how many milliseconds to wait for the next one. */
  take(name: string, limit: RateLimit, now: number): number {
    if (!this.#enabled) return 0
    let window = this.#windows.get(name)
    if (window === undefined) {
      const [oldest] = this.#windows.keys()
      if (oldest !== undefined && this.#windows.size >= Allowances.#most) this.#windows.delete(oldest)
      window = new RollingWindow(limit)
      this.#windows.set(name, window)
    }
    const wait = window.wait(now)
    if (wait === 0) window.count(now)
    return wait
  }
}
