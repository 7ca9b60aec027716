import { randomBytes } from 'node:crypto'
import { startFaultProxy, randomFaults } from '#src/exchange/http/fault-proxy.ts'
import type { RunningExchange } from '#src/exchange/http/server.ts'
import { systemClock } from '#src/core/time/clock.ts'

/** The addresses of an exchange. */
export type Served = Pick<RunningExchange, 'url' | 'euUrl' | 'wsUrl' | 'adminUrl' | 'close'>

/** Two addresses of the exchange with faults; both close together with it. */
export async function behindBadLine(
  running: RunningExchange,
  about: { share: number; seed?: string; port?: number; euPort?: number },
): Promise<Served> {
  const { share, seed = randomBytes(8).toString('hex'), port = 0, euPort = 0 } = about
  const whims = { ...randomFaults(seed, share), clock: systemClock }
  await using closing = new AsyncDisposableStack()
  closing.defer(() => running.close())
  const main = await startFaultProxy({ ...whims, target: () => running.url, port })
  closing.defer(() => main.close())
  const eu = await startFaultProxy({ ...whims, target: () => running.euUrl, port: euPort })
  closing.defer(() => eu.close())
  const open = closing.move()
  return {
    url: main.url,
    euUrl: eu.url,
    wsUrl: `${main.url.replace('http', 'ws')}${new URL(running.wsUrl).pathname}`,
    adminUrl: running.adminUrl,
    close: () => open.disposeAsync(),
  }
}
