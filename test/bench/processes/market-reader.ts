import { peakMebibytes } from '#test/support/peak-memory.ts'
import type { PointBlock } from '#src/market/data/historical-market.ts'
import { readMarket } from '#src/market/data/read-market.ts'

/**
 * The process that test/bench/market.ts watches: it walks through a market and says what that took. `read` looks at a few
 * points of each block, `add` adds up all of them, `write` writes the market in our own form.
 */
const [what = '', path = '', target = ''] = process.argv.slice(2)
const sums = { count: 0, at: 0n, units: 0n, amounts: 0n }

function add({ count, at, units, amounts }: PointBlock): void {
  sums.count += count
  sums.at += sumOf(at)
  sums.units += sumOf(units)
  sums.amounts += sumOf(amounts)
}

/** Of numbers below 2^48 so many at a time that their sum is exact. */
function sumOf(column: Float64Array): bigint {
  let all = 0n
  for (let start = 0; start < column.length; start += 32) {
    let sum = 0
    for (const value of column.subarray(start, start + 32)) sum += value
    all += BigInt(sum)
  }
  return all
}

const market = readMarket(path)
const before = process.cpuUsage()
if (what === 'read') {
  let seen = 0
  for (const { count, units } of market.blocks()) seen += count + (units[count >> 1] ?? 0)
  if (seen === 0) throw new Error('nothing was read')
} else if (what === 'write') {
  const { writeBinary } = await import('#src/market/data/binary/binary-file.ts')
  writeBinary(market, target)
} else {
  for (const block of market.blocks()) add(block)
}
const { user, system } = process.cpuUsage(before)
const told = {
  sums: { count: sums.count, at: String(sums.at), units: String(sums.units), amounts: String(sums.amounts) },
  cpuMs: (user + system) / 1000,
  megabytes: peakMebibytes(),
}
process.stdout.write(JSON.stringify(told))
