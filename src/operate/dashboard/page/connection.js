// The line to the bot: one long answer that is read as it comes. A line that breaks is made again, at growing distances.

/**
 * @typedef {{ kind: 'waiting' } | { kind: 'open' } | { kind: 'lost', tries: number, nextAt: number }
 *   | { kind: 'refused' }} LineState
 */

const pausesMs = [250, 500, 1000, 2000, 4000]
/** A bot says something ten times a second. One that is silent for so long, or a tunnel to it, is there no more. */
const silenceMs = 3000
/** Nobody says that much at once. */
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
    // No answer is no fault of this page.
    let isForeign = false
    const answer = await this.#ask('/events', { signal: line.signal }).catch((error) => {
      isForeign = error instanceof NoProof
    })
    if (answer?.ok === true && answer.body !== null) await this.#read(answer.body, onHeard)
    clearTimeout(silence)
    // Another program may have the port for a moment, while the bot starts again.
    this.#again()
    if (isForeign) this.#onState({ kind: 'refused' })
  }

  /**
   * Answers are JSON; what the bot refuses says why.
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
   * Another program may have taken the port: the token is sent only to a listener that knows it already.
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
      // A line that breaks is over, like one that ends.
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
    // Several pages do not all come back in the same moment.
    const wait = pause * (0.75 + Math.random() / 2)
    this.#onState({ kind: 'lost', tries: this.#tries, nextAt: Date.now() + wait })
    this.#timer = setTimeout(() => void this.open(), wait)
  }

  /** Somebody looks at the page again: no more waiting. */
  #hurry() {
    if (this.#timer !== undefined && document.visibilityState === 'visible') void this.open()
  }
}

class NoProof extends Error {}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
