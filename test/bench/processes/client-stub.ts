import { createServer } from 'node:net'

/**
 * A venue of one answer, in a process of its own so that its work does not count, and on bare sockets so that
 * it is not what everybody waits for. It prints its port; /last tells the request before.
 */
const answer = Buffer.from(process.argv[2] ?? '')
const headEnd = Buffer.from('\r\n\r\n')
let last: { head: string; bytes: Buffer } = { head: '', bytes: Buffer.alloc(0) }

function reply(body: Buffer): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

const everyReply = reply(answer)

const server = createServer((socket) => {
  let received: Buffer = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    for (;;) {
      const headLength = received.indexOf(headEnd)
      if (headLength === -1) return
      const head = received.toString('latin1', 0, headLength)
      const end = headLength + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
      if (received.length < end) return
      if (head.startsWith('GET /last '))
        socket.write(reply(Buffer.from(JSON.stringify({ head: last.head, body: last.bytes.toString() }))))
      else {
        last = { head, bytes: received.subarray(headLength + 4, end) }
        socket.write(everyReply)
      }
      received = received.subarray(end)
    }
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') process.stdout.write(`${address.port}\n`)
})

/** Never asleep: to wake a sleeping process costs its caller more CPU on this machine than a network card would. */
function stayAwake(): void {
  setImmediate(stayAwake)
}
stayAwake()
