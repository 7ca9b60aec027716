import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openedDashboard } from '#test/operate/dashboard/dashboard-fixture.ts'
import { startExchange } from '#test/cli/support/process.ts'

/** Whether something listens there. */
function answers(url: string, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), host)
    const end = (found: boolean) => {
      socket.destroy()
      resolve(found)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

// Linux answers at all of 127.0.0.0/8, so that a listener of all addresses shows at the second one.
test.runIf(process.platform === 'linux')(
  'no listener answers at another address of this machine',
  async () => {
    await using exchange = await startExchange(['--admin', '0', '--profile', 'full'])
    await using desk = await openedDashboard()
    const admin = await exchange.heard(/Admin listener for clock and deposits: (\S+)/)
    for (const url of [exchange.url, exchange.euUrl, admin, desk.url]) {
      expect(await answers(url, '127.0.0.1'), url).toBe(true)
      expect(await answers(url, '127.0.0.2'), url).toBe(false)
      expect(await answers(url, '::1'), url).toBe(false)
    }
  },
)
