import { expect, test } from 'vitest'
import { Lease } from '#src/fleet/lease.ts'
import { SeededRandom } from '#src/research/simulate/seeded-random.ts'
import { MachineClock, SimulatedMachine } from '#src/research/simulate/simulated-machine.ts'
import { SimulatedTime } from '#src/research/simulate/simulated-time.ts'
import { MemoryAccount } from './simulated/memory-account.ts'
import { FleetServer, ServerLink } from './simulated/server-link.ts'

test('no call may leave before the server has the nonces, also if it does not answer at first', async () => {
  const time = new SimulatedTime(() => 0)
  const machine = new SimulatedMachine(() => {})
  const rows = new MemoryAccount(() => time.elapsed)
  const link = new ServerLink(new FleetServer(), { time, dice: new SeededRandom(1), rows, faulty: 0 })
  const clock = new MachineClock({ time, beginsAt: 0, machine, wall: { skewMs: 0 } })
  const terms = { holder: 'one', termMs: 2000 }
  const start = async () => {
    const lease = await Lease.take({ shared: link.account(machine, 'a'), terms, clock, onLost: () => {} })
    if (!(lease instanceof Lease)) throw new Error('another process has the lease')
    link.cutFor(300, 'refused')
    await lease.keepTrace({ text: () => 'nonces of one', stored: () => {} })
    // From here on it may call, and it ends at once.
    machine.kill()
  }
  time.after(0, () => void start())
  await time.runUntil(5000)
  expect(rows.take({ ...terms, holder: 'two' })?.trace?.text).toBe('nonces of one')
})
