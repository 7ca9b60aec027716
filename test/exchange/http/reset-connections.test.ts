import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startExchange } from '#test/cli/support/process.ts'

// Node hands the socket of such a request over to its listener, and handles its errors no more.
test('a client that resets its connection after CONNECT or an upgrade does not end the exchange', async () => {
  await using exchange = await startExchange(['--profile', 'full'])
  const { port } = new URL(exchange.url)
  const upgrade = [
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: x',
  ]
  const requests = ['CONNECT there:1 HTTP/1.1', ['GET /ws HTTP/1.1', ...upgrade].join('\r\n')]
  for (let round = 0; round < 20; round++) {
    for (const request of requests) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.write(`${request}\r\nhost: localhost\r\n\r\n`)
      if (round % 2 === 0) await once(socket, 'data')
      socket.resetAndDestroy()
    }
  }
  expect((await fetch(`${exchange.url}/api/v4/public/ping`)).status).toBe(200)
})
