import { connect } from 'node:net'
import type { Chance } from './chance.ts'

/** Bytes that no client library would send, in pieces as they are sent. */
type Pieces = readonly (string | Buffer)[]

const host = 'host: localhost\r\n'
const get = (target: string, more = host) => `GET ${target} HTTP/1.1\r\n${more}\r\n`
const post = (headers: string, body = '{}') =>
  `POST /api/v4/main-account/balance HTTP/1.1\r\n${host}content-type: application/json\r\n${headers}\r\n${body}`

export const rawTalks: readonly Pieces[] = [
  // Targets and hosts
  [get('/', '')],
  [get('/api/v4/public/ping', 'host: elsewhere.example\r\n')],
  [get('/api/v4/public/ping', 'host: localhost\r\nhost: elsewhere.example\r\n')],
  [get('/api/v4/public/ping', 'host: localhost:99999999\r\n')],
  [get('/api/v4/public/ping', 'host: localhost\r\norigin: http://localhost\r\n')],
  [get('/api/v4/public/ping', `${host}${'x-a: b\r\n'.repeat(3000)}`)],
  [get('/api/v4/public/ping', `${host}x-a: ${'b'.repeat(200_000)}\r\n`)],
  [get('http://elsewhere.example/api/v4/public/ping')],
  [get('http://localhost/api/v4/public/ping')],
  [get('//localhost/api/v4/public/ping')],
  [get('*')],
  [get('api')],
  [get('/%')],
  [get('/api/v4/public/ping?%ff=%&&=')],
  [get('/api/v4/public/ping#x')],
  [get(`/${'a'.repeat(100_000)}`)],
  [get('/\u00e9\u00ff')],
  [get('/a b')],
  [get('/a\0b')],
  [get('/\\..\\')],
  // Methods and versions
  ['CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['TRACE / HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['M-SEARCH / HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['QUERY /api/v4/public/ping HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['NONSENSE / HTTP/1.1\r\n\r\n'],
  ['GET /api/v4/public/ping HTTP/1.0\r\n\r\n'],
  ['GET /api/v4/public/ping HTTP/9.9\r\n\r\n'],
  ['GET /\r\n\r\n'],
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  [
    get(
      '/ws',
      `${host}connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAA\r\n`,
    ),
  ],
  [get('/api/v4/public/ping', `${host}connection: upgrade\r\nupgrade: h2c\r\n`)],
  // Bodies with a wrong, repeated or missing length
  [post('content-length: 5\r\n')],
  [post('content-length: -1\r\n')],
  [post('content-length: 2, 3\r\n')],
  [post('content-length: 2\r\ncontent-length: 3\r\n')],
  [post('content-length: 99999999999999999999\r\n')],
  [post('content-length: 2\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n')],
  [post('transfer-encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n')],
  [post('transfer-encoding: chunked\r\n', 'fffffffffffffffff\r\n{}')],
  [post('transfer-encoding: chunked\r\n', '2\r\n{}\r\n0\r\n__proto__: 1\r\n\r\n')],
  [post('transfer-encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n')],
  [post('transfer-encoding: identity\r\n')],
  [post('transfer-encoding : chunked\r\n')],
  [post('expect: 100-continue\r\ncontent-length: 2\r\n')],
  [post('expect: the impossible\r\ncontent-length: 2\r\n')],
  [post('content-encoding: gzip\r\ncontent-length: 2\r\n')],
  [post('')],
  // Lines and names
  ['GET / HTTP/1.1\nhost: localhost\n\n'],
  ['GET / HTTP/1.1\rhost: localhost\r\r'],
  [get('/', `${host} folded\r\n`)],
  [get('/', `${host}x y: z\r\n`)],
  [get('/', `${host}__proto__: x\r\nconstructor: y\r\n`)],
  [get('/', `${host}x-a: \u0001\r\n`)],
  [get('/', `${host}x-txc-apikey: \u00e9\u00ff\r\n`)],
  [post('x-txc-apikey: a\r\nx-txc-apikey: b\r\ncontent-length: 2\r\n')],
  ['\r\n\r\n\r\n', get('/api/v4/public/ping')],
  // Incomplete requests, in pieces
  ['GE'],
  ['GET / HTTP/1.1\r\nhost: loc'],
  [post('content-length: 1000\r\n', '{"a":')],
  [post('content-length: 2\r\n', ''), '{', '}'],
  [post('content-length: 1048576\r\n', 'x'.repeat(1_048_576))],
  [Buffer.from([0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3])],
]

export function garbage(chance: Chance): Pieces {
  const length = chance.oneOf([1, 10, 1000, 70_000])
  const bytes = Buffer.from(Array.from({ length }, () => chance.below(256)))
  if (chance.percent(50)) return [bytes]
  const [first = ''] = chance.oneOf(rawTalks)
  const text = Buffer.from(first.toString().slice(0, 2000), 'latin1')
  if (text.length > 0) text[chance.below(text.length)] = chance.below(256)
  return chance.percent(50) ? [text] : [text.subarray(0, chance.below(text.length + 1)), bytes]
}

/** Sends all pieces on a new connection and returns what it receives, until the server closes it or `endMs` have passed. */
export function talk(url: string, pieces: Pieces, { pauseMs = 0, endMs = 30 } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let heard = ''
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      heard += text
    })
    // A server may close on garbage while the test still sends; its answer before that counts.
    socket.on('error', () => {})
    socket.on('close', () => resolve(heard))
    void (async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return
        socket.write(piece)
        if (pauseMs > 0) await new Promise((go) => setTimeout(go, pauseMs))
      }
      if (endMs < Infinity) setTimeout(() => socket.destroy(), endMs)
    })()
  })
}

/** The answers in the received text without interim ones, each with the body that its length announces. */
export function answersIn(heard: string): { status: number; body: string }[] {
  const answers: { status: number; body: string }[] = []
  let rest = heard
  for (;;) {
    const [head, status] = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(rest) ?? []
    if (head === undefined) return answers
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    const body = rest.slice(head.length, head.length + length)
    rest = rest.slice(head.length + length)
    // An answer truncated by the end of the connection is ignored; one without a body is kept and fails the check.
    if (!status?.startsWith('1') && body.length === length) answers.push({ status: Number(status), body })
  }
}
