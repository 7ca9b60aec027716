import { argv } from 'node:process'
import { readMarket } from '#src/market/data/read-market.ts'

/**
 * Reads a folder of market files as often as told, and prints the memory of the process in MiB after the first quarter
 * of the passes and after the last one. Like the commands, it never waits in between.
 */
const [folder = '', passes = ''] = argv.slice(2)
const last = Number(passes)
const memory: number[] = []
for (let pass = 1; pass <= last; pass++) {
  for (const _ of readMarket(folder).blocks());
  if (pass === last / 4 || pass === last) memory.push(Math.round(process.memoryUsage.rss() / 2 ** 20))
}
process.stdout.write(`${JSON.stringify(memory)}\n`)
