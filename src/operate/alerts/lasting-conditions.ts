import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import type { CompiledByName } from '#src/operate/dashboard/strategy-cache.ts'
import type { State } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { dayEquityOf } from '#src/engine/account/equity.ts'
import { moneyOfLimit } from '#src/strategy/file/capital.ts'
import { conditionAlert, type Alert } from './alert.ts'

export type ConditionDelays = { doubt: number; stream: number; account: number }
export type BotView = {
  state: Pick<State, 'at' | 'orders' | 'strategies'>
  known: CompiledByName
  contact: Connectivity
}

/** Detects conditions that last too long, which no event reports. */
export class LastingConditions {
  readonly #after: ConditionDelays
  #readAt: { value: number | null; since: number }
  #streamLost: { since: number; reason: string } | undefined
  /** By cause. */
  #active = new Map<string, Alert>()

  /** Times are monotonic. */
  constructor(after: ConditionDelays, now: number) {
    this.#after = after
    this.#readAt = { value: null, since: now }
  }

  streamLost(reason: string, now: number): void {
    this.#streamLost ??= { since: now, reason }
  }

  streamConnected(): void {
    this.#streamLost = undefined
  }

  /** Returns alerts for conditions that began or ended since the last check. */
  check(seen: BotView, now: number): Alert[] {
    const found = new Map(
      [...this.#doubts(seen), ...this.#account(seen, now), ...this.#stream(now), ...dailyLosses(seen)].map(
        (alert) => [alert.cause, alert],
      ),
    )
    const begun = [...found.values()].filter(({ cause }) => !this.#active.has(cause))
    const over = [...this.#active.values()].filter(({ cause }) => !found.has(cause))
    this.#active = found
    return [...begun, ...over.map(ended)]
  }

  *#doubts({ state: { at, orders } }: BotView): Iterable<Alert> {
    const doubtful = Object.values(orders).flatMap(({ id, strategy, status, doubtfulSince }) =>
      status === 'doubtful' && doubtfulSince !== null && at - doubtfulSince >= this.#after.doubt
        ? [{ id, strategy, since: doubtfulSince }]
        : [],
    )
    for (const [strategy, own] of Map.groupBy(doubtful, (each) => each.strategy)) {
      const oldest = own.reduce((one, other) => (other.since < one.since ? other : one))
      const text = `${own.length} with unknown outcome, the oldest for ${spanText(at - oldest.since)}: ${oldest.id}`
      yield conditionAlert('doubt-lasts', strategy, text)
    }
  }

  *#account({ contact: { readAt, lost } }: BotView, now: number): Iterable<Alert> {
    if (readAt !== this.#readAt.value) this.#readAt = { value: readAt, since: now }
    const ms = now - this.#readAt.since
    if (ms < this.#after.account) return
    const why = lost === null ? '' : `: ${lost.reason}`
    yield conditionAlert('account-unread', '', `not read for ${spanText(ms)}${why}`)
  }

  *#stream(now: number): Iterable<Alert> {
    if (this.#streamLost === undefined) return
    const { since, reason } = this.#streamLost
    if (now - since < this.#after.stream) return
    yield conditionAlert('stream-silent', '', `not connected for ${spanText(now - since)}: ${reason}`)
  }
}

function* dailyLosses({ state, known }: BotView): Iterable<Alert> {
  for (const [name, { strategy }] of known) {
    const limit = strategy.risk.daily_loss
    const worth = state.strategies[name]?.worth
    const most = limit && moneyOfLimit(limit, dayEquityOf(worth))
    if (!most || !worth) continue
    const loss = new Decimal(worth.dayBegan).minus(worth.result)
    if (loss.lt(most)) continue
    const text = `${loss.toFixed()} lost since 00:00 UTC, the limit is ${most.toFixed()}`
    yield conditionAlert('daily-loss', name, text)
  }
}

function ended(alert: Alert): Alert {
  return {
    ...alert,
    cause: `${alert.cause} over`,
    title: `over: ${alert.title}`,
    text: `over: ${alert.text}`,
  }
}

function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`
}
