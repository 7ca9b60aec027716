import { once } from 'node:events'
import { WebSocket, WebSocketServer } from 'ws'

type Change = (text: string) => string | undefined
const unchanged: Change = (text) => text

export type Relay = Awaited<ReturnType<typeof startRelay>>

/** A bad line to a stream: it passes frames on, and loses, changes or holds back what the test wants it to. */
export async function startRelay(url: string) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const pairs = new Set<{ near: WebSocket; far: WebSocket }>()
  let change = unchanged
  let taken = 0
  const told: string[] = []
  server.on('connection', (near) => {
    taken += 1
    const far = new WebSocket(url, { perMessageDeflate: false })
    const pair = { near, far }
    pairs.add(pair)
    const opened = once(far, 'open')
    near.on('message', (data: Buffer) => void opened.then(() => far.send(data.toString())))
    far.on('message', (data: Buffer) => {
      const text = change(data.toString())
      told.push(data.toString())
      if (text !== undefined) near.send(text)
    })
    near.on('close', () => far.terminate())
    far.on('close', () => near.terminate())
    for (const socket of [near, far]) socket.on('error', () => socket.terminate())
  })
  return {
    url: `ws://127.0.0.1:${port}/ws`,
    /** How many connections there have been. */
    taken: () => taken,
    /** How many frames with this word the venue has sent. */
    told: (word: string) => told.filter((text) => text.includes(word)).length,
    /** What becomes of every frame from now on; undefined loses it. */
    pass(by: Change = unchanged): void {
      change = by
    },
    cut(): void {
      for (const { near, far } of pairs) {
        near.terminate()
        far.terminate()
      }
      pairs.clear()
    },
    async close(): Promise<void> {
      this.cut()
      server.close()
      await once(server, 'close')
    },
  }
}
