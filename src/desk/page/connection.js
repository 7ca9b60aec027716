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
  #onState
  #onMessage
  #tries = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /**
   * @param {string} token
   * @param {(state: LineState) => void} onState
   * @param {(event: string, data: unknown) => void} onMessage
   */
  constructor(token, onState, onMessage) {
    this.#token = token
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
    // Nobody there is no fault of this page.
    const answer = await this.#ask('/events', { signal: line.signal }).catch(() => undefined)
    if (answer?.ok === true && answer.body !== null) await this.#read(answer.body, onHeard)
    clearTimeout(silence)
    if (answer?.status === 401) this.#onState({ kind: 'refused' })
    else this.#again()
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
  #ask(path, how) {
    return fetch(path, {
      ...how,
      headers: { ...how?.headers, authorization: `Bearer ${this.#token}` },
      cache: 'no-store',
    })
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
