import { once } from 'node:events'
import type { Server } from 'node:net'

/** Below the ports that the system gives away: no other process takes it while nothing listens there. */
const portsFrom = 20_000
const portCount = 10_000

/** Listens on a port that stays the same after the server was closed. */
export async function listenOnFixedPort(server: Server): Promise<number> {
  for (let port = portsFrom + (process.pid % portCount); ; port++) {
    if (await listen(server, port).then(() => true, isTaken)) return port
  }
}

export async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

/** Rethrows all other errors. */
function isTaken(error: Error): false {
  if ('code' in error && error.code === 'EADDRINUSE') return false
  throw error
}
