import { rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { BotError } from '#src/errors/bot-error.ts'
import { keepPort, keptPort, writeOwn } from './kept.ts'

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
  token: string
  /** Only there, where somebody said so. */
  port: number | undefined
  serve: RequestListener
}): Promise<{ url: string; close(): Promise<void> }> {
  const { stateDir, token } = about
  const server = createServer(
    { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 },
    about.serve,
  )
  server.maxConnections = connectionsMax
  const port = await listen(server, about.port ?? keptPort(stateDir) ?? 0, about.port === undefined)
  keepPort(stateDir, port)
  const url = `http://${hostname}:${port}`
  const file: ControlFile = { url, pid: process.pid, token }
  writeOwn(controlPath(stateDir), JSON.stringify(file))
  return {
    url,
    async close() {
      rmSync(controlPath(stateDir), { force: true })
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
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
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (port === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error
    if (isAnyFine) return listen(server, 0, false)
    throw new BotError('PORT_TAKEN', { seen: `${hostname}:${port} for the dashboard`, cause: error })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listener of TCP has a port
  return (server.address() as AddressInfo).port
}
