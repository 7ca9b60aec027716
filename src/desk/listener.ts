import { rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { BotError } from '#src/errors/bot-error.ts'
import { systemCode } from '#src/errors/system-words.ts'
import { keepPort, keptPort, keptToken, newToken, writeOwn } from './kept.ts'

/** Where the bot of a folder listens, and the word that opens it: for its owner's eyes only. */
type ControlFile = { url: string; pid: number; token: string }

export function controlPath(stateDir: string): string {
  return join(stateDir, 'control.json')
}

const hostname = '127.0.0.1'
/** A few pages of one person and a few programs; whoever else comes waits. */
const connectionsMax = 200

/**
 * The listener of an operator on the same machine: loopback, and at the same address as the last one of this folder, if
 * nobody else has taken that.
 */
export async function openListener(about: {
  stateDir: string
  /** Only there, where somebody said so. */
  port: number | undefined
  serve: (token: string) => RequestListener
}): Promise<{ url: string; token: string; close(): Promise<void> }> {
  const { stateDir } = about
  const server = createServer({
    headersTimeout: 5000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 1000,
  })
  server.maxConnections = connectionsMax
  const kept = keptPort(stateDir)
  const port = await listen(server, about.port ?? kept ?? 0, about.port === undefined)
  try {
    // Whoever has taken the old address may have been told the old token there, by a page that was left open.
    const token = port === kept ? keptToken(stateDir) : newToken(stateDir)
    server.on('request', about.serve(token))
    keepPort(stateDir, port)
    const url = `http://${hostname}:${port}`
    const file: ControlFile = { url, pid: process.pid, token }
    writeOwn(controlPath(stateDir), JSON.stringify(file))
    return {
      url,
      token,
      async close() {
        rmSync(controlPath(stateDir), { force: true })
        await end(server)
      },
    }
  } catch (error) {
    // Listening on, it would keep the process from ending.
    await end(server)
    throw error
  }
}

async function end(server: Server): Promise<void> {
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
