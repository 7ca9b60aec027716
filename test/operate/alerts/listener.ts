import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Heard = { method: string; path: string; headers: NodeJS.Dict<string | string[]>; body: string }
/** How the listener treats a request. */
type Reply =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** No answer. */
  | 'hang'
  /** The beginning of an answer. */
  | 'half'
  /** The connection breaks. */
  | 'reset'

export type Listener = AsyncDisposable & {
  url: string
  heard: readonly Heard[]
  /** Answers to the next requests; the last one repeats. */
  reply(...replies: Reply[]): void
  /** Settles after this number of requests. */
  until(count: number): Promise<void>
}

/** A target on this machine, with the faults of real ones. */
export async function startListener(first: Reply = { status: 200 }): Promise<Listener> {
  const heard: Heard[] = []
  let replies: Reply[] = [first]
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      heard.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
      const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? 'hang'
      if (reply === 'reset') request.socket.destroy()
      else if (reply === 'half') response.writeHead(200, { 'content-length': '100' }).write('{"ok":')
      else if (reply !== 'hang') {
        response.writeHead(reply.status, { connection: 'close', ...reply.headers }).end(reply.body)
      }
      for (const look of waiting) look()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listener of TCP has a port
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    reply: (...next) => void (replies = next),
    until: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (heard.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
