import { createServer } from 'node:http'

export type ReceivedRequest = { headers: Record<string, string | undefined>; body: string }

export type Receiver = {
  url: string
  /** All that came, the oldest first. */
  heard: readonly ReceivedRequest[]
  /** The status of the answers from now on. */
  answerWith(status: number): void
  /** Settles once so many notices have come in all. */
  until(count: number): Promise<void>
  close(): Promise<void>
}

/** The other end of a webhook: an HTTP server of the customer's own, which keeps what it hears. */
export async function startReceiver(): Promise<Receiver> {
  const heard: ReceivedRequest[] = []
  const waiting: { count: number; go: () => void }[] = []
  let status = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { headers } = request
      const single = (name: string) => {
        const value = headers[name]
        return typeof value === 'string' ? value : undefined
      }
      heard.push({
        headers: {
          'content-type': single('content-type'),
          'x-txc-apikey': single('x-txc-apikey'),
          'x-txc-payload': single('x-txc-payload'),
          'x-txc-signature': single('x-txc-signature'),
        },
        body: Buffer.concat(chunks).toString(),
      })
      response.writeHead(status, { connection: 'close' }).end()
      for (const { count, go } of waiting) if (heard.length >= count) go()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no port')
  return {
    url: `http://127.0.0.1:${address.port}/hooks`,
    heard,
    answerWith(next) {
      status = next
    },
    until: (count) =>
      new Promise((go) => {
        if (heard.length >= count) go()
        else waiting.push({ count, go })
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
      }),
  }
}
