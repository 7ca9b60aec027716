// The event stream of the bot. A broken connection is opened again, with growing pauses.

/**
 * @typedef {{ kind: 'waiting' } | { kind: 'open' } | { kind: 'lost', tries: number, nextAt: number }
 *   | { kind: 'refused' }} LineState
 */

const pausesMs = [250, 500, 1000, 2000, 4000]
/** The bot sends updates ten times a second. After this silence the bot or the tunnel is gone. */
const silenceMs = 3000
/** Maximum size of a message. */
const longestMessage = 32 * 1024 * 1024

export class Connection {
  #token
  #port
  /** @type {Promise<CryptoKey> | undefined} */
  #key
  #onState
  #onMessage
  #tries = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /**
   * @param {string} token
   * @param {string} port Where the bot listens; through a tunnel the page has another one.
   * @param {(state: LineState) => void} onState
   * @param {(event: string, data: unknown) => void} onMessage
   */
  constructor(token, port, onState, onMessage) {
    this.#token = token
    this.#port = port
    this.#onState = onState
    this.#onMessage = onMessage
    addEventListener('online', () => this.#hurry())
    document.addEventListener('visibilitychange', () => this.#hurry())
  }

  async open() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#tries === 0) this.#onState({ kind: 'waiting' })
    const line = new AbortController()
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let silence
    const onHeard = () => {
      clearTimeout(silence)
      silence = setTimeout(() => line.abort(), silenceMs)
    }
    onHeard()
    // The bot does not answer.
    let isForeign = false
    const answer = await this.#ask('/events', { signal: line.signal }).catch((error) => {
      isForeign = error instanceof NoProof
    })
    if (answer?.ok === true && answer.body !== null) await this.#read(answer.body, onHeard)
    clearTimeout(silence)
    // Another program may have the port during a restart of the bot.
    this.#again()
    if (isForeign) this.#onState({ kind: 'refused' })
  }

  /**
   * Answers are JSON; a refusal has an error message.
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<unknown>}
   */
  async call(path, body) {
    const how = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const answer = await this.#ask(path, how)
    const said = await answer.json().catch(() => ({}))
    if (answer.ok) return said
    throw new Error(
      typeof said?.error === 'string' ? said.error : `the bot refused with ${String(answer.status)}`,
    )
  }

  /**
   * The text of a file.
   * @param {string} path
   */
  async text(path) {
    const answer = await this.#ask(path)
    if (!answer.ok) throw new Error(`the bot refused with ${String(answer.status)}`)
    return answer.text()
  }

  /**
   * @param {string} path
   * @param {{ method?: string, headers?: Record<string, string>, body?: string, signal?: AbortSignal }} [how]
   */
  async #ask(path, how) {
    await this.#demandProof(how?.signal)
    return fetch(path, {
      ...how,
      headers: { ...how?.headers, authorization: `Bearer ${this.#token}` },
      cache: 'no-store',
    })
  }

  /**
   * Another program may have taken the port: the token is sent only to a listener that proves that it knows the token.
   * @param {AbortSignal} [signal]
   */
  async #demandProof(signal) {
    const nonce = hex(crypto.getRandomValues(new Uint8Array(24)))
    const answer = await fetch(`/proof?nonce=${nonce}`, { cache: 'no-store', signal: signal ?? null })
    const told = await answer.json().catch(() => ({}))
    const text = new TextEncoder()
    this.#key ??= crypto.subtle.importKey(
      'raw',
      text.encode(this.#token),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    )
    const signed = await crypto.subtle.sign(
      'HMAC',
      await this.#key,
      text.encode(`rungs listener ${this.#port} ${nonce}`),
    )
    if (told?.proof !== hex(new Uint8Array(signed)))
      throw new NoProof('the program at this address did not prove that it knows the token')
  }

  /**
   * @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream
   * @param {() => void} onHeard
   */
  async #read(stream, onHeard) {
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    this.#onState({ kind: 'open' })
    for (;;) {
      // A broken connection counts as ended.
      const part = await reader.read().catch(() => undefined)
      if (part?.value === undefined) return
      onHeard()
      rest += part.value
      const parts = rest.split('\n\n')
      rest = parts.pop() ?? ''
      if (rest.length > longestMessage) return
      for (const message of parts) this.#tell(message)
    }
  }

  /** @param {string} message */
  #tell(message) {
    let event = 'message'
    let data = ''
    for (const line of message.split('\n')) {
      if (line.startsWith('event: ')) event = line.slice(7)
      else if (line.startsWith('data: ')) data += line.slice(6)
    }
    if (data === '') return
    this.#tries = 0
    this.#onMessage(event, JSON.parse(data))
  }

  #again() {
    const pause = pausesMs[Math.min(this.#tries, pausesMs.length - 1)] ?? 0
    this.#tries += 1
    // Jitter, so that several pages do not reconnect at the same time.
    const wait = pause * (0.75 + Math.random() / 2)
    this.#onState({ kind: 'lost', tries: this.#tries, nextAt: Date.now() + wait })
    this.#timer = setTimeout(() => void this.open(), wait)
  }

  /** The page is visible again: reconnect at once. */
  #hurry() {
    if (this.#timer !== undefined && document.visibilityState === 'visible') void this.open()
  }
}

class NoProof extends Error {}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
