import { randomUUID } from 'node:crypto'
import { retryAfterMsOf } from '#src/venues/whitebit/client/calls/retry.ts'
import { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { Alert } from './alert.ts'
import { attemptMsMax, isGood, posted, type HttpAnswer } from './http-post.ts'
import type { Message, TargetType } from './target-types.ts'

/** Alerts that wait; beyond them the oldest are dropped, because the newest say how it is now. */
export const waitingMost = 100
/** So many messages may leave within a minute, tries included. */
const rate = { calls: 20, perMs: 60_000 }
/** From the first try of an alert on. */
const budgetMs = 15 * 60_000
const pauseMsFirst = 1000
const pauseMsMax = 60_000
const restMsMax = 10 * 60_000

export type TargetParts = {
  name: string
  way: TargetType
  host: string
  clock: Clock
  /** From 0 to 1, for the jitter of pauses. */
  random: () => number
  /** What came of each alert. Why is said where somebody should know. */
  onOutcome: (outcome: 'told' | 'failed' | 'dropped', reason?: string) => void
}

/** Tells one target of alerts, one after the other, as patiently as it is allowed to. Nobody ever waits for it. */
export class AlertTarget {
  readonly #parts: TargetParts
  readonly #queue: Message[] = []
  readonly #window = new RollingWindow(rate)
  /** No more waiting: one last try for each. */
  readonly #ending = new AbortController()
  /** Not even that. */
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

  tell(alert: Alert): void {
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

  /** Tries once what is left, for so long at most. */
  async end(withinMs: number): Promise<void> {
    this.#ending.abort()
    const timer = setTimeout(() => this.#over.abort(), withinMs)
    await this.#working
    clearTimeout(timer)
  }

  async #work(): Promise<void> {
    // What calls this goes on first: alerts cost it no more than a place in the queue.
    await Promise.resolve()
    for (;;) {
      const message = this.#queue.shift()
      if (message === undefined) return
      const reason = this.#over.signal.aborted ? 'the process ended' : await this.#deliver(message)
      if (reason === undefined) this.#parts.onOutcome('told')
      else this.#parts.onOutcome('failed', reason)
    }
  }

  /** Why it could not be told, if so. */
  async #deliver(message: Message): Promise<string | undefined> {
    const { clock, way, random } = this.#parts
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
      const verdict = verdictOf(answer, way)
      if (verdict.told) return undefined
      if (verdict.final || isLast) return verdict.reason
      const now = clock.monotonic()
      const askedMs = Math.min(restMsMax, restMsOf(answer, way, clock.now()) ?? 0)
      const pauseMs = Math.min(pauseMsMax, pauseMsFirst * 2 ** attempt) * (0.5 + random() / 2)
      this.#restUntil = now + askedMs
      if (now + Math.max(pauseMs, askedMs) >= dueAt) return `${verdict.reason}, after ${attempt + 1} attempts`
      await this.#sleep(pauseMs)
    }
  }

  /** Until it may be tried: it asked for a rest, or has had enough for a minute. */
  #restMs(): number {
    const now = this.#parts.clock.monotonic()
    return Math.max(this.#restUntil - now, this.#window.wait(now))
  }

  async #post(message: Message): Promise<HttpAnswer> {
    const { clock, way } = this.#parts
    const late = new AbortController()
    const done = new AbortController()
    void clock.sleep(attemptMsMax, done.signal).then(
      () => late.abort(),
      () => {},
    )
    const signal = AbortSignal.any([late.signal, this.#over.signal])
    const answer = await posted(way.post(message, clock.now()), signal)
    done.abort()
    return answer
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await this.#parts.clock.sleep(ms, this.#ending.signal).catch(() => {})
  }
}

type Verdict = { told: true } | { told: false; final: boolean; reason: string }

/** What an answer is worth. Only what may pass is tried again. */
export function verdictOf(answer: HttpAnswer, way: TargetType): Verdict {
  if (answer.kind === 'silent') return { told: false, final: false, reason: `no answer (${answer.reason})` }
  const { status, body } = answer
  const good = isGood(answer)
  if (good && way.hasTaken(body)) return { told: true }
  const reason = good ? `${status}, without a confirmation` : String(status)
  const mayPass = good || status >= 500 || status === 408 || status === 425 || status === 429
  return { told: false, final: !mayPass, reason: `the target answered ${reason}` }
}

function restMsOf(answer: HttpAnswer, way: TargetType, now: number): number | undefined {
  if (answer.kind === 'silent') return undefined
  const seconds = way.restSeconds(answer.body)
  return seconds === undefined ? retryAfterMsOf(answer.retryAfter, now) : seconds * 1000
}
