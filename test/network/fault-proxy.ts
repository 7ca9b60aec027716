import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer, TLSSocket, type SecureContextOptions } from 'node:tls'
import { listen, listenOnFixedPort } from './fixed-port.ts'
import { frameLength, headLength, Messages } from './messages.ts'

/** A place in a message: bytes from its start, from its end if negative, or the middle of a part. */
type Place = number | 'headers' | 'body'

/** How a message travels from the proxy on. */
type Leg = {
  delayMs?: number
  /** So many bytes at a time, so many milliseconds apart. */
  chunk?: number
  everyMs?: number
  /** The byte at this place arrives with its highest bit flipped. */
  corruptAt?: Place
  /** Only the bytes before this place arrive. */
  cutAt?: Place
}

/** How a connection ends: FIN, RST, or not at all while no more bytes come. */
type Ending = 'close' | 'reset' | 'silence'

export type TcpFault = {
  /** The request on its way to the exchange. */
  request?: Leg
  /** The answer, a stream frame, or all bytes of a TLS connection, on the way to the bot. */
  answer?: Leg
  /** How the connection of the bot ends: before the request travels on, or after the message. */
  endsBefore?: Ending
  ends?: Ending
  /** The message arrives twice; the bot receives the first or the second answer. */
  twice?: 'first' | 'second'
  /** These bytes in place of the TLS handshake. */
  plain?: string
  /** Called when the exchange has received the request, and when it has answered. */
  onSent?: () => Promise<void>
  onAnswered?: () => Promise<void>
}

/** What a fault strikes: a call whose path begins with this text, a stream frame with this text, a new connection. */
export type Target = { call: string } | { frame: string } | 'connection' | 'handshake'

type Plan = { target: Target; fault: TcpFault; left: number; toEnd: number; done: () => void }

/** A call: its path, the bytes of its body, and whether the bot has waited for the whole answer. */
export type SeenCall = { path: string; body: string; answered: boolean }

type Far = { socket: Socket; messages: Messages }

export type TcpFaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

/** A TCP proxy between a bot and an exchange. It reads HTTP and WebSocket only to find the places of the faults. */
export async function startFaultProxy(about: { target: () => string; tls?: SecureContextOptions }) {
  const plans: Plan[] = []
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  /** The calls of the bot as they arrive. */
  const calls: SeenCall[] = []
  let weather: (() => TcpFault) | undefined

  function strikes(fits: (target: Target) => boolean): Plan | undefined {
    const plan = plans.find(({ target, left }) => left > 0 && fits(target))
    if (plan) plan.left -= 1
    return plan
  }

  /** The message has met its fault, and all that the fault does with it is done. */
  function passed(plan: Plan | undefined): void {
    if (plan === undefined) return
    plan.toEnd -= 1
    if (plan.toEnd === 0) plan.done()
  }

  function track(socket: Socket): Socket {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    return socket
  }

  function finish(socket: Socket, ending: Ending): void {
    // It is still read, or its end would not be seen.
    if (ending === 'silence') silent.add(socket.resume())
    else if (ending === 'close') socket.end()
    else if (socket instanceof TLSSocket) socket.destroy()
    else socket.resetAndDestroy()
  }

  async function reach(): Promise<Far | undefined> {
    const { hostname, port } = new URL(about.target())
    const socket = track(connect(Number(port), hostname))
    const messages = new Messages(socket)
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
    return socket.destroyed ? undefined : { socket, messages }
  }

  /** One connection of the bot: calls one after the other, until one of them becomes a stream. */
  async function converse(near: Socket): Promise<void> {
    const requests = new Messages(near)
    let far: Far | undefined
    near.on('close', () => far?.socket.end())
    for (;;) {
      const request = await requests.next()
      if (request === undefined) break
      const path = request.toString('latin1', 0, request.indexOf('\r')).split(' ')[1] ?? ''
      const call = { path, body: request.toString('utf8', headLength(request)), answered: false }
      calls.push(call)
      const plan = strikes(
        (target) => typeof target === 'object' && 'call' in target && path.startsWith(target.call),
      )
      const fault = plan?.fault ?? weather?.() ?? {}
      if (fault.endsBefore) finish(near, fault.endsBefore)
      if (!far || far.socket.destroyed || far.socket.readableEnded) far = await reach()
      const next = far && (await carry(request, fault, near, far))
      call.answered = (next === 'next' || next === 'stream') && near.writable
      passed(plan)
      if (next === 'over') return
      if (next === undefined || far === undefined) break
      if (next === 'stream') return stream(near, requests, far)
    }
    if (!silent.has(near)) near.end()
    far?.socket.end()
  }

  /** One call with its fault. Undefined if the exchange does not answer. */
  async function carry(
    request: Buffer,
    fault: TcpFault,
    near: Socket,
    far: Far,
  ): Promise<'next' | 'over' | 'stream' | undefined> {
    await pour(request, far.socket, fault.request)
    await fault.onSent?.()
    if (fault.request?.cutAt !== undefined) {
      for (const socket of [near, far.socket]) finish(socket, fault.ends ?? 'close')
      return 'over'
    }
    let answer = await far.messages.next()
    if (fault.twice) {
      const again = await reach()
      if (again) await pour(request, again.socket)
      const second = await again?.messages.next()
      again?.socket.destroy()
      if (fault.twice === 'second') answer = second
    }
    await fault.onAnswered?.()
    if (silent.has(near)) return 'over'
    if (answer === undefined) return undefined
    await pour(answer, near, fault.answer)
    if (fault.ends) {
      finish(near, fault.ends)
      return 'over'
    }
    return answer.toString('latin1', 9, 12) === '101' ? 'stream' : 'next'
  }

  async function stream(near: Socket, requests: Messages, far: Far): Promise<void> {
    far.socket.write(requests.rest())
    near.on('data', (chunk: Buffer) => far.socket.write(chunk))
    for (;;) {
      const frame = await far.messages.next(frameLength)
      if (frame === undefined || near.destroyed) break
      if (silent.has(near)) continue
      const text = frame.toString('latin1')
      const plan = strikes(
        (target) => typeof target === 'object' && 'frame' in target && text.includes(target.frame),
      )
      const { answer, twice, ends } = plan?.fault ?? {}
      await pour(frame, near, answer)
      if (twice) await pour(frame, near)
      if (ends) finish(near, ends)
      passed(plan)
    }
    if (!silent.has(near)) near.end()
    far.socket.end()
  }

  /** In front of TLS only bytes can be counted: those that the bot receives. */
  function secure(near: Socket, inner: Server): void {
    const plan = strikes((target) => target === 'handshake')
    near.on('close', () => passed(plan))
    const fault = plan?.fault
    if (fault?.plain !== undefined) {
      // It is still read, or its end would not be seen.
      near.resume().end(fault.plain)
      return
    }
    const far = track(connect(portOf(inner), '127.0.0.1'))
    near.on('data', (chunk: Buffer) => far.write(chunk))
    near.on('close', () => far.destroy())
    far.on('close', (hadError) => (hadError ? near.resetAndDestroy() : near.end()))
    let received = 0
    far.on('data', (chunk: Buffer) => {
      const { cutAt, corruptAt } = fault?.answer ?? {}
      const bytes = Buffer.from(chunk)
      if (typeof corruptAt === 'number' && corruptAt >= received && corruptAt < received + bytes.length)
        flip(bytes, corruptAt - received)
      const end = typeof cutAt === 'number' ? cutAt - received : bytes.length
      near.write(bytes.subarray(0, Math.max(0, end)))
      received += bytes.length
      if (end < bytes.length) finish(near, fault?.ends ?? 'close')
    })
  }

  const inner = about.tls && createTlsServer(about.tls, (socket) => void converse(track(socket)))
  inner?.on('tlsClientError', () => {})
  inner?.listen(0, '127.0.0.1')
  const front = createServer({ noDelay: true }, (socket) => {
    const near = track(socket)
    const plan = strikes((target) => target === 'connection')
    near.on('close', () => passed(plan))
    if (plan?.fault.ends) finish(near, plan.fault.ends)
    else if (inner) secure(near, inner)
    else void converse(near)
  })
  const port = await listenOnFixedPort(front)
  const cut = (ending: Ending = 'reset') => {
    for (const socket of sockets) finish(socket, ending)
  }
  return {
    url: `${about.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    calls,
    /** The next so many messages of this kind meet the fault; settles when all of them have met it. */
    plan(target: Target, fault: TcpFault, times = 1): Promise<void> {
      return new Promise((done) => {
        plans.push({ target, fault, left: times, toEnd: times, done })
      })
    },
    /** What all other calls meet from now on. */
    set weather(next: (() => TcpFault) | undefined) {
      weather = next
    },
    /** Ends all connections of this moment. */
    cut,
    /** Nothing listens at the address any more, until it is opened again. */
    async refuse(): Promise<void> {
      const closed = new Promise((resolve) => front.close(resolve))
      cut()
      await closed
    },
    open: () => listen(front, port),
    /** Another certificate for the connections to come. */
    certify(tls: SecureContextOptions): void {
      inner?.setSecureContext(tls)
      cut()
    },
    /** No fault strikes any more, and connections that were left in silence end. */
    heal(): void {
      plans.length = 0
      weather = undefined
      for (const socket of sockets) if (silent.has(socket)) socket.destroy()
    },
    async close(): Promise<void> {
      for (const server of [front, inner]) if (server?.listening) server.close()
      for (const socket of sockets) socket.destroy()
      await turn()
    },
  }
}

async function pour(message: Buffer, to: Socket, leg: Leg = {}): Promise<void> {
  const { delayMs, everyMs, corruptAt, cutAt } = leg
  if (delayMs) await sleep(delayMs)
  const bytes = Buffer.from(message)
  if (corruptAt !== undefined) flip(bytes, placeIn(message, corruptAt))
  const sent = cutAt === undefined ? bytes : bytes.subarray(0, placeIn(message, cutAt))
  const { chunk = sent.length } = leg
  for (let at = 0; at < sent.length && !to.destroyed; at += chunk) {
    to.write(sent.subarray(at, at + chunk))
    if (chunk < sent.length) await (everyMs ? sleep(everyMs) : turn())
  }
}

function placeIn(message: Buffer, place: Place): number {
  const head = Math.max(0, headLength(message))
  if (place === 'headers') return Math.floor(head / 2)
  if (place === 'body') return Math.floor((head + message.length) / 2)
  return place < 0 ? message.length + place : place
}

function flip(bytes: Buffer, at: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ 0x80
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
