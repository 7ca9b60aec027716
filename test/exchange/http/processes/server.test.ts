import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { startedProcess } from '#test/exchange/real-process.ts'
import { paperWorld, signedCall, worldWith } from '#test/exchange/exchange-fixture.ts'
import { empty } from '#test/support/empty.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-server-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function send(url: string, path: Endpoint['path'], parameters: Record<string, unknown>, nonce: number) {
  const { headers, body } = signedCall('paper', { path }, parameters, String(nonce))
  const known = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  const response = await fetch(url + path, { method: 'POST', headers: Object.fromEntries(known), body })
  return { status: response.status, text: await response.text() }
}

const balance = contract.mainBalance.path
const code = contract.createCode.path

test('a system clock that jumps forward and back does not keep the rate windows full', async () => {
  const clock = new ManualClock(1_790_000_000_000)
  const venue = await startExchange({ world: paperWorld, clock })
  clock.step(3_600_000)
  expect((await send(venue.url, balance, {}, 1)).status).toBe(200)
  clock.step(-3_600_000)
  for (let nonce = 2; nonce <= 1000; nonce++)
    expect((await send(venue.url, balance, {}, nonce)).status).toBe(200)
  expect((await send(venue.url, balance, {}, 1001)).status).toBe(429)
  // The venue's time runs at half speed until the clock has caught up.
  clock.advance(20_001)
  expect((await send(venue.url, balance, {}, 1001)).status).toBe(200)
  await venue.close()
})

test('a write that waits for its execution is dropped when the exchange ends', async () => {
  const clock = new ManualClock(1_790_000_000_000)
  const venue = await startExchange({ world: worldWith({ executionDelay: 20_000 }), clock })
  const waiting = send(venue.url, code, { ticker: 'USDT', amount: '5' }, 1)
  await expect.poll(() => venue.exchange.state.nonces.has('paper-key')).toBe(true)
  const [answer] = await Promise.all([waiting, venue.close()])
  expect(answer).toMatchObject({ status: 503 })
  expect(venue.exchange.state.accounts.get('paper')?.codes.size).toBe(0)
})

test('a failed start releases its port', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const address = blocker.address()
  const taken = typeof address === 'object' && address !== null ? address.port : 0
  const clock = new ManualClock(0)
  await expect(startExchange({ world: paperWorld, clock, euPort: taken })).rejects.toMatchObject({
    code: 'PORT_TAKEN',
  })
  const main = fileURLToPath(new URL('../../../../src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, 'exchange', '--port', '0', '--eu-port', String(taken)])
  const [exitCode] = await once(child, 'exit')
  expect(exitCode).toBe(69)
  blocker.close()
})

test('CONNECT is refused in the usual error format', async () => {
  const venue = await startExchange({ world: paperWorld, clock: new ManualClock(0) })
  const socket = connect(Number(new URL(venue.url).port), '127.0.0.1')
  socket.end('CONNECT a:1 HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const heard = (await socket.toArray()).map(String).join('')
  expect(heard).toMatch(/^HTTP\/1\.1 405 /)
  expect(JSON.parse(heard.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 0, errors: empty })
  await venue.close()
})

/** The raw request for a transfer code of 7 dollars. */
function rawCode(nonce: number): string {
  const { headers, body } = signedCall(
    'paper',
    { path: code },
    { ticker: 'USDT', amount: '7' },
    String(nonce),
  )
  const lines = Object.entries({ host: 'localhost', 'content-length': body.byteLength, ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `POST ${code} HTTP/1.1\r\n${head}\r\n${Buffer.from(body).toString()}`
}

async function talk(url: string, text: string, andHangUp: boolean): Promise<number[]> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  if (andHangUp) socket.end(text)
  else socket.write(text)
  const heard = (await socket.toArray()).map(String).join('')
  socket.end()
  return [...heard.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))
}

test('an executed request is answered, even if invalid bytes follow it', async () => {
  const venue = await startExchange({
    world: paperWorld,
    clock: new ManualClock(1_790_000_000_000),
    dataDirectory: join(folder, 'breath'),
  })
  expect(await talk(venue.url, `${rawCode(1)}}`, false)).toEqual([200, 400])
  expect(await talk(venue.url, `${rawCode(2)}${rawCode(3)}GET / HTTP/9.9\r\n\r\n`, false)).toEqual([
    200, 200, 400,
  ])
  expect(
    await talk(venue.url, `${rawCode(4)}POST ${code} HTTP/1.1\r\ncontent-length: x\r\n\r\n`, false),
  ).toEqual([200, 400])
  expect(await talk(venue.url, rawCode(5), true)).toEqual([200])
  expect(venue.exchange.state.accounts.get('paper')?.codes.size).toBe(5)
  await venue.close()
})

test('only the owner can read the data', async () => {
  const data = join(folder, 'private')
  const running = await startedProcess('--data', data)
  for (const name of ['exchange.sqlite', 'exchange.sqlite-wal']) {
    expect(statSync(join(data, name)).mode & 0o777, name).toBe(0o600)
  }
  await running.stop()
})

test.each(['exchange.sqlite', 'exchange.sqlite-wal'])(
  'an exchange whose %s is deleted stops answering',
  async (name) => {
    const data = join(folder, `deleted-${name}`)
    const main = fileURLToPath(new URL('../../../../src/main.ts', import.meta.url))
    const child = spawn(process.execPath, [main, 'exchange', '--port', '0', '--data', data])
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const exit = once(child, 'exit')
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    const { url } = JSON.parse(String(line))
    rmSync(join(data, name))
    const result = await send(url, code, { ticker: 'USDT', amount: '1' }, 1).catch(() => undefined)
    expect(result?.status).not.toBe(200)
    expect(await exit).toEqual([78, null])
    expect(said).toContain(`DATA_MOVED: `)
    expect(said).toContain(join(data, name))
  },
)

test('a full disk ends the exchange, and all answered writes survive', async () => {
  const data = join(folder, 'full')
  const main = fileURLToPath(new URL('../../../../src/main.ts', import.meta.url))
  // A file size limit of 400 blocks stands for a full disk.
  const limited = `trap '' XFSZ; ulimit -f 400; exec "$0" "$1" exchange --port 0 --data "$2"`
  const child = spawn('sh', ['-c', limited, process.execPath, main, data])
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const exit = once(child, 'exit')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url } = JSON.parse(String(line))
  let answered = 0
  for (let nonce = 1; nonce < 20_000; nonce++) {
    const result = await send(
      url,
      code,
      { ticker: 'USDT', amount: '1', description: 'x'.repeat(280) },
      nonce,
    ).catch(() => undefined)
    if (result?.status !== 200) break
    answered += 1
  }
  const [exitCode] = await exit
  expect(said).toContain('DATA_BROKEN')
  expect(exitCode).toBe(1)
  expect(answered).toBeGreaterThan(10)

  const again = await startedProcess('--data', data)
  const { text } = await send(again.url, balance, { ticker: 'USDT' }, 30_000)
  expect(JSON.parse(text)).toEqual({ USDT: { main_balance: String(100_000 - answered) } })
  await again.stop()
})
