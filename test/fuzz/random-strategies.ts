/**
 * Compares jump and walk of many random strategies, and lists each seed that differs with the first difference:
 *
 *   node test/fuzz/random-strategies.ts            seeds 1 to 3000
 *   node test/fuzz/random-strategies.ts 1 300      seeds 1 to 300
 */
import { differenceOf } from '#test/research/backtest/jump/agreement.ts'

const [from = 1, to = 3000] = process.argv.slice(2).map(Number)
let differing = 0
for (let seed = from; seed <= to; seed++) {
  const difference = await differenceOf(seed)
  if (!difference) continue
  differing += 1
  process.stdout.write(`seed ${seed}: ${difference.what.slice(0, 600)}\n`)
}
process.stdout.write(`${differing} of ${to - from + 1} random strategies differ\n`)
if (differing > 0) process.exitCode = 1
