import { randomUUID } from 'node:crypto'
import { retryAfterMsOf } from '#src/venues/whitebit/client/calls/retry.ts'
import { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { Alert } from './alert.ts'
import { attemptMsMax, isSuccess, post, type HttpAnswer } from './http-post.ts'
import type { Message, TargetType } from './target-types.ts'

/** Size of the queue. The oldest alert is dropped, because the newest one describes the current situation. */
export const waitingMost = 100
/** Retries count too. */
const rate = { calls: 20, perMs: 60_000 }
/** From the first attempt to deliver an alert. */
const budgetMs = 15 * 60_000
const pauseMsFirst = 1000
const pauseMsMax = 60_000
const retryAfterMsMax = 10 * 60_000

export type TargetParts = {
  name: string
  targetType: TargetType
  host: string
  clock: Clock
  /** From 0 to 1, for the jitter of pauses. */
  random: () => number
  /** The reason is given for alerts that are lost. */
  onOutcome: (outcome: 'told' | 'failed' | 'dropped', reason?: string) => void
}

/** Delivers alerts to one target, one after the other, with retries. The bot never waits for it. */
export class AlertTarget {
  readonly #parts: TargetParts
  readonly #queue: Message[] = []
  readonly #window = new RollingWindow(rate)
  /** Aborted at shutdown: each waiting alert gets one last attempt. */
  readonly #ending = new AbortController()
  /** Aborted when the time for shutdown is over: no more attempts. */
  readonly #over = new AbortController()
  #restUntil = -Infinity
  #working: Promise<void> | undefined

  constructor(parts: TargetParts) {
    this.#parts = parts
  }

  get name(): string {
    return this.#parts.name
  }

  get waiting(): number {
    return this.#queue.length
  }

  enqueue(alert: Alert): void {
    const { host, clock, onOutcome } = this.#parts
    const time = new Date(clock.now()).toISOString()
    this.#queue.push({ id: randomUUID(), host, time, alert })
    if (this.#queue.length > waitingMost) {
      this.#queue.shift()
      onOutcome('dropped', `${waitingMost} other alerts wait already`)
    }
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  /** Attempts each waiting alert once, within this time. */
  async end(withinMs: number): Promise<void> {
    this.#ending.abort()
    const timer = setTimeout(() => this.#over.abort(), withinMs)
    await this.#working
    clearTimeout(timer)
  }

  async #work(): Promise<void> {
    // The caller continues first: an alert costs it only a place in the queue.
    await Promise.resolve()
    for (;;) {
      const message = this.#queue.shift()
      if (message === undefined) return
      const reason = this.#over.signal.aborted ? 'the process ended' : await this.#deliver(message)
      if (reason === undefined) this.#parts.onOutcome('told')
      else this.#parts.onOutcome('failed', reason)
    }
  }

  /** Returns the reason if the alert could not be delivered. */
  async #deliver(message: Message): Promise<string | undefined> {
    const { clock, targetType, random } = this.#parts
    let dueAt = Infinity
    for (let attempt = 0; ; attempt += 1) {
      while (this.#restMs() > 0) {
        if (this.#ending.signal.aborted) return 'the process ended before the first attempt'
        await this.#sleep(this.#restMs())
      }
      const at = clock.monotonic()
      dueAt = Math.min(dueAt, at + budgetMs)
      this.#window.count(at)
      const isLast = this.#ending.signal.aborted
      const answer = await this.#post(message)
      const verdict = verdictOf(answer, targetType)
      if (verdict.told) return undefined
      if (verdict.final || isLast) return verdict.reason
      const now = clock.monotonic()
      const askedMs = Math.min(retryAfterMsMax, targetRetryAfterMs(answer, targetType, clock.now()) ?? 0)
      const pauseMs = Math.min(pauseMsMax, pauseMsFirst * 2 ** attempt) * (0.5 + random() / 2)
      this.#restUntil = now + askedMs
      if (now + Math.max(pauseMs, askedMs) >= dueAt) return `${verdict.reason}, after ${attempt + 1} attempts`
      await this.#sleep(pauseMs)
    }
  }

  /** Time until the next attempt is allowed by the target's retry-after and by the rate limit. */
  #restMs(): number {
    const now = this.#parts.clock.monotonic()
    return Math.max(this.#restUntil - now, this.#window.wait(now))
  }

  async #post(message: Message): Promise<HttpAnswer> {
    const { clock, targetType } = this.#parts
    const late = new AbortController()
    const done = new AbortController()
    void clock.sleep(attemptMsMax, done.signal).then(
      () => late.abort(),
      () => {},
    )
    const signal = AbortSignal.any([late.signal, this.#over.signal])
    const answer = await post(targetType.post(message, clock.now()), signal)
    done.abort()
    return answer
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await this.#parts.clock.sleep(ms, this.#ending.signal).catch(() => {})
  }
}

type Verdict = { told: true } | { told: false; final: boolean; reason: string }

/** Only temporary errors are retried. */
export function verdictOf(answer: HttpAnswer, targetType: TargetType): Verdict {
  if (answer.kind === 'silent') return { told: false, final: false, reason: `no answer (${answer.reason})` }
  const { status, body } = answer
  const good = isSuccess(answer)
  if (good && targetType.isConfirmed(body)) return { told: true }
  const reason = good ? `${status}, without a confirmation` : String(status)
  const mayPass = good || status >= 500 || status === 408 || status === 425 || status === 429
  return { told: false, final: !mayPass, reason: `the target answered ${reason}` }
}

function targetRetryAfterMs(answer: HttpAnswer, targetType: TargetType, now: number): number | undefined {
  if (answer.kind === 'silent') return undefined
  const seconds = targetType.retryAfterSeconds(answer.body)
  return seconds === undefined ? retryAfterMsOf(answer.retryAfter, now) : seconds * 1000
}
