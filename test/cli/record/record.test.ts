import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { zstdDecompressSync } from 'node:zlib'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { trades } from '#src/venues/whitebit/contract/market-data/market-data.ts'
import { streamUpdates } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { exchangeHere, type ExchangeHere } from '#test/cli/support/exchange-here.ts'
import { environment, programWords, rungs, temporaryFolder } from '#test/cli/support/process.ts'

let exchange: ExchangeHere
const folder = temporaryFolder()

beforeAll(async () => {
  const moving = ['--market', 'seeded', '--seed', 'record', '--speed', '20', '--profile', 'full']
  exchange = await exchangeHere(moving)
})
afterAll(async () => {
  await exchange[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const record = (out: string, ...words: string[]) =>
  rungs(['record', '--venue', exchange.url, '--market', 'BTC_PERP', '--out', out, ...words])

/** Records until the tape has ten frames with trades of the market. */
async function recordedUntilTrades(out: string, ...words: string[]) {
  const all = ['record', '--venue', exchange.url, '--market', 'BTC_PERP', '--out', out, ...words]
  const child = spawn(process.execPath, programWords(all), { env: environment({}) })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  const closed = once(child, 'close')
  const frames = () => {
    const text = existsSync(`${out}.partial`) ? readFileSync(`${out}.partial`, 'utf8') : ''
    return text.split('\n').filter((line) => /"trades_update".*"BTC_PERP"/.test(line)).length
  }
  await expect.poll(frames).toBeGreaterThan(10)
  child.kill('SIGTERM')
  const [code] = await closed
  return { code: z.number().nullable().parse(code), stdout }
}

const update = z.object({ method: z.literal('trades_update'), params: streamUpdates.trades })

test('the tape has the trades of its time, and the market file has each of them once', async () => {
  const path = folder.file('a.tape')
  const { code, stdout } = await recordedUntilTrades(path, '--market', 'ETH_PERP', '--json')
  const answer = await fetch(`${exchange.url}/api/v4/public/trades/BTC_PERP`)
  const read = trades.response.parse(await answer.json())
  const tape = readTape(path)
  const heard = tape.events.flatMap((event) => {
    const told = event.kind === 'stream-frame' ? update.safeParse(event.json) : undefined
    return told?.success === true && told.data.params[0] === 'BTC_PERP' ? told.data.params[1] : []
  })
  const byId = new Map(heard.map((trade) => [trade.id, trade]))
  // Later trades are not on the tape.
  const last = Math.max(...byId.keys())
  const meanwhile = read.filter(({ tradeID }) => tradeID <= last)
  expect(meanwhile.length).toBeGreaterThan(0)
  for (const { tradeID, price, quote_volume: amount, type } of meanwhile) {
    expect(byId.get(tradeID)).toMatchObject({ price, amount, type })
  }
  expect({ code, ...JSON.parse(stdout) }).toEqual({
    code: 0,
    event: 'recorded',
    file: path,
    trades: { BTC_PERP: byId.size, ETH_PERP: expect.any(Number) },
    gaps: 0,
  })
  const short = await record(folder.file('short.tape'), '--for', '1ms', '--json')
  expect(short.code, short.stderr).toBe(0)
  await rungsHere(['market', path, '--write', folder.file('markets')])
  const rows = readFileSync(folder.file('markets/BTC_PERP.csv'), 'utf8').trimEnd().split('\n').slice(2)
  expect(rows).toHaveLength(byId.size)
  expect(tape.begin).toMatchObject({ venue: exchange.url, strategies: [] })
  // A venue file works like an address, and the tape exists now.
  writeFileSync(folder.file('venue.yaml'), `url: ${exchange.url}\n`)
  const words = ['--venue', folder.file('venue.yaml'), '--market', 'BTC_PERP', '--out', path]
  const again = await rungsHere(['record', ...words])
  expect(again.code).toBe(78)
  expect(again.stderr).toContain(`${path} exists`)
})

test.each([
  [['--market', 'BTC_PERP'], 64, 'record needs --venue, --market and --out'],
  [['--venue', 'ftp://x', '--market', 'A', '--out', 'x'], 78, 'ftp://x'],
  [
    ['--venue', 'https://me:word@venue.example', '--market', 'A', '--out', 'x'],
    78,
    'must not contain a user',
  ],
  [['--venue', 'http://127.0.0.1:1', '--market', 'A', '--out', 'x'], 69, 'nothing listens at the address'],
])('record %j is refused', async (words, code, why) => {
  const ended = await rungsHere(['record', ...words])
  expect(ended.code).toBe(code)
  expect(ended.stderr).toContain(why)
})

test('an unknown market is refused before a file is created', async () => {
  const path = folder.file('none.tape')
  const ended = await rungsHere(['record', '--venue', exchange.url, '--market', 'BTC_PRP', '--out', path])
  expect(ended.code).toBe(64)
  expect(ended.stderr).toContain('did you mean "BTC_PERP"?')
  expect(existsSync(`${path}.partial`)).toBe(false)
})

test('a key and a secret that a venue echoes are neither on the tape nor on the terminal', async () => {
  const canaries = ['key-of-the-recorder', 'secret-of-the-recorder']
  const echo = `apikey ${canaries.join(' ')} ${canaries.map((word) => Buffer.from(word).toString('hex')).join(' ')}`
  let isRefusing = true
  const server = createServer((request, response) => {
    const body = { success: false, message: echo, params: [] }
    if (isRefusing) response.writeHead(422).end(JSON.stringify(body))
    else void fetch(`${exchange.url}${request.url}`).then(async (answer) => response.end(await answer.text()))
  })
  const sockets = new WebSocketServer({ server })
  const isHeard = new Promise<void>((resolve) => {
    sockets.on('connection', (socket) => {
      // A pong proves that the frame was read.
      socket.on('pong', resolve)
      socket.on('error', () => {})
      socket.once('message', () => {
        socket.send(JSON.stringify({ id: null, result: null, error: { code: 1, message: echo } }))
        socket.ping()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const [file, path] = [folder.file('echo.yaml'), folder.file('echo.tape')]
  const [key, secret] = canaries
  writeFileSync(file, `url: http://127.0.0.1:${port}\nkey: ${key}\nsecret: ${secret}\n`)
  const words = ['record', '--venue', file, '--market', 'BTC_PERP', '--out', path]
  const refused = await rungsHere(words)
  expect(refused.stderr).toContain('[secret]')
  isRefusing = false
  const child = spawn(process.execPath, programWords(words), { env: environment({}) })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)))
  const ended = once(child, 'close')
  await isHeard
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  // A tape with a secret does not get its name.
  const kept = zstdDecompressSync(readFileSync(path)).toString()
  expect(kept).toContain('[secret]')
  const all = `${refused.stdout}${refused.stderr}${said}${kept}`
  for (const word of canaries.flatMap((each) => [each, Buffer.from(each).toString('hex')]))
    expect(all.includes(word), word).toBe(false)
  for (const socket of sockets.clients) socket.terminate()
  server.close()
})
