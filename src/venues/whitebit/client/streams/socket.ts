import { WebSocket } from 'ws'
import { answerBytesMax } from '#src/venues/whitebit/client/answers/answer.ts'
import { reasonOf } from '#src/venues/whitebit/client/transport/http.ts'

/** What a socket of the streams tells: each of it some time after it was opened, and nothing after `over`. */
export type SocketEvents = {
  open(): void
  frame(text: string): void
  /** Why nothing more will come, in our own words. */
  over(reason: string): void
}

export type StreamSocket = {
  send(text: string): void
  /** Nobody wants it any more; its `over` is still to come. */
  end(): void
}

/** Recorders and players of tapes are openers around, or instead of, another. */
export type OpenSocket = (url: string, on: SocketEvents) => StreamSocket

const handshakeMsMax = 5000

export function webSocket(url: string, on: SocketEvents): StreamSocket {
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    maxPayload: answerBytesMax,
    handshakeTimeout: handshakeMsMax,
    followRedirects: false,
    // Said here, the environment cannot turn verification off.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  })
  let reason: string | undefined
  const fail = (why: string) => {
    reason ??= why
    socket.terminate()
  }
  socket.on('open', () => on.open())
  // Venues of this family write text; what they do not write fits nothing, as it should.
  socket.on('message', (data: Buffer, isBinary: boolean) => on.frame(isBinary ? '' : data.toString()))
  socket.on('unexpected-response', (_request, response) => {
    fail(`The handshake answered with status ${response.statusCode}`)
  })
  socket.on('error', (error) => fail(reasonOf(error)))
  socket.on('close', (code) => on.over(reason ?? `The venue closed the connection with code ${code}`))
  return {
    send: (text) => socket.send(text),
    end: () => socket.terminate(),
  }
}

/** Sockets that mask secrets in a frame before it is used. */
export function hiddenSockets(hide: (text: string) => string): OpenSocket {
  return (url, on) => webSocket(url, { ...on, frame: (text) => on.frame(hide(text)) })
}
