import { rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { BotError } from '#src/core/errors/bot-error.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import { controlPath, dropToken, keepPort, keptPort, keptToken, writeOwn } from './state-folder-files.ts'
import { hasToken } from './token.ts'

const hostname = '127.0.0.1'
/** Connections without a valid token. A further one closes the oldest, so they never keep the owner out. */
const unauthenticatedMax = 100

/** Opens the operator's listener on loopback, at the last port of this folder if it is free. */
export async function openListener(about: {
  stateDir: string
  /** If set, no other port is used. */
  port: number | undefined
  serve: (about: { token: string; port: number }) => RequestListener
}): Promise<{ url: string; token: string; close(): Promise<void> }> {
  const { stateDir } = about
  const server = createServer({
    headersTimeout: 5000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 1000,
  })
  const strangers = unauthenticatedSockets(server)
  const kept = keptPort(stateDir)
  const port = await listen(server, about.port ?? kept ?? 0, about.port === undefined).catch(
    (error: unknown) => {
      // Prometheus sends the token to that port without a proof, so the program there may know the token.
      if (about.port !== undefined) dropToken(stateDir)
      throw error
    },
  )
  try {
    const token = keptToken(stateDir)
    const serve = about.serve({ token, port })
    server.on('request', (incoming, outgoing) => {
      if (hasToken(incoming.headers.authorization, token)) strangers.delete(incoming.socket)
      else outgoing.shouldKeepAlive = false
      serve(incoming, outgoing)
    })
    // If another program has the kept port, the next start tries it again, and so do open pages.
    if (kept === undefined || about.port !== undefined) keepPort(stateDir, port)
    const url = `http://${hostname}:${port}`
    writeOwn(controlPath(stateDir), JSON.stringify({ url, pid: process.pid, token }))
    return {
      url,
      token,
      async close() {
        rmSync(controlPath(stateDir), { force: true })
        await end(server)
      },
    }
  } catch (error) {
    // An open server would keep the process alive.
    await end(server)
    throw error
  }
}

function unauthenticatedSockets(server: Server): Set<Socket> {
  const strangers = new Set<Socket>()
  server.on('connection', (socket) => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    const [oldest] = strangers
    if (strangers.size > unauthenticatedMax) oldest?.destroy()
  })
  return strangers
}

/** Also ends the connections that pages keep open. */
export async function end(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => {
    server.close(resolve)
  })
}

async function listen(server: Server, port: number, isAnyFine: boolean): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, hostname, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    const code = systemCode(error)
    if (port === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error
    if (isAnyFine) return listen(server, 0, false)
    throw new BotError('PORT_TAKEN', { seen: `${hostname}:${port} for the dashboard`, cause: error })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listener of TCP has a port
  return (server.address() as AddressInfo).port
}
