import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openedDashboard } from './dashboard-fixture.ts'

test('connections without the token never keep its owner out', async () => {
  await using opened = await openedDashboard()
  const port = Number(new URL(opened.url).port)
  const strangers = Array.from({ length: 250 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await Promise.all(strangers.map((socket) => once(socket, 'connect')))
  // Some are silent, others send requests and keep their connection.
  for (const socket of strangers.slice(100))
    socket.write('GET / HTTP/1.1\r\nhost: 127.0.0.1:1\r\nconnection: keep-alive\r\n\r\n')
  expect(await opened.ask('/status')).toMatchObject({ status: 200 })
  const body = '{"reason":"lunch"}'
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
  expect(await opened.ask('/stop', { method: 'POST', body, headers })).toMatchObject({ status: 200 })
  expect(opened.engine.engine.state.stopped).toBe('lunch')
  for (const socket of strangers) socket.destroy()
})

test.each(['/', '/page/page.js', '/status', '/nothing', `/proof?nonce=${'n'.repeat(24)}`])(
  'closes the connection after an answer to %s without the token',
  async (path) => {
    await using opened = await openedDashboard()
    const headers = { authorization: undefined, connection: 'keep-alive' }
    expect((await opened.ask(path, { headers })).headers).toMatchObject({ connection: 'close' })
  },
)

test('proves that it knows the token, for its port and this nonce', async () => {
  await using opened = await openedDashboard()
  const { port } = new URL(opened.url)
  const nonce = 'f'.repeat(48)
  const { text } = await opened.ask(`/proof?nonce=${nonce}`, { headers: { authorization: undefined } })
  const proof = createHmac('sha256', opened.token).update(`rungs listener ${port} ${nonce}`).digest('hex')
  expect(JSON.parse(text)).toEqual({ proof })
  for (const short of ['', 'a', 'a'.repeat(21), 'a'.repeat(65), '%00'.repeat(24)])
    expect(await opened.ask(`/proof?nonce=${short}`)).toMatchObject({ status: 400 })
})
