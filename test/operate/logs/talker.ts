import { writeSync } from 'node:fs'
import { argv } from 'node:process'
import { Log } from '#src/operate/logs/log.ts'
import { systemClock } from '#src/core/time/clock.ts'

/** Logs until it is killed or has written this number of lines, and prints the number of acknowledged lines. */
const [, , stateDir = '', bytesMax = '', lines = 'Infinity'] = argv
const onLost = (code: string) => writeSync(2, code)
const log = new Log({ stateDir, clock: systemClock, secrets: [], onLost, bytesMax: Number(bytesMax) })
let chunk = 0
while (chunk < Number(lines)) {
  const at = Date.now()
  // Steps of different sizes, like those of an engine.
  const events = Array.from({ length: 1 + (chunk % 7) }, () => {
    chunk += 1
    return { type: 'bulk-sent', at, strategy: 'grid', chunk, orders: 20 } as const
  })
  log.write(events)
  writeSync(1, `${chunk}\n`)
}
