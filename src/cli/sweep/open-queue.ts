import { systemClock } from '#src/core/time/clock.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { SweepQueue } from '#src/research/queue/sweep-queue.ts'
import { refusePassword, unavailable } from '#src/cli/fleet/fleet-address.ts'

/** Opens the queue of `--queue`, and prints what it reports. */
export async function openQueue(address: string, application: string): Promise<SweepQueue> {
  refusePassword(address, 'queue')
  try {
    return await SweepQueue.open(address, {
      application,
      clock: systemClock,
      report: (problem) => void process.stderr.write(`${printable(problem)}\n`),
    })
  } catch (cause) {
    throw unavailable(cause, 'QUEUE_UNAVAILABLE')
  }
}
