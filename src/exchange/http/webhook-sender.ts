import { Secret, signedHeaders } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import { noticeBody } from '#src/exchange/account-data/deposit-notices.ts'

/** Sends webhooks out: each when it is due, one at a time, whatever the receiver does. */
export class WebhookSender {
  static readonly #timeoutMs = 10_000
  static readonly #longestSleepMs = 60_000
  readonly #exchange: Exchange
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #closed = false
  readonly #calledOff = new AbortController()
  #lastNonce = 0
  readonly #durable: () => Promise<void>

  constructor(exchange: Exchange, now: () => number, durable: () => Promise<void>) {
    this.#exchange = exchange
    this.#now = now
    this.#durable = durable
  }

  /** To be called to begin with, and whenever a notice may have become due: time was turned, a deposit was canceled. */
  wake(): void {
    if (this.#closed || this.#sending) return
    clearTimeout(this.#timer)
    const dueAt = Math.min(...this.#exchange.state.outbox.map((notice) => notice.dueAt))
    if (dueAt === Infinity) return
    const sleepMs = Math.min(WebhookSender.#longestSleepMs, Math.max(0, dueAt - this.#now()))
    this.#timer = setTimeout(() => {
      this.#sending = this.#sendDue()
        // The disk refused, which was told where it was found: nothing more goes out.
        .catch(() => {
          this.#closed = true
        })
        .finally(() => {
          this.#sending = undefined
          this.wake()
        })
    }, sleepMs)
  }

  async #sendDue(): Promise<void> {
    const { state } = this.#exchange
    for (const notice of state.outbox.filter(({ dueAt }) => dueAt <= this.#now())) {
      if (this.#closed) return
      this.#lastNonce = Math.max(this.#lastNonce + 1, this.#now())
      const body = noticeBody(this.#exchange.venue, notice, this.#lastNonce)
      const received = await this.#post(notice.account, body)
      // Called off on the way: it comes again after the next start, as if it had not been tried.
      if (this.#closed && !received) return
      this.#exchange.noticeSent(notice.id, received, this.#now())
      await this.#durable()
    }
  }

  /** True when the receiver said 200; anything else, silence included, means the notice comes again. */
  async #post(account: string, notice: object | undefined): Promise<boolean> {
    const hook = this.#exchange.venue.world.accounts[account]?.webhook
    if (hook === undefined || notice === undefined) return false
    const body = Buffer.from(JSON.stringify(notice))
    try {
      const response = await fetch(hook.url, {
        method: 'POST',
        headers: signedHeaders({ key: hook.key, secret: new Secret(hook.secret) }, body),
        body,
        redirect: 'error',
        signal: AbortSignal.any([this.#calledOff.signal, AbortSignal.timeout(WebhookSender.#timeoutMs)]),
      })
      await response.body?.cancel()
      return response.status === 200
    } catch {
      // No receiver, a reset, a timeout: each is simply "not received".
      return false
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#calledOff.abort()
    await this.#sending
  }
}
