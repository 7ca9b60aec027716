/** The exchange of the benchmark in streams.ts, in a process of its own: a thousand changes of one book a second. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startExchange } from '#src/exchange/http/server.ts'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { busyBook } from '#test/exchange/streams/busy-book.ts'
import { chanceOf } from '#test/fuzz/chance.ts'

const changesPerSecond = 1000
const turnMs = 10

const world = readYaml(fileURLToPath(new URL('../../../config/exchange.yaml', import.meta.url)), worldSchema)
world.switches.rateLimits = 'off'
const { exchange, wsUrl } = await startExchange({ world, clock: systemClock, profile: 'full' })
const busy = busyBook(exchange, 'SOL_PERP', chanceOf(1))
process.send?.(wsUrl)
process.on('disconnect', () => process.exit())
process.on('message', () => {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  process.send?.({ rss, heapUsed, cpuMs: (user + system) / 1000, updateId: busy.book.updateId })
})

const begun = performance.now()
for (let due = 0; ; await sleep(turnMs)) {
  due = ((performance.now() - begun) * changesPerSecond) / 1000
  while (busy.book.updateId < due) busy.step()
}
