import { isUtf8 } from 'node:buffer'
import { Pool, type Dispatcher } from 'undici'
import { isLoopback } from '#src/core/network/loopback.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { answerBytesMax } from '#src/venues/whitebit/client/answers/answer.ts'
import type { Delivery, Transport } from './transport.ts'

const connectMsMax = 5000
/** Below the five seconds after which Node's servers hang up, so that we rarely write to a closing connection. */
const keepAliveMs = 4000
const timerMsMax = 2 ** 31 - 1

/** Sends requests to one address: `https` with a verified certificate, or `http` to this machine only. */
export function httpTransport(
  baseUrl: string,
  about: {
    connections?: number
    /** Ends what is in flight without an answer: for whoever waits for none any more. */
    signal?: AbortSignal
    /** Masks secrets in an answer before it is used. */
    hide?: (text: string) => string
  } = {},
): Transport {
  const pool = new Pool(originOf(baseUrl), {
    connections: about.connections ?? 1,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    // The deadline of the whole call stands above these: undici's own restart with every byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: answerBytesMax,
    // Said here, the environment cannot turn verification off.
    connect: { timeout: connectMsMax, rejectUnauthorized: true, minVersion: 'TLSv1.2' },
  })
  about.signal?.addEventListener('abort', () => void pool.destroy(), { once: true })
  return {
    send: ({ method, path, query, headers, body }, withinMs) =>
      new Promise((settle) => {
        const conversation = new Conversation(settle, about.hide)
        pool.dispatch(
          {
            method,
            path: query === '' ? path : `${path}?${query}`,
            headers,
            body: body.length === 0 ? null : body,
          },
          conversation,
        )
        // Behind what undici writes at the end of this turn: no byte waits for a clock that is set.
        setImmediate(() => conversation.endIn(Math.min(withinMs, timerMsMax)))
      }),
    close: async () => (pool.destroyed ? undefined : pool.close()),
  }
}

/** One request and its answer. Until `onRequestStart` no byte of it was written; from there on it may have arrived. */
class Conversation implements Dispatcher.DispatchHandler {
  readonly #settle: (delivery: Delivery) => void
  readonly #hide: (text: string) => string
  #timer: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | undefined
  #settled = false
  #status = 0
  #retryAfter: string | undefined
  #chunks: Buffer[] = []

  constructor(settle: (delivery: Delivery) => void, hide = (text: string) => text) {
    this.#settle = settle
    this.#hide = hide
  }

  /** Without an answer by then there is none. */
  endIn(ms: number): void {
    if (!this.#settled) this.#timer = setTimeout(() => this.#expire(), ms)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection, or about to be written again: neither may happen.
    if (this.#settled || this.#controller) {
      controller.abort(new Error('not to be sent'))
      return
    }
    this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status
    const retryAfter = headers['retry-after']
    if (typeof retryAfter === 'string') this.#retryAfter = this.#hide(retryAfter)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [first] = this.#chunks
    const bytes = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    if (!isUtf8(bytes)) this.#end({ kind: 'unanswered', reason: 'The answer is not UTF-8 text' })
    else {
      const headers = this.#retryAfter === undefined ? {} : { 'retry-after': this.#retryAfter }
      const response = { status: this.#status, headers, body: this.#hide(bytes.toString()) }
      this.#end({ kind: 'answered', response })
    }
  }

  onResponseError(_controller: unknown, error: Error): void {
    const reason = reasonOf(error)
    this.#end(this.#controller ? { kind: 'unanswered', reason } : { kind: 'not-sent', reason })
  }

  #expire(): void {
    const controller = this.#controller
    if (!controller) this.#end({ kind: 'not-sent', reason: 'No connection before the deadline' })
    else {
      this.#end({ kind: 'unanswered', reason: 'No complete answer before the deadline' })
      controller.abort(new Error('deadline'))
    }
  }

  #end(delivery: Delivery): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    this.#settle(delivery)
  }
}

function originOf(baseUrl: string): string {
  const fix = 'Write https://host, or http://127.0.0.1:port for the embedded exchange'
  if (!URL.canParse(baseUrl)) throw new BotError('USAGE', { seen: 'the address is not a URL', fix })
  const url = new URL(baseUrl)
  if (
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new BotError('USAGE', { seen: 'the address has more than a host and a port', fix })
  }
  const plainHere = url.protocol === 'http:' && isLoopback(baseUrl)
  if (url.protocol !== 'https:' && !plainHere) {
    throw new BotError('USAGE', { seen: 'the address is neither https nor on this machine', fix })
  }
  return url.origin
}

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused: nothing listens at the address',
  ENOTFOUND: 'The host name is unknown',
  EAI_AGAIN: 'The host name could not be resolved',
  ECONNRESET: 'The connection closed before the complete answer came',
  EPIPE: 'The connection closed before the complete answer came',
  UND_ERR_DESTROYED: 'The request was aborted before the complete answer came',
  UND_ERR_SOCKET: 'The connection closed before the complete answer came',
  UND_ERR_CONNECT_TIMEOUT: 'No connection in time',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'The answer is larger than the client reads',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are larger than the client reads',
}

/** Messages of other people's errors may quote what was sent; their codes are words of a closed list. */
export function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/CERT|SELF_SIGNED|ISSUER|ALTNAME/.test(code)) return 'The certificate of the address is not trusted'
  return (
    sentences[code] ??
    (/^[A-Z][A-Z0-9_]{1,59}$/.test(code) ? `The connection failed (${code})` : 'The connection failed')
  )
}
