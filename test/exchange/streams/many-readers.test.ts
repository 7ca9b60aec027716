import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { LocalBook } from '#src/venues/whitebit/client/streams/local-book.ts'
import { streamUpdates } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { worldWith } from '#test/exchange/exchange-fixture.ts'
import { busyBook } from './busy-book.ts'

const market = 'SOL_PERP'
const subscribe = JSON.stringify({ id: 1, method: 'depth_subscribe', params: [market, 100, '0'] })
const ping = JSON.stringify({ id: 3, method: 'ping', params: [] })
const ask = JSON.stringify({ id: 2, method: 'depth_request', params: [market, 100, '0'] })

/** One of many readers: whether each frame continued the one before, and a hash of all frames. */
class Listener {
  readonly #hash = createHash('sha256')
  readonly #book: LocalBook | undefined
  readonly #came: () => void
  frames = 0
  breaks = 0
  #updateId = 0

  constructor(socket: WebSocket, came: () => void, book?: LocalBook) {
    this.#came = came
    this.#book = book
    socket.on('message', (data: Buffer) => {
      const text = data.toString()
      if (text.includes('"depth_update"')) this.#receive(text)
    })
  }

  digest(): string {
    return this.#hash.digest('hex')
  }

  #receive(text: string): void {
    const past = /"past_update_id":(\d+)/.exec(text)?.[1]
    if (past !== undefined && Number(past) !== this.#updateId) this.breaks += 1
    this.#updateId = Number(/"update_id":(\d+)/.exec(text)?.[1])
    this.#hash.update(text)
    this.frames += 1
    if (this.#book) {
      const [whole, frame] = streamUpdates.depth.parse(JSON.parse(text).params)
      expect(whole ? this.#book.replace(frame) : this.#book.change(frame)).toBeUndefined()
    }
    this.#came()
  }
}

/** Levels in ticks and lots of this market. */
function inUnits(side: readonly { price: string; amount: string }[]): number[][] {
  return side.map(({ price, amount }) => [Math.round(Number(price) * 100), Math.round(Number(amount) * 10)])
}

test('many readers receive every change in order, although one reader does not read', async () => {
  const clock = new ManualClock(1_790_000_000_000)
  const venue = await startExchange({ world: worldWith({ rateLimits: 'off' }), clock, profile: 'full' })
  const busy = busyBook(venue.exchange, market, chanceOf(seed))
  const connect = async () => {
    const socket = new WebSocket(venue.wsUrl, { perMessageDeflate: false })
    await once(socket, 'open')
    return socket
  }
  let missing = 0
  let all: (() => void) | undefined
  const came = () => {
    missing -= 1
    if (missing === 0) all?.()
  }
  const book = new LocalBook(100)
  const crowd: { socket: WebSocket; listener: Listener }[] = []
  const count = times(100, 1000, 50)
  while (crowd.length < count) {
    const socket = await connect()
    crowd.push({ socket, listener: new Listener(socket, came, crowd.length === 0 ? book : undefined) })
  }
  const slow = await connect()
  const ended = once(slow, 'close')
  slow.send(subscribe)
  slow.pause()

  /** Does something, and waits until each of the readers has received it. */
  async function received(work: () => void): Promise<void> {
    const everybody = new Promise<void>((resolve) => {
      all = resolve
    })
    missing = count
    work()
    await everybody
  }

  for (let steps = 0; steps < 500; steps++) busy.step()
  await received(() => {
    for (const { socket } of crowd) socket.send(subscribe)
  })
  const ticks = times(120, 1000, 60)
  for (let tick = 0; tick < ticks; tick++) {
    for (let steps = 0; steps < 100; steps++) busy.step()
    // It requests more than the buffers of any system hold without reading, then reads the rest.
    for (let asked = tick < 20 ? 500 : 0; asked > 0; asked--) slow.send(ask)
    // A connection without a request for a minute is closed.
    if (tick % 300 === 299) for (const { socket } of crowd) socket.send(ping)
    await received(() => clock.advance(100))
    if (tick === 20) slow.resume()
  }
  const [code] = await ended
  expect(code).toBe(1013)

  const digests = new Set(crowd.map(({ listener }) => listener.digest()))
  expect(digests.size).toBe(1)
  expect(crowd.every(({ listener }) => listener.frames === ticks + 1 && listener.breaks === 0)).toBe(true)
  expect(inUnits(book.asks)).toEqual(busy.shown(true, 100, 1))
  expect(inUnits(book.bids)).toEqual(busy.shown(false, 100, 1))
  for (const { socket } of crowd) socket.terminate()
  await venue.close()
}, 7_200_000)
